package inflate_test

import (
	"bufio"
	"bytes"
	cflate "compress/flate"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	kflate "github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/decodebench"
)

// BenchmarkDecode compares decoders in one process, and tools in theirs, whose start
// counts.
//
// With gzip installed the data is what gzip -6 makes, else what compress/flate does.
func BenchmarkDecode(b *testing.B) {
	samples := []struct {
		name string
		data []byte
	}{
		{"ndjson", []byte(lines(8 << 20))},
		{"go", decodebench.GoSources(16 << 20)},
		{"binary", decodebench.Program(16 << 20)},
		{"noise", []byte(noisy(4 << 20))},
		{"zeros", make([]byte, 16<<20)},
		{"small", []byte(lines(400))},
	}
	for _, s := range samples {
		if len(s.data) == 0 {
			continue
		}
		body, file := level6(b, s.data)
		decodebench.Decoders(b, "data="+s.name, body, len(s.data), impls)
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
				decodebench.ReportCPU(b, len(s.data), used)
			})
		}
	}
}

// impls open decoders that are reset for every stream.
var impls = []decodebench.Decoder{
	{Name: "own", Open: func() func([]byte) (int64, error) {
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
	{Name: "klauspost", Open: func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r := kflate.NewReader(in)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			r.(kflate.Resetter).Reset(in, nil)
			return io.Copy(io.Discard, r)
		}
	}},
	{Name: "std", Open: func() func([]byte) (int64, error) {
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
