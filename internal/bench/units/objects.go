package main

import (
	"bytes"
	stdbzip2 "compress/bzip2"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	ksnappy "github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// object is what is read, and whom it is compared with.
type object struct {
	name   string // of the file
	unit   int    // bytes of data in each unit; 0: one unit
	slow   int    // how many times less data it has
	encode func(data []byte) ([]byte, error)
	end    []byte // after the last unit
	peers  []peer
}

// peer is the reader of a library.
type peer struct {
	name string
	open func(io.Reader) (io.Reader, error)
}

func objects() []object {
	gz := []peer{{"klauspost/gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }}}
	zs := []peer{
		{"klauspost/zstd, one goroutine", klauspostZstd(zstd.WithDecoderConcurrency(1))},
		{"klauspost/zstd", klauspostZstd()},
	}
	lz := []peer{
		{"pierrec/lz4", func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }},
		{"pierrec/lz4, concurrent", func(r io.Reader) (io.Reader, error) {
			z := lz4.NewReader(r)
			return z, z.Apply(lz4.ConcurrencyOption(runtime.NumCPU()))
		}},
	}
	return []object{
		{name: "bgzf.gz", unit: 65280, encode: func(p []byte) ([]byte, error) { return corpus.BGZF(p), nil }, end: corpus.BGZF(nil), peers: gz},
		{name: "members.gz", unit: 4 << 20, encode: gzipped, peers: gz},
		{name: "single.gz", encode: gzipped, peers: gz},
		{name: "frames.zst", unit: 8 << 20, encode: zstandard, peers: zs},
		{name: "single.zst", encode: zstandard, peers: zs},
		{name: "chunks.sz", encode: chunks(func(w io.Writer) io.WriteCloser { return ksnappy.NewBufferedWriter(w) }), peers: []peer{
			{"golang/snappy", func(r io.Reader) (io.Reader, error) { return snappy.NewReader(r), nil }},
			{"klauspost/s2", func(r io.Reader) (io.Reader, error) { return s2.NewReader(r), nil }},
		}},
		{name: "chunks.s2", encode: chunks(func(w io.Writer) io.WriteCloser { return s2.NewWriter(w) }), peers: []peer{
			{"klauspost/s2", func(r io.Reader) (io.Reader, error) { return s2.NewReader(r), nil }},
		}},
		{name: "frames.lz4", unit: 8 << 20, encode: chunks(func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }), peers: lz},
		{name: "single.lz4", encode: chunks(func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }), peers: lz},
		{name: "streams.bz2", unit: 900_000, slow: 4, encode: func(p []byte) ([]byte, error) { return corpus.Encode("bzip2", p) }, peers: []peer{
			{"compress/bzip2", func(r io.Reader) (io.Reader, error) { return stdbzip2.NewReader(r), nil }},
		}},
	}
}

func klauspostZstd(opts ...zstd.DOption) func(io.Reader) (io.Reader, error) {
	return func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, opts...) }
}

func gzipped(p []byte) ([]byte, error) {
	return chunks(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })(p)
}

func zstandard(p []byte) ([]byte, error) {
	return chunks(func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w)
		return z
	})(p)
}

// chunks encodes by a writer.
func chunks(open func(io.Writer) io.WriteCloser) func([]byte) ([]byte, error) {
	return func(p []byte) ([]byte, error) {
		var b bytes.Buffer
		w := open(&b)
		if _, err := w.Write(p); err != nil {
			return nil, err
		}
		err := w.Close()
		return b.Bytes(), err
	}
}

// stage writes the object once.
func (o *object) stage(dir string, size int) error {
	path := filepath.Join(dir, o.name)
	mark := fmt.Sprintf("%s.%d", path, size)
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: staging\n", o.name)
	data := corpus.NDJSONBytes(1, (size<<20/max(1, o.slow))/250)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for len(data) > 0 {
		n := len(data)
		if o.unit > 0 {
			n = min(n, o.unit)
		}
		b, err := o.encode(data[:n])
		if err == nil {
			_, err = f.Write(b)
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	if _, err := f.Write(o.end); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o644)
}
