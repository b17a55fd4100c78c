package blob_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// BenchmarkReader reads an object in slab-sized pieces. direct is the way of local
// stores and the ceiling; ahead is the way of remote ones, over the same memory.
func BenchmarkReader(b *testing.B) {
	const size = 64 << 20
	mem := memstore.New()
	local := blob.New(mem, nil)
	if _, err := local.Put(b.Context(), "k", &zeros{left: size}, size, nil); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		way   string
		store driver.Driver
	}{{"direct", mem}, {"ahead", remote{mem}}} {
		for _, buf := range []int{4 << 10, 256 << 10} {
			b.Run(fmt.Sprintf("way=%s/buf=%dKiB", c.way, buf>>10), func(b *testing.B) {
				s := blob.New(c.store, nil)
				p := make([]byte, buf)
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					r, err := s.NewReader(b.Context(), "k", nil)
					if err != nil {
						b.Fatal(err)
					}
					for err == nil {
						_, err = r.Read(p)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
					r.Close()
				}
			})
		}
	}
}

// zeros is left zero bytes.
type zeros struct{ left int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	clear(p[:n])
	z.left -= n
	return n, nil
}
