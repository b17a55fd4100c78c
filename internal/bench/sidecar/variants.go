package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// timed measures f.
func timed(f func(one *sample.One) error) (one sample.One, err error) {
	began, cpu := time.Now(), sample.CPU()
	err = f(&one)
	one.Wall, one.CPU = time.Since(began), sample.CPU()-cpu
	return one, err
}

// serial decodes all as every reader does.
func serial(o *object, passes int) (sample.One, error) {
	runtime.GOMAXPROCS(1)
	d, err := gzip().NewReader(bytes.NewReader(nil), new(codec.Options))
	if err != nil {
		return sample.One{}, err
	}
	p := make([]byte, 256<<10)
	return timed(func(one *sample.One) error {
		for range passes {
			err := d.Reset(bytes.NewReader(o.stored))
			for n := 0; err == nil; one.Bytes += int64(n) {
				n, err = d.Read(p)
			}
			if err != io.EOF {
				return err
			}
		}
		return nil
	})
}

// parallel decodes all through the index, and holds the checksum of the pieces to
// that of the trailer.
func parallel(workers int) func(*object, int) (sample.One, error) {
	return func(o *object, passes int) (sample.One, error) {
		runtime.GOMAXPROCS(workers)
		return timed(func(one *sample.One) error {
			for range passes {
				x, err := seek.ReadIndex(bytes.NewReader(o.form))
				if err != nil {
					return err
				}
				trailer := o.stored[len(o.stored)-gzipTrailer:]
				body := io.NewSectionReader(bytes.NewReader(o.stored), gzipHeader, int64(len(o.stored))-gzipHeader-gzipTrailer)
				crc, err := marked(x).Decode(body, nowhere{}, workers)
				if err != nil {
					return err
				}
				if want := binary.LittleEndian.Uint32(trailer); crc != want {
					return fmt.Errorf("checksum is %08x, the trailer says %08x", crc, want)
				}
				if size := binary.LittleEndian.Uint32(trailer[4:]); size != uint32(x.Decoded) {
					return fmt.Errorf("size is %d, the trailer says %d modulo 2^32", x.Decoded, size)
				}
				one.Bytes += x.Decoded
			}
			return nil
		})
	}
}

// Header without fields, and trailer, RFC 1952.
const gzipHeader, gzipTrailer = 10, 8

// marked is the stream of the one member that x is of.
func marked(x *seek.Index) *inflate.Marked {
	return &inflate.Marked{
		Stored: x.Stored - gzipHeader - gzipTrailer, Decoded: x.Decoded,
		Len: x.Len(), At: func(i int) (inflate.Mark, error) {
			p, err := x.Point(i)
			if err != nil {
				return inflate.Mark{}, err
			}
			s, ok := inflate.ParseState(p.State)
			if !ok {
				return inflate.Mark{}, fmt.Errorf("point %d has no state of gzip", i)
			}
			return s.Mark(p.Stored - gzipHeader), nil
		},
	}
}

// nowhere throws away what is written.
type nowhere struct{}

func (nowhere) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

const (
	readSize = 64 << 10
	places   = 16
)

// place is the i-th of the places, spread evenly and out of order.
func place(i int, decoded int64) int64 {
	k := int64(i*7%places)*2 + 1
	return min(decoded*k/(2*places), decoded-readSize)
}

// randomSkip opens the object for each read and decodes what lies before.
func randomSkip(o *object, _ int) (sample.One, error) {
	runtime.GOMAXPROCS(1)
	p := make([]byte, readSize)
	return timed(func(one *sample.One) error {
		for i := range places {
			d, err := gzip().NewReader(bytes.NewReader(o.stored), new(codec.Options))
			if err != nil {
				return err
			}
			if _, err := io.CopyN(io.Discard, d, place(i, o.index.Decoded)); err != nil {
				return err
			}
			if _, err := io.ReadFull(d, p); err != nil {
				return err
			}
			d.Close()
			one.Records++
		}
		return nil
	})
}

// randomIndex reads the same places through the index, ten times.
func randomIndex(o *object, _ int) (sample.One, error) {
	runtime.GOMAXPROCS(1)
	p := make([]byte, readSize)
	return timed(func(one *sample.One) error {
		x, err := seek.ReadIndex(bytes.NewReader(o.form))
		if err != nil {
			return err
		}
		r, err := seek.NewReaderAt(bytes.NewReader(o.stored), int64(len(o.stored)), x, nil)
		if err != nil {
			return err
		}
		defer r.Close()
		for i := range 10 * places {
			if _, err := r.ReadAt(p, place(i, x.Decoded)); err != nil {
				return err
			}
			one.Records++
		}
		return nil
	})
}
