//go:build unix

package brotli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	library "github.com/andybalholm/brotli"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// BenchmarkDecode compares the Reader and the library. MB/s is of the wall, cpu-MB/s
// of user and system time: the latter is to be looked at on a machine that has other
// work.
func BenchmarkDecode(b *testing.B) {
	for _, s := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 30_000)},
		{"binary", corpus.BinaryBytes(1, 8<<20)},
		{"small", corpus.NDJSONBytes(1, 2)},
	} {
		for _, quality := range []int{1, 6, 9} {
			stored := encode(s.data, quality, 22)
			for _, impl := range impls {
				b.Run(fmt.Sprintf("data=%s/quality=%d/impl=%s", s.name, quality, impl.name), func(b *testing.B) {
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

// impls open decoders that are reset for every stream and read in pieces of 128 KiB.
var impls = []struct {
	name string
	open func() func(stored []byte) (int64, error)
}{
	{"own", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		src := bufio.NewReaderSize(in, 128<<10)
		r, p := brotli.NewReader(), make([]byte, 128<<10)
		return func(stored []byte) (int64, error) {
			in.Reset(stored)
			src.Reset(in)
			r.Reset(src)
			return discard(r, p)
		}
	}},
	{"library", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r, p := library.NewReader(nil), make([]byte, 128<<10)
		return func(stored []byte) (int64, error) {
			in.Reset(stored)
			r.Reset(in)
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

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
