package frame_test

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// benchSlab is the size of the pipeline's slabs.
const benchSlab = 256 << 10

// lineData is about one slab of lines of size bytes, line feed included.
func lineData(size int) []byte {
	line := strings.Repeat("x", size-1) + "\n"
	return []byte(strings.Repeat(line, benchSlab/size))
}

// benchScan measures one framer on data that ends with a record.
func benchScan(b *testing.B, f frame.Framer, data []byte) {
	b.Helper()
	s, err := f.New(&frame.Options{Offset: 1})
	if err != nil {
		b.Fatal(err)
	}
	ends := make([]uint32, 0, len(data))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if ends, err = s.Scan(data, false, ends[:0]); err != nil {
			b.Fatal(err)
		}
	}
	if len(ends) == 0 {
		b.Fatal("no record")
	}
}

// BenchmarkLines sets the line framers beside a bare bytes.IndexByte loop and
// bufio.Scanner.
func BenchmarkLines(b *testing.B) {
	for _, size := range []int{80, 240} {
		data := lineData(size)
		b.Run(fmt.Sprintf("framer=IndexByte/line=%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				n := 0
				for rest := data; ; n++ {
					i := bytes.IndexByte(rest, '\n')
					if i < 0 {
						break
					}
					rest = rest[i+1:]
				}
				if n != len(data)/size {
					b.Fatal(n)
				}
			}
		})
		b.Run(fmt.Sprintf("framer=bufio.Scanner/line=%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			buf := make([]byte, 64<<10)
			for b.Loop() {
				s := bufio.NewScanner(bytes.NewReader(data))
				s.Buffer(buf, len(buf))
				n := 0
				for s.Scan() {
					n++
				}
				if n != len(data)/size {
					b.Fatal(n)
				}
			}
		})
		for _, name := range []string{"lines", "ndjson", "delim:0a", "delim:780a"} {
			b.Run(fmt.Sprintf("framer=%s/line=%d", name, size), func(b *testing.B) {
				benchScan(b, lookup(b, name), data)
			})
		}
	}
}
