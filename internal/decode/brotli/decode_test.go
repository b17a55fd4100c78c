package brotli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	library "github.com/andybalholm/brotli"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/testing/chunks"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// encode compresses with the library. window is its logarithm, 0 for the default.
func encode(data []byte, quality, window int) []byte {
	var b bytes.Buffer
	w := library.NewWriterOptions(&b, library.WriterOptions{Quality: quality, LGWin: window})
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// streams decodes whole streams, with one Reader. It gives what it decoded before
// an error, and how many stored bytes it took.
type streams struct {
	r     *brotli.Reader
	in    *bytes.Reader
	src   *bufio.Reader
	out   bytes.Buffer
	limit int64 // of decoded bytes, if not 0
	step  int   // of stored bytes that the source gives at a time, if not 0
}

var errLimit = errors.New("limit of the test")

func newStreams() *streams {
	in := bytes.NewReader(nil)
	return &streams{r: brotli.NewReader(), in: in, src: bufio.NewReaderSize(in, 1<<16)}
}

func (s *streams) decode(stored []byte) (got []byte, taken int, err error) {
	s.in.Reset(stored)
	if s.step > 0 {
		s.src.Reset(chunks.Pausing(chunks.Of(s.in, s.step)))
	} else {
		s.src.Reset(s.in)
	}
	s.r.Reset(s.src)
	s.out.Reset()
	var from io.Reader = s.r
	if s.limit > 0 {
		from = io.LimitReader(s.r, s.limit)
	}
	n, err := s.out.ReadFrom(from)
	if err == nil && s.limit > 0 && n == s.limit {
		err = errLimit
	}
	return s.out.Bytes(), len(stored) - s.in.Len() - s.src.Buffered(), err
}

// newLibrary makes a function that decodes streams with the library.
func newLibrary() func([]byte) ([]byte, error) {
	r := library.NewReaderOptions(nil, library.ReaderOptions{LargeWindow: true})
	return func(stored []byte) ([]byte, error) {
		r.Reset(bytes.NewReader(stored))
		return io.ReadAll(r)
	}
}

// difference describes got where it is not want.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%d bytes, of %d, that differ at %d", len(got), len(want), i)
		}
	}
	return fmt.Sprintf("%d bytes, of %d", len(got), len(want))
}

// samples are data of several kinds.
func samples() map[string][]byte {
	return map[string][]byte{
		"empty":  nil,
		"byte":   []byte("x"),
		"words":  []byte("The quick brown fox jumps over the lazy dog, and this is what they have been waiting for since 1999.\n"),
		"ndjson": corpus.NDJSONBytes(1, 300),
		"binary": corpus.BinaryBytes(1, 60_000),
		"noise":  corpus.NoiseBytes(1, 70_000),
		"zeros":  make([]byte, 200_000),
		"mixed":  bytes.Join([][]byte{corpus.NDJSONBytes(2, 300), corpus.NoiseBytes(2, 10_000), make([]byte, 1000), corpus.BinaryBytes(3, 50_000), corpus.NDJSONBytes(2, 600)}, nil),
	}
}

// TestEncoded decodes what the library makes of data of several kinds, at every
// quality and with windows of all sizes.
func TestEncoded(t *testing.T) {
	t.Parallel()
	s := newStreams()
	i := 0
	for name, data := range samples() {
		for quality := range 12 {
			if quality > 4 {
				data = data[:min(len(data), 15_000)] // it takes long
			}
			i++
			window := 10 + i%15
			stored := encode(data, quality, window)
			got, taken, err := s.decode(append(bytes.Clone(stored), 0, 1, 2))
			if err != nil || !bytes.Equal(got, data) || taken != len(stored) {
				t.Errorf("%s, quality %d, window %d: got %s and %v, and %d bytes taken, want %d", name, quality, window, difference(got, data), err, taken, len(stored))
			}
		}
	}
}
