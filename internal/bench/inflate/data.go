package main

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// kinds of data: the texts that come with Go, logs in JSON, Go's own source, and
// the program go.
var kinds = []string{"text", "json", "go", "binary"}

func fileName(dir, kind string, size int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d.gz", kind, size))
}

// stage writes the file of a kind once and tells its sizes.
func stage(dir, kind string, size int) (decoded, stored int64, err error) {
	path := fileName(dir, kind, size)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var data []byte
		if data, err = makeData(kind, size*1_000_000); err != nil {
			return 0, 0, err
		}
		if b, err = encode(data); err != nil {
			return 0, 0, err
		}
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(path, b, 0o644)
		}
	}
	if err != nil {
		return 0, 0, err
	}
	r, err := stdgzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return 0, 0, err
	}
	decoded, err = io.Copy(io.Discard, r)
	return decoded, int64(len(b)), err
}

// encode is gzip -6, by compress/gzip if gzip is not installed.
func encode(data []byte) ([]byte, error) {
	if _, err := exec.LookPath("gzip"); err == nil {
		cmd := exec.Command("gzip", "-6n")
		cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
		return cmd.Output()
	}
	var b bytes.Buffer
	w, err := stdgzip.NewWriterLevel(&b, 6)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// makeData makes up to size bytes of a kind.
func makeData(kind string, size int) ([]byte, error) {
	root := runtime.GOROOT()
	switch kind {
	case "text":
		return files(root, size, ".md", ".html", ".txt")
	case "json":
		data := corpus.NDJSONBytes(1, size/200)
		return data[:min(len(data), size)], nil
	case "go":
		return files(filepath.Join(root, "src"), size, ".go")
	case "binary":
		b, err := os.ReadFile(filepath.Join(root, "bin", "go"))
		return b[:min(len(b), size)], err
	}
	return nil, fmt.Errorf("no data %q", kind)
}

// files joins those under root with one of the extensions, in order.
func files(root string, size int, ext ...string) (data []byte, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(ext, filepath.Ext(path)) {
			return err
		}
		if len(data) >= size {
			return fs.SkipAll
		}
		b, err := os.ReadFile(path)
		data = append(data, b...)
		return err
	})
	if err == nil && len(data) == 0 {
		err = fmt.Errorf("no %v under %s", ext, root)
	}
	return data[:min(len(data), size)], err
}
