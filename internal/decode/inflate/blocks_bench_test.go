package inflate_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// BenchmarkHostile decodes blocks that cost more than their bytes.
func BenchmarkHostile(b *testing.B) {
	for _, o := range hostile.Objects() {
		if o.Codec != "deflate" {
			continue
		}
		data := o.Make(1 << 20)
		b.Run(o.Name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			src := bufio.NewReaderSize(nil, 128<<10)
			r := inflate.NewReader(src)
			for b.Loop() {
				src.Reset(bytes.NewReader(data))
				r.Reset(src)
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
