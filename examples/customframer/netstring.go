package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/thaw-go/thaw/frame"
)

// maxDigits is how many digits a length may have.
const maxDigits = 9

// netstrings is a framer of netstrings, as in "5:hello,": a length in decimal, a
// colon, that many bytes and a comma. Nothing shows where the next one begins
// after one that is bad.
func netstrings() frame.Framer {
	return frame.Framer{
		Name:       "netstring",
		Extensions: []string{".netstrings"},
		New: func(opts *frame.Options) (frame.Scanner, error) {
			return &scanner{limit: opts.MaxRecord}, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			_, data, _ := bytes.Cut(raw, []byte(":"))
			return bytes.TrimSuffix(data, []byte(",")) // not there where raw was cut
		},
	}
}

// scanner needs to know nothing at a record's end but the offset.
type scanner struct{ limit int }

func (s *scanner) State() []byte { return nil }

func (s *scanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last := 0
	for last < len(slab) {
		rest := slab[last:]
		size, err := measure(rest)
		switch {
		case err != nil:
		case s.limit > 0 && size > s.limit: // no need to wait for all of it
			err = frame.ErrTooLong
		case size == 0 || size > len(rest):
			if !eof {
				return ends, nil
			}
			err = io.ErrUnexpectedEOF
		case rest[size-1] != ',':
			err = fmt.Errorf("%w: %q for a comma: %w", frame.ErrRecord, rest[size-1], frame.ErrNoResync)
		}
		if err != nil {
			return ends, &frame.Error{Framer: "netstring", Err: err}
		}
		last += size
		ends = append(ends, uint32(last))
	}
	return ends, nil
}

// measure returns the size of the netstring that b begins with, or 0 if b is too short
// to show it.
func measure(b []byte) (int, error) {
	digits, _, whole := bytes.Cut(b[:min(len(b), maxDigits+1)], []byte(":"))
	for i, c := range digits {
		if c < '0' || c > '9' || i > 0 && digits[0] == '0' {
			return 0, fmt.Errorf("%w: length %q: %w", frame.ErrRecord, digits, frame.ErrNoResync)
		}
	}
	switch {
	case !whole && len(b) <= maxDigits:
		return 0, nil
	case !whole || len(digits) == 0:
		return 0, fmt.Errorf("%w: length %q: %w", frame.ErrRecord, digits, frame.ErrNoResync)
	}
	n, err := strconv.Atoi(string(digits))
	return len(digits) + len(":") + n + len(","), err
}
