package inflate_test

import (
	"bytes"
	cflate "compress/flate"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	kflate "github.com/klauspost/compress/flate"
)

// TestEncoders decodes what many encoders make of data of several kinds, and
// resumes at every block.
func TestEncoders(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"lines": lines(120_000),
		"mixed": mixed(120_000),
		"noise": noisy(70_000),
		"zeros": string(make([]byte, 200_000)),
		"short": "a",
		"empty": "",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			d := newDecoders()
			try := func(encoder string, data []byte) {
				t.Helper()
				got, consumed, err := d.decode(data)
				if err != nil || string(got) != text || consumed != int64(len(data)) {
					t.Fatalf("%s: got %d bytes, %d consumed and %v, want %d and %d; first difference at %d",
						encoder, len(got), consumed, err, len(text), len(data), difference(got, []byte(text)))
				}
				resumeAll(t, data, []byte(text), 40_000)
			}
			for level := -2; level <= 9; level++ {
				var b bytes.Buffer
				w, err := cflate.NewWriter(&b, level)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(w, text)
				w.Close()
				try(fmt.Sprint("compress/flate ", level), b.Bytes())
			}
			for level := kflate.HuffmanOnly; level <= 9; level++ {
				try(fmt.Sprint("klauspost ", level), deflate(text, level, max(1, len(text))))
			}
			for _, args := range tools {
				if _, err := exec.LookPath(args[0]); err == nil {
					in, err := os.Open(file)
					if err != nil {
						t.Fatal(err)
					}
					cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
					cmd.Stdin = in
					out, err := cmd.Output()
					in.Close()
					if err != nil {
						t.Fatalf("%v: %v", args, err)
					}
					try(fmt.Sprint(args), gzipBody(out))
				}
			}
		})
	}
}

// tools write gzip; those that are not installed are left out.
var tools = func() (t [][]string) {
	for _, level := range []string{"-1", "-6", "-9"} {
		t = append(t, []string{"gzip", "-n", level, "-c"}, []string{"pigz", "-n", level, "-c"})
	}
	t = append(t, []string{"pigz", "-n", "-11", "-I", "1", "-c"}, []string{"pigz", "-n", "-b", "128", "-i", "-c"})
	for level := range 4 {
		t = append(t, []string{"igzip", fmt.Sprint("-", level), "-c"})
	}
	for level := 1; level <= 12; level++ {
		t = append(t, []string{"libdeflate-gzip", fmt.Sprint("-", level), "-c"})
	}
	return append(t, []string{"zopfli", "--i1", "-c", "/dev/stdin"})
}()

// gzipBody is the deflate stream of a gzip member with no more than a name in its
// header.
func gzipBody(b []byte) []byte {
	head := 10
	if b[3]&8 != 0 {
		head += bytes.IndexByte(b[head:], 0) + 1
	}
	return b[head : len(b)-8]
}
