// Package chunks delivers the same bytes in different pieces, for tests that what a
// reader returns does not depend on how its source delivers.
package chunks

import (
	"bufio"
	"bytes"
	"io"
	"testing/iotest"
)

// Of returns a reader that returns at most n bytes of r in a call.
func Of(r io.Reader, n int) io.Reader { return &pieces{r, n} }

type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

// Pausing returns a reader of r whose first call and every second after it return
// neither bytes nor an error.
func Pausing(r io.Reader) io.Reader { return &pausing{r: r} }

type pausing struct {
	r      io.Reader
	paused bool
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.paused = !p.paused; p.paused {
		return 0, nil
	}
	return p.r.Read(b)
}

// Growing returns a reader that returns 1 byte of r, then 2, up to most, then 1 again.
func Growing(r io.Reader, most int) io.Reader { return &growing{r: r, most: most} }

type growing struct {
	r       io.Reader
	n, most int
}

func (g *growing) Read(b []byte) (int, error) {
	g.n = g.n%g.most + 1
	return g.r.Read(b[:min(len(b), g.n)])
}

// Source is a way to deliver bytes: by Wrap, through a bufio.Reader of Buffer bytes.
type Source struct {
	Name   string
	Wrap   func(io.Reader) io.Reader
	Buffer int
}

// Open returns data, delivered as s says.
func (s Source) Open(data []byte) *bufio.Reader {
	return bufio.NewReaderSize(s.Wrap(bytes.NewReader(data)), s.Buffer)
}

// Sources are the ways that io.Reader allows, through buffers of several sizes. It is
// not changed.
var Sources = []Source{
	{"whole", whole, 1 << 20},
	{"whole, smallest buffer", whole, 16},
	{"whole, buffer of 37", whole, 37},
	{"one byte, smallest buffer", iotest.OneByteReader, 16},
	{"one byte", iotest.OneByteReader, 4096},
	{"half", iotest.HalfReader, 4096},
	{"data with EOF", iotest.DataErrReader, 4096},
	{"pieces of 1 to 31", func(r io.Reader) io.Reader { return Growing(r, 31) }, 64},
	{"empty reads between", func(r io.Reader) io.Reader { return Pausing(Growing(r, 1000)) }, 4096},
}

func whole(r io.Reader) io.Reader { return r }

// ReadAll is io.ReadAll by calls of Read for n bytes each.
func ReadAll(r io.Reader, n int) (all []byte, err error) {
	p := make([]byte, n)
	for {
		k, err := r.Read(p)
		all = append(all, p[:k]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}
