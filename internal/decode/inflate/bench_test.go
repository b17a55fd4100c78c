//go:build unix

package inflate_test

import (
	"bufio"
	"bytes"
	cflate "compress/flate"
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

	kflate "github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// BenchmarkDecode compares decoders in one process, and tools in theirs. MB/s is
// of the wall, cpu-MB/s of user and system time, start of the tool included; the
// latter is to be looked at on a machine that has other work.
//
// With gzip installed the data is what gzip -6 makes, else what compress/flate does.
func BenchmarkDecode(b *testing.B) {
	samples := []struct {
		name string
		data []byte
	}{
		{"ndjson", []byte(lines(8 << 20))},
		{"go", goSources(16 << 20)},
		{"binary", executable(16 << 20)},
		{"noise", []byte(noisy(4 << 20))},
		{"zeros", make([]byte, 16<<20)},
		{"small", []byte(lines(400))},
	}
	for _, s := range samples {
		if len(s.data) == 0 {
			continue
		}
		body, file := level6(b, s.data)
		for _, impl := range impls {
			b.Run(fmt.Sprintf("data=%s/impl=%s", s.name, impl.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(s.data)))
				read := impl.open()
				start := cpuTime()
				for b.Loop() {
					if n, err := read(body); err != nil || n != int64(len(s.data)) {
						b.Fatalf("got %d bytes and %v", n, err)
					}
				}
				b.ReportMetric(rate(b.N*len(s.data), cpuTime()-start), "cpu-MB/s")
			})
		}
		for _, tool := range [][]string{{"igzip", "-d", "-c"}, {"libdeflate-gunzip", "-c"}, {"gzip", "-d", "-c"}} {
			if _, err := exec.LookPath(tool[0]); err != nil || file == "" || len(s.data) < 1<<20 {
				continue
			}
			b.Run(fmt.Sprintf("data=%s/impl=%s", s.name, tool[0]), func(b *testing.B) {
				b.SetBytes(int64(len(s.data)))
				var used time.Duration
				for b.Loop() {
					cmd := exec.Command(tool[0], append(tool[1:len(tool):len(tool)], file)...)
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
					used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				}
				b.ReportMetric(rate(b.N*len(s.data), used), "cpu-MB/s")
			})
		}
	}
}

// impls open decoders that are reset for every stream.
var impls = []struct {
	name string
	open func() func(data []byte) (int64, error)
}{
	{"own", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		src := bufio.NewReaderSize(in, 128<<10)
		r := inflate.NewReader(src)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			src.Reset(in)
			r.Reset(src)
			return io.Copy(io.Discard, r)
		}
	}},
	{"klauspost", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r := kflate.NewReader(in)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			r.(kflate.Resetter).Reset(in, nil)
			return io.Copy(io.Discard, r)
		}
	}},
	{"std", func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r := cflate.NewReader(in)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			r.(cflate.Resetter).Reset(in, nil)
			return io.Copy(io.Discard, r)
		}
	}},
}

// level6 compresses data. file is the gzip file if gzip made it.
func level6(b *testing.B, data []byte) (body []byte, file string) {
	in := filepath.Join(b.TempDir(), "data")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		b.Fatal(err)
	}
	if exec.Command("gzip", "-6", in).Run() == nil {
		out, err := os.ReadFile(in + ".gz")
		if err != nil {
			b.Fatal(err)
		}
		return gzipBody(out), in + ".gz"
	}
	var out bytes.Buffer
	w, _ := cflate.NewWriter(&out, 6)
	w.Write(data)
	w.Close()
	return out.Bytes(), ""
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

// executable is up to n bytes of this program.
func executable(n int) []byte {
	path, _ := os.Executable()
	data, _ := os.ReadFile(path)
	return data[:min(n, len(data))]
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func rate(bytes int, d time.Duration) float64 { return float64(bytes) / 1e6 / d.Seconds() }
