package inflate_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/chunks"
)

// seeds are streams with every kind of block and fault.
func seeds(add func(data []byte)) {
	for _, data := range small() {
		add(data)
		add(data[:len(data)/2])
	}
	for _, c := range streams() {
		if len(c.data) < 2000 {
			add(c.data)
		}
	}
}

// FuzzDecode compares with the oracle and with the references.
func FuzzDecode(f *testing.F) {
	seeds(func(data []byte) { f.Add(data) })
	d := newDecoders()
	f.Fuzz(func(t *testing.T, data []byte) { d.check(t, data) })
}

// FuzzChunks gives the same result for any pieces of input and any sizes of output.
func FuzzChunks(f *testing.F) {
	seeds(func(data []byte) { f.Add(data, uint16(7), uint16(100)) })
	d := newDecoders()
	f.Fuzz(func(t *testing.T, data []byte, in, out uint16) {
		want, consumed, wantErr := d.decode(data)
		from := chunks.Growing(bytes.NewReader(data), 1+int(in)%len(append(data, 0)))
		if in&1 == 0 {
			from = chunks.Pausing(from)
		}
		src := bufio.NewReaderSize(from, 16+int(in>>8))
		r := inflate.NewReader(src)
		var got []byte
		var err error
		var n int
		for p := make([]byte, 1+out); err == nil; {
			n, err = r.Read(p)
			got = append(got, p[:n]...)
		}
		if err == io.EOF {
			err = nil
		}
		if !bytes.Equal(got, want) || cause(err) != cause(wantErr) || r.Consumed() != consumed && cause(err) != errCorrupt {
			t.Fatalf("got %d bytes, %d consumed and %v, want %d, %d and %v", len(got), r.Consumed(), err, len(want), consumed, wantErr)
		}
		if err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("got %q, want %q", err, wantErr)
		}

		var dec inflate.Decoder
		dec.Reset(bufio.NewReaderSize(bytes.NewReader(data), 16+int(in)))
		got, err = fillAll(t, &dec, nil, inflate.Slack+int(out))
		if !bytes.Equal(got, want) || wantErr != nil && err.Error() != wantErr.Error() || wantErr == nil && err != io.EOF {
			t.Fatalf("Fill: got %d bytes and %v, want %d and %v", len(got), err, len(want), wantErr)
		}
	})
}

// FuzzResume decodes the rest from every block border.
func FuzzResume(f *testing.F) {
	seeds(func(data []byte) { f.Add(data, uint8(0)) })
	d := newDecoders()
	other := newDecoders()
	f.Fuzz(func(t *testing.T, data []byte, every uint8) {
		want, _, wantErr := d.decode(data)
		d.src.Reset(bytes.NewReader(data))
		d.own.Reset(d.src)
		d.own.StopAt(0)
		given, points := 0, 0
		for p, err := make([]byte, 1<<16), error(nil); err == nil && points < 20; {
			if at, ok := d.own.Point(); ok && int(at.Decoded) == given {
				points++
				d.own.StopAt(int64(given) + int64(every))
				other.src.Reset(bytes.NewReader(data[at.Offset:]))
				if err := other.own.Resume(other.src, at, d.own.AppendWindow(nil)); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(other.own)
				if !bytes.Equal(got, want[given:]) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Fatalf("from %+v: got %d bytes and %v, want %d and %v", at, len(got), err, len(want)-given, wantErr)
				}
			}
			var n int
			n, err = d.own.Read(p)
			given += n
		}
	})
}

// FuzzEncoded decodes what an encoder makes of any text.
func FuzzEncoded(f *testing.F) {
	f.Add([]byte("a text, a text, a text"), uint8(8), uint16(10))
	f.Add([]byte(mixed(3000)), uint8(3), uint16(1000))
	d := newDecoders()
	f.Fuzz(func(t *testing.T, text []byte, level uint8, flush uint16) {
		data := deflate(string(text), int(level)%12-2, max(1+int(flush), len(text)/50+1))
		got, consumed, err := d.decode(data)
		if err != nil || !bytes.Equal(got, text) || consumed != int64(len(data)) {
			t.Fatalf("got %d bytes, %d consumed and %v, want %d and %d", len(got), consumed, err, len(text), len(data))
		}
	})
}
