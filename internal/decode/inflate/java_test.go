package inflate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestJava decodes what Java's encoder makes at every level and strategy, with and
// without flushes, and resumes at every block. It needs a JDK: javac and java
// (Debian: default-jdk-headless).
func TestJava(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no JDK")
		}
	}
	dir := t.TempDir()
	texts := map[string]string{"lines": lines(120_000), "mixed": mixed(120_000), "noise": noisy(70_000), "short": "a", "empty": ""}
	args := []string{filepath.Join("testdata", "Deflate.java")}
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.CommandContext(t.Context(), "java", args...).CombinedOutput(); err != nil {
		t.Fatalf("java: %v: %s", err, out)
	}
	streams, err := filepath.Glob(filepath.Join(dir, "*.deflate"))
	if err != nil || len(streams) != len(texts)*60 {
		t.Fatalf("got %d streams, %v, want 60 of each text", len(streams), err)
	}
	d := newDecoders()
	for _, path := range streams {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		text := texts[name]
		got, consumed, err := d.decode(data)
		if err != nil || string(got) != text || consumed != int64(len(data)) {
			t.Fatalf("%s: got %d bytes, %d consumed and %v, want %d and %d; first difference at %d",
				filepath.Base(path), len(got), consumed, err, len(text), len(data), difference(got, []byte(text)))
		}
		resumeAll(t, data, []byte(text), 40_000)
	}
}
