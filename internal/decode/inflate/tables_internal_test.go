package inflate

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// TestTablesWait: of blocks without data only the first gets tables.
func TestTablesWait(t *testing.T) {
	t.Parallel()
	for _, o := range hostile.Objects() {
		if o.Codec != "deflate" {
			continue
		}
		d := new(Decoder)
		d.Reset(bufio.NewReader(bytes.NewReader(o.Make(10_000))))
		d.StopAt(0)
		slab := make([]byte, 1<<12)
		made := 0
		for {
			d.ownLit[0] = ^entry(0)
			_, err := d.Fill(slab, 0)
			if d.ownLit[0] != ^entry(0) {
				made++
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", o.Name, err)
			}
		}
		if made > 1 {
			t.Errorf("%s: tables of %d blocks were made, want one at most", o.Name, made)
		}
	}
}
