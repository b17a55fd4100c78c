package codec_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// BenchmarkXZ reads into 256 KiB, beside ulikunitz/xz on the same bytes. It
// makes its data with that library, whose matches are shorter than those of the
// xz tool.
func BenchmarkXZ(b *testing.B) {
	for kind, data := range map[string][]byte{
		"ndjson": corpus.NDJSONBytes(1, 20_000),
		"csv":    corpus.CSVBytes(1, 60_000),
		"binary": corpus.BinaryBytes(1, 4<<20),
		"noise":  corpus.NoiseBytes(1, 4<<20),
	} {
		stored := xzWith(xz.WriterConfig{}, data)
		p := make([]byte, 256<<10)
		drain := func(b *testing.B, r io.Reader) {
			for {
				if _, err := r.Read(p); err == io.EOF {
					return
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run("data="+kind+"/by=codec", func(b *testing.B) {
			d, err := lookup(b, "xz").NewReader(bytes.NewReader(nil), new(codec.Options))
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				d.Reset(bytes.NewReader(stored))
				drain(b, d)
			}
		})
		b.Run("data="+kind+"/by=library", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := xz.NewReader(bytes.NewReader(stored))
				if err != nil {
					b.Fatal(err)
				}
				drain(b, r)
			}
		})
	}
}
