// Package decodebench benchmarks decoders beside one another.
package decodebench

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
)

// Decoder is one of the decoders that are compared.
type Decoder struct {
	Name string

	// Open returns a function that decodes a whole object and returns the number of
	// decoded bytes. It may keep its decoder from call to call.
	Open func() func(stored []byte) (int64, error)
}

// Decoders runs the benchmark name/impl=NAME for each of all. stored decodes to size
// bytes. MB/s is of the wall, cpu-MB/s of user and system time: look at the latter on a
// machine that has other work.
func Decoders(b *testing.B, name string, stored []byte, size int, all []Decoder) {
	for _, d := range all {
		b.Run(name+"/impl="+d.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			decode := d.Open()
			start := cpuTime()
			for b.Loop() {
				if n, err := decode(stored); err != nil || n != int64(size) {
					b.Fatalf("got %d bytes and %v, want %d", n, err, size)
				}
			}
			ReportCPU(b, size, cpuTime()-start)
		})
	}
}

// ReportCPU reports the rate of a benchmark whose operations of size bytes used so
// much processor time in all.
func ReportCPU(b *testing.B, size int, used time.Duration) {
	b.ReportMetric(float64(b.N)*float64(size)/1e6/used.Seconds(), "cpu-MB/s")
}

func cpuTime() time.Duration {
	user, system := meter.CPU()
	return user + system
}

// Discard reads all of r by calls of Read into p, and returns how many bytes it had.
func Discard(r io.Reader, p []byte) (n int64, err error) {
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

// GoSources returns up to n bytes of the standard library's source, none where there
// is no go command.
func GoSources(n int) (all []byte) {
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

// Program returns up to n bytes of the program that runs.
func Program(n int) []byte {
	path, _ := os.Executable()
	data, _ := os.ReadFile(path)
	return data[:min(n, len(data))]
}
