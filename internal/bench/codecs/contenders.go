package main

import (
	"bufio"
	"bytes"
	"cmp"
	stdbzip2 "compress/bzip2"
	stdflate "compress/flate"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	ksnappy "github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/bench/sample"
)

// contender is a codec and what it is compared with.
type contender struct {
	name   string
	of     string   // the codec's name, if it is another
	passes int      // how often a child decodes the file
	slow   bool     // measured on half of the data
	tool   []string // decodes a file to standard output; nil: there is none
	write  []string // tool that encodes standard input; nil, or not installed: a Go library does
	rivals []rival
}

// rival is a Go library. The function it opens decodes one file, and keeps its
// decoder for the next.
type rival struct {
	name string
	open func() opener
}

// opener begins on a file.
type opener func(r *bufio.Reader) (io.Reader, error)

// codec is the name that package codec knows it by.
func (c contender) codec() string { return cmp.Or(c.of, c.name) }

// megabytes are those of its file, of size asked for.
func (c contender) megabytes(size int) int {
	if c.slow {
		return max(size/2, 1)
	}
	return size
}

func (c contender) libraries() []string {
	var names []string
	for _, r := range c.rivals {
		names = append(names, r.name)
	}
	return names
}

// contenders lists all codecs. The first rival is the library that the codec
// stands on or would stand on.
func contenders() []contender {
	return []contender{
		{name: "gzip", passes: 2, tool: []string{"gzip", "-dc"}, write: []string{"gzip", "-6"}, rivals: []rival{
			{"klauspost/compress/gzip", func() opener {
				z := new(gzip.Reader)
				return func(r *bufio.Reader) (io.Reader, error) { return z, z.Reset(r) }
			}},
			{"compress/gzip", func() opener {
				z := new(stdgzip.Reader)
				return func(r *bufio.Reader) (io.Reader, error) { return z, z.Reset(r) }
			}},
		}},
		{name: "zlib", passes: 2, rivals: []rival{
			{"klauspost/compress/zlib", func() opener { return resetting(zlib.NewReader) }},
			{"compress/zlib", func() opener { return resetting(stdzlib.NewReader) }},
		}},
		{name: "deflate", passes: 2, rivals: []rival{
			{"klauspost/compress/flate", func() opener {
				return resetting(func(r io.Reader) (io.ReadCloser, error) { return flate.NewReader(r), nil })
			}},
			{"compress/flate", func() opener {
				return resetting(func(r io.Reader) (io.ReadCloser, error) { return stdflate.NewReader(r), nil })
			}},
		}},
		{name: "zstd", passes: 4, tool: []string{"zstd", "-dc"}, write: []string{"zstd", "-3"}, rivals: []rival{zstdRival}},
		{name: "zstd-no-check", of: "zstd", passes: 4, tool: []string{"zstd", "-dc"}, write: []string{"zstd", "-3", "--no-check"}, rivals: []rival{zstdRival}},
		{name: "lz4", passes: 8, tool: []string{"lz4", "-dc"}, write: []string{"lz4", "-1"}, rivals: []rival{
			{"pierrec/lz4", func() opener {
				z := lz4.NewReader(nil)
				return func(r *bufio.Reader) (io.Reader, error) {
					z.Reset(r)
					return z, z.Apply(lz4.ConcurrencyOption(1))
				}
			}},
		}},
		{name: "snappy", passes: 8, rivals: []rival{
			{"golang/snappy", func() opener {
				z := snappy.NewReader(nil)
				return func(r *bufio.Reader) (io.Reader, error) { z.Reset(r); return z, nil }
			}},
			{"klauspost/compress/snappy", func() opener {
				z := ksnappy.NewReader(nil)
				return func(r *bufio.Reader) (io.Reader, error) { z.Reset(r); return z, nil }
			}},
		}},
		{name: "s2", passes: 8, rivals: []rival{
			{"klauspost/compress/s2", func() opener {
				z := s2.NewReader(nil)
				return func(r *bufio.Reader) (io.Reader, error) { z.Reset(r); return z, nil }
			}},
		}},
		{name: "bzip2", passes: 1, slow: true, tool: []string{"bzip2", "-dc"}, write: []string{"bzip2", "-9"}, rivals: []rival{
			{"compress/bzip2", func() opener {
				return func(r *bufio.Reader) (io.Reader, error) { return stdbzip2.NewReader(r), nil }
			}},
		}},
		{name: "xz", passes: 3, slow: true, tool: []string{"xz", "-dc", "-T1"}, write: []string{"xz", "-6", "-T1"}, rivals: []rival{
			{"ulikunitz/xz", func() opener {
				return func(r *bufio.Reader) (io.Reader, error) { return xz.NewReader(r) }
			}},
		}},
		{name: "lzma", passes: 3, slow: true, tool: []string{"xz", "-dc", "--format=lzma"}, write: []string{"xz", "-6", "--format=lzma"}, rivals: []rival{
			{"ulikunitz/xz/lzma", func() opener {
				return func(r *bufio.Reader) (io.Reader, error) { return lzma.NewReader(r) }
			}},
		}},
		{name: "lzip", passes: 3, slow: true, tool: []string{"lzip", "-dc"}, write: []string{"lzip", "-6"}, rivals: []rival{
			{"ulikunitz/xz/lzma", func() opener { return openLZIP }},
		}},
		{name: "brotli", passes: 2, tool: []string{"brotli", "-dc"}, write: []string{"brotli", "-q", "6", "-c"}, rivals: []rival{
			{"andybalholm/brotli", func() opener {
				z := brotli.NewReader(nil)
				return func(r *bufio.Reader) (io.Reader, error) { return z, z.Reset(r) }
			}},
		}},
	}
}

var zstdRival = rival{"klauspost/compress/zstd", func() opener {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	return func(r *bufio.Reader) (io.Reader, error) {
		if err != nil {
			return nil, err
		}
		return z, z.Reset(r)
	}
}}

// resetting opens with first, then resets what that gave.
func resetting(first func(io.Reader) (io.ReadCloser, error)) opener {
	var z io.ReadCloser
	return func(r *bufio.Reader) (io.Reader, error) {
		if z != nil {
			return z, z.(interface {
				Reset(r io.Reader, dict []byte) error
			}).Reset(r, nil)
		}
		var err error
		z, err = first(r)
		return z, err
	}
}

// openLZIP puts the header of the .lzma format in the place of lzip's. The
// trailer is not read, nor its checksum verified.
func openLZIP(r *bufio.Reader) (io.Reader, error) {
	var head [6]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	log := head[5] & 0x1f
	dict := uint32(1)<<log - uint32(1)<<log/16*uint32(head[5]>>5)
	alone := []byte{0x5d, byte(dict), byte(dict >> 8), byte(dict >> 16), byte(dict >> 24), 255, 255, 255, 255, 255, 255, 255, 255}
	return lzma.NewReader(io.MultiReader(bytes.NewReader(alone), r))
}

func codecNames() []string {
	var names []string
	for _, c := range contenders() {
		names = append(names, c.name)
	}
	return names
}

func codecByName(name string) (contender, bool) {
	all := contenders()
	i := slices.IndexFunc(all, func(c contender) bool { return c.name == name })
	if i < 0 {
		return contender{}, false
	}
	return all[i], true
}

func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// measure is what a child does. A decoder decodes the file once before, for its
// buffers: one that is kept from object to object is what a job has.
func measure(dir string, size int, variant string) (sample.One, error) {
	runtime.GOMAXPROCS(1)
	part := strings.Split(variant, "|")
	c, ok := codecByName(part[0])
	if !ok || len(part) != 3 {
		return sample.One{}, fmt.Errorf("no such variant")
	}
	path := filepath.Join(dir, fileName(c, part[1], size))
	if len(c.tool) > 0 && c.tool[0] == part[2] {
		return measureTool(c, path)
	}
	decode, err := decoderOf(c, part[2])
	if err != nil {
		return sample.One{}, err
	}
	if _, err := decode(path); err != nil {
		return sample.One{}, err
	}
	var one sample.One
	start, spent := time.Now(), sample.CPU()
	for range c.passes {
		n, err := decode(path)
		if err != nil {
			return one, err
		}
		one.Bytes += n
	}
	one.Wall, one.CPU = time.Since(start), sample.CPU()-spent
	return one, nil
}

// measureTool runs a tool on a file and throws its output away. What it decodes
// is believed if it ends well.
func measureTool(c contender, path string) (sample.One, error) {
	var one sample.One
	size, err := decodedSize(path)
	if err != nil {
		return one, err
	}
	start := time.Now()
	for range c.passes {
		cmd := exec.Command(c.tool[0], append(slices.Clone(c.tool[1:]), path)...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return one, fmt.Errorf("%s: %w", c.tool[0], err)
		}
		one.Bytes += size
		one.CPU += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	one.Wall = time.Since(start)
	return one, nil
}

// decoderOf gives a function that decodes a file and counts what comes out.
func decoderOf(c contender, decoder string) (func(path string) (int64, error), error) {
	buf := make([]byte, 256<<10)
	if decoder == "thaw" {
		recipe, err := codec.Default().Lookup(c.codec())
		if err != nil {
			return nil, err
		}
		var d codec.Decoder
		return func(path string) (int64, error) {
			f, err := os.Open(path)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			if d == nil {
				d, err = recipe.NewReader(f, new(codec.Options))
			} else {
				err = d.Reset(f)
			}
			if err != nil {
				return 0, err
			}
			return count(d, buf)
		}, nil
	}
	for _, r := range c.rivals {
		if r.name != decoder {
			continue
		}
		open := r.open()
		in := bufio.NewReaderSize(nil, 128<<10) // as large as thaw's
		return func(path string) (int64, error) {
			f, err := os.Open(path)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			in.Reset(f)
			z, err := open(in)
			if err != nil {
				return 0, err
			}
			return count(z, buf)
		}, nil
	}
	return nil, fmt.Errorf("no decoder %s of %s", decoder, c.name)
}

// count reads r to its end.
func count(r io.Reader, buf []byte) (n int64, err error) {
	for {
		m, err := r.Read(buf)
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
