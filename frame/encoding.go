package frame

import "fmt"

// RefuseUTF16 returns f with objects in UTF-16 and UTF-32 refused. A framer of text uses
// it if it looks for single bytes, such as line feeds: it would cut these encodings in
// the middle of characters. The framers of text in this package are made by it.
//
// The Scanner looks at the first bytes of an object. A byte order mark shows the
// encoding, and so do 8 bytes of ASCII with a zero beside each. The error wraps
// [ErrRecord], [ErrUnsupported] and [ErrNoResync]: no record of the object is found. If f's
// Scanner implements [Resyncer], so does the result's.
func RefuseUTF16(f Framer) Framer {
	open := f.New
	f.New = func(opts *Options) (Scanner, error) {
		s, err := open(opts)
		if err != nil || opts.Offset > 0 {
			return s, err
		}
		t := &textScanner{Scanner: s, name: f.Name}
		if rs, ok := s.(Resyncer); ok {
			return &textResyncer{t, rs}, nil
		}
		return t, nil
	}
	return f
}

// textScanner looks at the first bytes of an object before its Scanner does.
type textScanner struct {
	Scanner
	name    string
	known   bool
	foreign error
}

// wait looks at the object's first bytes. It reports that more of them are needed.
func (s *textScanner) wait(slab []byte, eof bool) bool {
	if s.known {
		return false
	}
	encoding, more := foreignText(slab)
	if more && !eof {
		return true
	}
	s.known = true
	if encoding != "" {
		s.foreign = fmt.Errorf("%w: text in %s: %w: %w", ErrRecord, encoding, ErrUnsupported, ErrNoResync)
	}
	return false
}

func (s *textScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	switch {
	case s.wait(slab, eof):
		return ends, nil
	case s.foreign != nil:
		return ends, &Error{Framer: s.name, Err: s.foreign}
	}
	return s.Scanner.Scan(slab, eof, ends)
}

// textResyncer is a textScanner over a Scanner that can resync.
type textResyncer struct {
	*textScanner
	to Resyncer
}

// Resync leaves out all of an object in a foreign encoding.
func (s *textResyncer) Resync(slab []byte, eof bool) (n int, done bool) {
	switch {
	case s.wait(slab, eof):
		return 0, false
	case s.foreign != nil:
		return len(slab), eof
	}
	return s.to.Resync(slab, eof)
}

// foreignSure is how many bytes without a mark show the encoding.
const foreignSure = 8

// foreignText is the encoding of the text that b begins with, if it is none that
// ASCII is a part of; more says that more bytes may show one, or another one.
func foreignText(b []byte) (encoding string, more bool) {
	for _, known := range []struct{ mark, encoding string }{
		{"\xff\xfe\x00\x00", "UTF-32LE"},
		{"\x00\x00\xfe\xff", "UTF-32BE"},
		{"\xff\xfe", "UTF-16LE"},
		{"\xfe\xff", "UTF-16BE"},
	} {
		n := min(len(b), len(known.mark))
		switch {
		case string(b[:n]) != known.mark[:n]:
		case n == len(known.mark) && encoding == "":
			encoding = known.encoding
		case n < len(known.mark):
			more = true
		}
	}
	if encoding != "" || len(b) == 0 {
		return encoding, more
	}
	b = b[:min(len(b), foreignSure)]
	if isWide(b, 1) {
		encoding = "UTF-16LE without a mark"
	} else if isWide(b, 0) {
		encoding = "UTF-16BE without a mark"
	}
	if encoding != "" && len(b) < foreignSure {
		return "", true
	}
	return encoding, more
}

// isWide says that b is text of ASCII whose other bytes, from zero on, are zero.
func isWide(b []byte, zero int) bool {
	for i, c := range b {
		text := ' ' <= c && c <= '~' || c == '\t' || c == '\r' || c == '\n'
		if wide := i%2 == zero; wide && c != 0 || !wide && !text {
			return false
		}
	}
	return true
}
