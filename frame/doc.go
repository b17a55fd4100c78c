// Package frame splits decoded bytes into records.
//
// An object is decoded into a sequence of bytes, which arrive in slabs: pieces in
// order, of any size. A [Framer] is the recipe of one format. Its [Scanner] receives the
// slabs of one object and appends to a list where records end in them. Nothing is copied.
//
//	slab:   | raw bytes | raw bytes | raw bytes | part of a record |
//	ends:               ^           ^           ^
//
// The raw bytes of a record run from the end of the record before it to its own end.
// [Framer.Body] returns the record's body, which is the raw bytes without what frames
// them, such as a separator, a length or padding. The body is the record that users see.
//
// A record may be bad, or longer than the caller allows. To resync is to find the start
// of the next record after it. Scanners that can do so implement [Resyncer].
//
// A [Registry] finds a framer by its name or by the extension of an object's name. A
// custom framer is a Framer value; [FromSplitFunc] makes one from a bufio.SplitFunc.
// Register it in a clone of [Default]. Package frametest tests that it keeps the
// contract of [Scanner].
//
// # Formats
//
// The framers of Default, what a record of each is, and where reading continues after a
// bad record:
//
//	lines            line: \n or \r\n           next line
//	ndjson           line that is not blank     next line
//	delim:HEX        up to the separator        next separator
//	fixed:N          N bytes                    after N bytes
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
//	whole            the object                 nowhere
//
// An unfinished record at the end of the object is io.ErrUnexpectedEOF if the format
// shows that it is unfinished. Formats of text without a closing mark cannot show it: for
// lines, ndjson, delim, csv (outside quotes), regexp and whole, what follows the last
// separator is a record.
//
// The options of csv are separated by commas:
//
//	comma=HEX      the byte between fields
//	unquoted       quotes are data, and each line is a row: tsv is csv:unquoted,comma=09
//	open           the end of the object closes a quote that is still open: the last row
//	               is a record and no error
//	empty          an empty line is a record
//	header         the first row is no record
//	ragged=error   a row of another number of fields than the first is [ErrRecord]
//
// Without the option header, the header of CSV is a record like any other, with index 0 in
// its object. With it, the row after the header has index 0, and its raw bytes include the
// header: if both together exceed MaxRecord, that row is too long.
//
// Without ragged=error, a row of another number of fields is a record too. With it, the
// rows after a bad one are compared as before. The Scanner's State holds the number of
// fields, so that a read that begins in the middle of the object compares rows with it. A
// read that needs the names in the header takes the first record of a read from the
// start. [AppendCSVFields] splits a record into fields.
//
// # Errors
//
// The error of a bad or unfinished record is an *[Error] that wraps [ErrRecord],
// [ErrTooLong] or io.ErrUnexpectedEOF. It also wraps [ErrUnsupported] if the record is of
// a kind that this package does not read, and [ErrNoResync] if no later record of the object
// can be found.
//
// # Concurrency
//
// A Scanner belongs to one goroutine. A Framer, and a Registry on which Register is no
// longer called, are safe for concurrent use.
//
// # Limits
//
// A slab, and with it a record, is less than 4 GiB. A framer looks at no more than it
// needs to separate records: ndjson does not check the JSON in its lines, json does. No
// framer checks that text is UTF-8: text in any encoding that contains ASCII can be split.
// Framers of text (lines, ndjson, csv, tsv, json, json-array, regexp) refuse objects in
// UTF-16 or UTF-32; see [RefuseUTF16]. Others, such as delim:HEX, take such an object as
// bytes.
package frame
