package frame

import "bytes"

// AppendCSVFields appends the fields of record to fields and returns the result. record
// is the body of a record of csv or csv:OPTIONS, and comma the byte between its fields. An
// empty record has one field, which is empty.
//
// The quotes around a field are removed, and two quotes within them stand for one. A quote
// elsewhere is data, and so are bytes after a closing quote. In tsv and csv:unquoted all
// quotes are data: use bytes.Split for their records.
//
// record is not changed. A field shares its memory, unless two quotes stand for one in it
// or bytes follow its closing quote: it is then a copy.
func AppendCSVFields(fields [][]byte, record []byte, comma byte) [][]byte {
	for more := true; more; {
		var field []byte
		field, record, more = cutCSVField(record, comma)
		fields = append(fields, unquoteCSV(field))
	}
	return fields
}

// csvFields is how many fields a record has.
func csvFields(record []byte, comma byte) (n int) {
	for more := true; more; n++ {
		_, record, more = cutCSVField(record, comma)
	}
	return n
}

// cutCSVField cuts the first field off, with its quotes. more says that another
// follows.
func cutCSVField(record []byte, comma byte) (field, rest []byte, more bool) {
	at := 0
	if len(record) > 0 && record[0] == '"' {
		at = closedAt(record)
	}
	i := bytes.IndexByte(record[at:], comma)
	if i < 0 {
		return record, nil, false
	}
	at += i
	return record[:at:at], record[at+1:], true
}

// csvRowEnd is where the row that b begins with ends, with its line feed, or
// len(b).
func csvRowEnd(b []byte, comma byte) int {
	for at := 0; ; {
		if at < len(b) && b[at] == '"' {
			at += closedAt(b[at:])
		}
		feed := indexFrom(b, at, '\n')
		next := indexFrom(b[:feed], at, comma)
		if next == feed {
			return min(feed+1, len(b))
		}
		at = next + 1
	}
}

// closedAt is where b goes on after the quotes that it begins with, or len(b).
func closedAt(b []byte) int {
	for at := 1; ; at += 2 {
		i := bytes.IndexByte(b[at:], '"')
		if i < 0 {
			return len(b)
		}
		at += i
		if at+1 == len(b) || b[at+1] != '"' {
			return at + 1
		}
	}
}

// unquoteCSV is what a field says.
func unquoteCSV(field []byte) []byte {
	if len(field) == 0 || field[0] != '"' {
		return field
	}
	text := field[1:]
	i := bytes.IndexByte(text, '"')
	switch {
	case i < 0: // closed by the end of the object
		return text
	case i == len(text)-1:
		return text[:i:i]
	}
	end := closedAt(field)
	quoted := bytes.TrimSuffix(field[1:end], []byte{'"'})
	return append(bytes.ReplaceAll(quoted, []byte(`""`), []byte{'"'}), field[end:]...)
}
