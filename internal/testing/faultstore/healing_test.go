package faultstore_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

const (
	rangeSize = 64 << 10
	key       = "folder/a key+.gz"
)

// openS3 is thaw's own S3 adaptor on a server, impatient.
func openS3(t *testing.T, v *faultstore.Server) *blob.Store {
	t.Helper()
	q := url.Values{"endpoint": {v.URL}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	s, err := blob.Open(t.Context(), "s3://"+faultstore.Bucket+"?"+q.Encode(), &blob.OpenOptions{
		Retry: &blob.Retry{MinBackoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond, Stall: 300 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a fault may lead to when it strikes once, beside the whole object. Nil is
// no error.
var outcomes = map[faultstore.Kind]error{
	faultstore.Denied:       fs.ErrPermission,
	faultstore.Missing:      fs.ErrNotExist,
	faultstore.Gunzip:       blob.ErrUnsupported,
	faultstore.Replace:      blob.ErrChanged,
	faultstore.ReplaceReset: blob.ErrChanged,
}

// Every kind of fault at every kind of place, by real connections: the bytes are
// exact, or the error names key and offset and the bytes before it are exact.
func TestFaultsHealOverHTTP(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a") // the server does not look
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	data := zipped(3*rangeSize + 1000)
	size := int64(len(data))
	border := size / rangeSize * rangeSize // of the last range
	places := []int64{0, 1, rangeSize / 2, rangeSize - 1, rangeSize, rangeSize + 1, border - 1, border, border + 1, size - 1}
	for _, kind := range faultstore.Kinds(faultstore.Read) {
		for _, place := range places {
			t.Run(fmt.Sprint(kind, " at ", place), func(t *testing.T) {
				t.Parallel()
				s := faultstore.New(&faultstore.Options{Plan: strikeOnce(kind, place)})
				s.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(data), ContentEncoding: "gzip"})
				v, err := faultstore.Serve(s, simstore.Link{})
				if err != nil {
					t.Fatal(err)
				}
				defer v.Close()
				store := openS3(t, v)
				got, err := readAll(t, store)
				store.Close()
				want := outcomes[kind]
				switch {
				case err == nil && !bytes.Equal(got, data):
					t.Errorf("got %d bytes and a clean end, want the %d of the object", len(got), size)
				case !errors.Is(err, want) && err != nil:
					t.Errorf("got %v behind %d bytes, want %v", err, len(got), want)
				case err != nil:
					be, ok := errors.AsType[*blob.Error](err)
					if !ok || be.Key != key || be.Offset != int64(len(got)) || !bytes.HasPrefix(data, got) {
						t.Errorf("got %v behind %d bytes, want the exact ones and their number", err, len(got))
					}
				}
				// A clean end with exact bytes is right for a replaced object too: the
				// next range may have been answered before.
				if c := s.Counts(); c.Struck() == 0 {
					t.Errorf("the fault did not strike: %+v", c)
				}
				v.Close()
				if c := s.Counts(); c.Open != 0 {
					t.Errorf("got %d bodies open, want none", c.Open)
				}
			})
		}
	}
}

// zipped is at least n bytes that a proxy can decompress.
func zipped(n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	r := rand.New(rand.NewPCG(1, 2))
	for b.Len() < n {
		z.Write([]byte{byte(r.Uint32()), byte(r.Uint32() >> 4), 0, 0})
	}
	z.Close()
	return b.Bytes()
}

// strikeOnce strikes the first request for the range that holds a place.
func strikeOnce(kind faultstore.Kind, place int64) faultstore.Plan {
	return func(c faultstore.Call) faultstore.Fault {
		if c.Op != faultstore.Read || c.Try > 0 || place < c.Offset || place >= c.Offset+c.Length {
			return faultstore.Fault{}
		}
		f := faultstore.Fault{Kind: kind, At: place - c.Offset}
		if kind == faultstore.Shifted {
			f.At = 4
		}
		return f
	}
}

func readAll(t *testing.T, store *blob.Store) ([]byte, error) {
	r, err := store.NewReader(t.Context(), key, &blob.ReaderOptions{RangeSize: rangeSize})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
