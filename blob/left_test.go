package blob_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// lastWord gives its bytes, and says later what the end of the body is.
type lastWord struct {
	io.Reader
	after time.Duration
	err   error
}

func (r *lastWord) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n == 0 && err == io.EOF {
		time.Sleep(r.after)
		return 0, r.err
	}
	return n, err
}

// A fault of the object is reported, whenever it shows: also after the last byte of
// a range that the reader has already left.
func TestFaultAfterTheLastByteOfARange(t *testing.T) {
	t.Parallel()
	const rangeSize, size = 256 << 10, 8 * 256 << 10
	data := pattern(size)
	for _, c := range []struct {
		name     string
		inFlight int
		pause    time.Duration // of the reader, after each 64 KiB
		after    time.Duration // until the fault shows
		err      error
	}{
		{"at once", 1, 0, 0, blob.ErrChanged},
		{"while the next range is read", 1, time.Second, 500 * time.Millisecond, blob.ErrChanged},
		{"while the third range is read", 1, time.Second, 9500 * time.Millisecond, blob.ErrChanged},
		{"with ranges side by side", 3, time.Second, 5500 * time.Millisecond, blob.ErrChanged},
		{"archived meanwhile", 1, time.Second, 500 * time.Millisecond, blob.ErrArchived},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{data: data, version: "1"}
				f.body = func(call int, data []byte) io.Reader {
					if call > 0 {
						return bytes.NewReader(data)
					}
					return &lastWord{bytes.NewReader(data), c.after, c.err}
				}
				r, err := f.store().NewReader(t.Context(), "k", &blob.ReaderOptions{RangeSize: rangeSize, InFlight: c.inFlight})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				var got []byte
				buf := make([]byte, 64<<10)
				for err == nil {
					var n int
					n, err = io.ReadFull(r, buf)
					got = append(got, buf[:n]...)
					time.Sleep(c.pause)
				}
				if !errors.Is(err, c.err) {
					t.Errorf("got %v after %d bytes, want %v", err, len(got), c.err)
				}
				if !bytes.HasPrefix(data, got) || len(got) < rangeSize {
					t.Errorf("got %d bytes, want a beginning of the object that holds the first range", len(got))
				}
			})
		})
	}
}
