//go:build unix

package zstd_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// BenchmarkDecode compares the Reader and the library, set as package codec sets
// it, on frames without a checksum. MB/s is of the wall, cpu-MB/s of user and
// system time: the latter is to be looked at on a machine that has other work.
//
// Data is what the tool zstd makes, if it is installed, else what the library does.
func BenchmarkDecode(b *testing.B) {
	for _, s := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 70_000)},
		{"source", goSources(16 << 20)},
		{"binary", corpus.BinaryBytes(1, 16<<20)},
		{"program", program(16 << 20)},
		{"small", corpus.NDJSONBytes(1, 2)},
	} {
		if len(s.data) == 0 {
			continue
		}
		for _, level := range []int{3, 19} {
			stored := stored(b, s.data, level)
			for _, impl := range impls {
				b.Run(fmt.Sprintf("data=%s/level=%d/impl=%s", s.name, level, impl.name), func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(len(s.data)))
					read := impl.open()
					start := cpuTime()
					for b.Loop() {
						if n, err := read(stored); err != nil || n != int64(len(s.data)) {
							b.Fatalf("got %d bytes and %v", n, err)
						}
					}
					used := cpuTime() - start
					b.ReportMetric(float64(b.N)*float64(len(s.data))/1e6/used.Seconds(), "cpu-MB/s")
				})
			}
		}
	}
}

// impls open decoders that are reset for every file and read in pieces of 128 KiB.
var impls = []struct {
	name string
	open func() func(data []byte) (int64, error)
}{
	{"own", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		src := bufio.NewReaderSize(in, 128<<10)
		f, p := newFrames(), make([]byte, 128<<10)
		return func(data []byte) (n int64, err error) {
			in.Reset(data)
			src.Reset(in)
			f.each = func() error {
				k, err := discard(f.r, p)
				n += k
				return err
			}
			_, err = f.frame(nil, src)
			return n, err
		}
	}},
	{"klauspost", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r, err := kzstd.NewReader(nil, kzstd.WithDecoderConcurrency(1), kzstd.WithDecoderMaxWindow(1<<30))
		if err != nil {
			panic(err)
		}
		p := make([]byte, 128<<10)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			if err := r.Reset(struct{ io.Reader }{in}); err != nil {
				return 0, err
			}
			return discard(r, p)
		}
	}},
}

func discard(r io.Reader, p []byte) (n int64, err error) {
	for {
		k, err := r.Read(p)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// stored is data compressed without a checksum.
func stored(b *testing.B, data []byte, level int) []byte {
	if _, err := exec.LookPath("zstd"); err == nil {
		return tool(b, data, fmt.Sprint("-", level), "--no-check")
	}
	return encode(data, false, kzstd.WithEncoderLevel(kzstd.EncoderLevelFromZstd(level)), kzstd.WithEncoderCRC(false))
}

// goSources is up to n bytes of the standard library's source.
func goSources(n int) (all []byte) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			text, _ := os.ReadFile(path)
			all = append(all, text...)
		}
		if len(all) >= n {
			return fs.SkipAll
		}
		return nil
	})
	return all[:min(n, len(all))]
}

// program is up to n bytes of this program.
func program(n int) []byte {
	path, _ := os.Executable()
	data, _ := os.ReadFile(path)
	return data[:min(n, len(data))]
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
