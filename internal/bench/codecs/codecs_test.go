package main

import (
	"path/filepath"
	"testing"
)

// TestContenders: every decoder of every codec decodes the whole of its file,
// again after a reset.
func TestContenders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range contenders() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := stage(dir, c, "ndjson", 1)
			if err != nil {
				t.Fatal(err)
			}
			if f.decoded != 1_000_000 || f.stored <= 0 || f.stored >= f.decoded {
				t.Errorf("got %d bytes of %d", f.stored, f.decoded)
			}
			for _, name := range append([]string{"thaw"}, c.libraries()...) {
				decode, err := decoderOf(c, name)
				if err != nil {
					t.Fatal(err)
				}
				for pass := range 2 {
					n, err := decode(filepath.Join(dir, fileName(c, "ndjson", 1)))
					if err != nil || n != f.decoded {
						t.Errorf("%s, pass %d: got %d bytes, %v; want %d", name, pass, n, err, f.decoded)
					}
				}
			}
		})
	}
}

func TestMakeData(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		data, err := makeData(kind, 300_000)
		if err != nil || len(data) != 300_000 {
			t.Errorf("%s: got %d bytes, %v; want 300000", kind, len(data), err)
		}
	}
}
