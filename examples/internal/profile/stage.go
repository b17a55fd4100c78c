package profile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// set is a folder of made-up objects.
type set struct {
	dir     string
	objects int
	decoded int64 // bytes before compression
	stored  int64
}

// packings are the codecs of the set, each with the extension of its objects.
var packings = []struct{ codec, extension string }{
	{"none", ""}, {"gzip", ".gz"}, {"zstd", ".zst"}, {"lz4", ".lz4"}, {"snappy", ".sz"},
}

// parts are the objects that the set holds in each codec.
var parts = []struct {
	name string
	data func(seed uint64) []byte
}{
	{"events-1.ndjson", func(seed uint64) []byte { return corpus.NDJSONBytes(seed, 18_000) }},
	{"events-2.ndjson", func(seed uint64) []byte { return corpus.NDJSONBytes(seed, 18_000) }},
	{"orders.csv", func(seed uint64) []byte { return corpus.CSVBytes(seed, 30_000) }},
	{"pages.bin", func(seed uint64) []byte { return corpus.BinaryBytes(seed, 2<<20) }},
}

// stage makes the set in a temporary folder: about 64 MB before compression, the
// same for every call.
func stage(ctx context.Context) (*set, error) {
	dir, err := os.MkdirTemp("", "thaw-profile-")
	if err != nil {
		return nil, err
	}
	s := &set{dir: dir}
	if err := s.fill(ctx); err != nil {
		s.remove()
		return nil, fmt.Errorf("staging: %w", err)
	}
	return s, nil
}

func (s *set) fill(ctx context.Context) error {
	for i, p := range packings {
		dir := filepath.Join(s.dir, p.codec)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		for k, part := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			data := part.data(uint64(len(parts)*i + k + 1))
			stored, err := corpus.Encode(p.codec, data)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, part.name+p.extension), stored, 0o666); err != nil {
				return err
			}
			s.objects++
			s.decoded += int64(len(data))
			s.stored += int64(len(stored))
		}
	}
	return nil
}

func (s *set) remove() error { return os.RemoveAll(s.dir) }
