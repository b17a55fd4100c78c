package codectest

import (
	"bytes"
	"errors"
	"io"
	"testing/iotest"
)

// source is a way to hand out stored bytes.
type source struct {
	name string
	open func(stored []byte) io.Reader
}

// sources are all ways that io.Reader allows.
var sources = []source{
	{"whole", func(b []byte) io.Reader { return bytes.NewReader(b) }},
	{"1 byte", func(b []byte) io.Reader { return &pieces{b: b, size: 1} }},
	{"7 bytes", func(b []byte) io.Reader { return &pieces{b: b, size: 7} }},
	{"4096 bytes", func(b []byte) io.Reader { return &pieces{b: b, size: 4096} }},
	{"half", func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) }},
	{"data with EOF", func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) }},
	{"1 byte with EOF", func(b []byte) io.Reader { return iotest.DataErrReader(&pieces{b: b, size: 1}) }},
	{"nothing now and then", func(b []byte) io.Reader { return &pieces{b: b, size: 100, pauses: 2} }},
}

// pieces returns at most size bytes at a time, and pauses times neither data nor an
// error before each piece and before the end.
type pieces struct {
	b      []byte
	size   int
	pauses int
	paused int
}

func (r *pieces) Read(p []byte) (int, error) {
	if r.paused < r.pauses {
		r.paused++
		return 0, nil
	}
	r.paused = 0
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b[:min(r.size, len(r.b))])
	r.b = r.b[n:]
	return n, nil
}

var errSource = errors.New("codectest: the source fails")

// failing returns stored and then fails.
func failing(stored []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(stored), iotest.ErrReader(errSource))
}
