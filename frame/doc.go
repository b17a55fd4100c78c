// Package frame splits decoded bytes into records.
//
// A [Framer] is a recipe. Its [Scanner] is given a slab of decoded bytes and
// appends where records end; nothing is copied. The raw bytes of a record run
// from the previous end to its own; [Framer.Body] cuts what frames the record
// (separator, prefix, padding) off the raw bytes.
//
// A [Registry] finds a framer by name, or by the extension of an object's name.
// A framer of one's own is a Framer value, or a bufio.SplitFunc given to
// [FromSplitFunc]; it is registered in a clone of [Default] and held to the contract by
// package frametest.
//
// # Formats
//
// The built-in framers, what they call a record, and how they find their place
// again behind one that is bad or too long:
//
//	lines            line: \n or \r\n           next line
//	ndjson           line that is not blank     next line
//	delim:HEX        up to the separator        next separator
//	fixed:N          N bytes                    N bytes further
//	u16be … u64le    length, then data          by the length
//	varint           length, then data          by the length, unless it is bad
//	recordio         dmlc-core's format         next magic number
//	tfrecord         length, data, checksums    by the length, unless its checksum is bad
//	csv              row, with quoted lines     end of the row
//	csv:OPTIONS      the same; see below        end of the row
//	tsv              row, a line                next line
//	json             JSON text                  end of the text; next line, if it is bad
//	json-array       element of one array       end of the element, unless it is bad
//	regexp:RE        from a line that matches   next line that matches
//	tar              regular file               next header
//	warc             header and block           next version line
//	whole            the object                 none
//
// A final partial record is io.ErrUnexpectedEOF where the format shows that it is
// one. The formats of text without a closing mark cannot tell: what stands behind
// the last separator is a record of lines, ndjson, delim, csv (outside quotes),
// regexp and whole.
//
// The options of csv stand between commas. comma=HEX is the byte between fields.
// unquoted makes quotes data, so that each line is a row: tsv is
// csv:unquoted,comma=09, and csv:comma=09 is the kind that is quoted. open closes,
// at the end of the object, a quote that is never closed: the last row is a record
// then and not an error. empty makes records of empty lines.
//
// The header of CSV is a record like any other: the one at index 0 of its object.
// The option header leaves it out: its bytes go to the raw bytes of the first row,
// which counts with them against MaxRecord. A row with another number of fields
// than the header is a record too; with ragged=error it is [ErrRecord], and the rows
// behind it are looked at as before. The number of the header's fields is in the
// Scanner's State, so that a read that begins in the middle of the object holds rows
// to it. A read that needs the names in the header too takes the first record of a
// read from the start. [AppendCSVFields] splits a record into fields.
//
// # Errors
//
// A bad or unfinished record is [*Error] around [ErrRecord], [ErrTooLong] or
// io.ErrUnexpectedEOF. Beside these it wraps [ErrUnsupported] where the record is
// of a kind that is not read, and [ErrLost] where no later record can be found.
//
// # Concurrency
//
// A Scanner belongs to one goroutine. A Registry that is not changed any more and
// a Framer are safe for concurrent use.
//
// # Limits
//
// A slab, and with it a record, is less than 4 GiB. Records are not looked into
// beyond what separates them: JSON in the lines of ndjson is not checked; that of
// json is. Text is not checked to be UTF-8, and any encoding that ASCII is a part of
// can be cut. Framers of text (lines, ndjson, csv, tsv, json, json-array, regexp)
// refuse an object in UTF-16 or UTF-32, which a mark shows, or 8 bytes of ASCII with
// zeros between them: [ErrUnsupported]. Others, such as delim:HEX, take it as bytes.
package frame
