package lzma_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	writer "github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// FuzzDecoder2: the answer does not depend on how stored bytes come, nor on
// what a decoder did before, and is that of ulikunitz/xz wherever both take a
// stream for whole.
func FuzzDecoder2(f *testing.F) {
	f.Add(lzma2(f, nil, writer.Writer2Config{}))
	f.Add(lzma2(f, sample(1, 300, 300), writer.Writer2Config{}))
	f.Add(lzma2(f, sample(2, 5000, 5000), writer.Writer2Config{DictCap: 4 << 10}))
	f.Add([]byte{1, 0, 2, 'i', 'c', 'e', 2, 0, 0, 's', 0})
	f.Fuzz(func(t *testing.T, stored []byte) {
		const dict, most = 64 << 10, 1 << 20
		decode := func(d *lzma.Decoder2, src io.Reader) ([]byte, error) {
			d.Reset(bufio.NewReaderSize(src, 64), dict)
			return io.ReadAll(io.LimitReader(d, most))
		}
		var d lzma.Decoder2
		got, err := decode(&d, bytes.NewReader(stored))
		var wrong *fault.Error
		if err != nil && err != io.ErrUnexpectedEOF && !errors.As(err, &wrong) {
			t.Errorf("got %v, want a fault or an unexpected end", err)
		}
		for name, open := range map[string]func(io.Reader) io.Reader{"single bytes": iotest.OneByteReader, "data with EOF": iotest.DataErrReader} {
			again, err2 := decode(&d, open(bytes.NewReader(stored)))
			if !bytes.Equal(got, again) || (err == nil) != (err2 == nil) {
				t.Errorf("%s: got %d bytes and %v, at once %d and %v", name, len(again), err2, len(got), err)
			}
		}
		if err != nil || len(got) == most {
			return
		}
		r, err := writer.Reader2Config{DictCap: dict}.NewReader2(bytes.NewReader(stored))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(io.LimitReader(r, most)); err == nil && !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, the library has %d others", len(got), len(want))
		}
	})
}
