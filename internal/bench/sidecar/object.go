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
	"strings"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// kinds of data: logs in JSON, and Go's own source.
var kinds = []string{"json", "go"}

func fileName(dir, kind string, size int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d.gz", kind, size))
}

// object is what gzip -6 makes of a kind of data, one member without a name, and its
// index.
type object struct {
	stored []byte
	form   []byte // of the index
	index  *seek.Index
}

// load reads an object and its index.
func load(path string) (*object, error) {
	o := new(object)
	var err error
	if o.stored, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	if o.form, err = os.ReadFile(path + seek.Extension); err != nil {
		return nil, err
	}
	o.index, err = seek.ReadIndex(bytes.NewReader(o.form))
	return o, err
}

// stage makes the object of a kind once.
func stage(dir, kind string, size int) (*object, error) {
	path := fileName(dir, kind, size)
	o, err := load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	data, err := makeData(kind, size*1_000_000)
	if err != nil {
		return nil, err
	}
	stored, err := encode(data)
	if err != nil {
		return nil, err
	}
	form, err := makeIndex(stored)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, stored, 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path+seek.Extension, form, 0o644); err != nil {
		return nil, err
	}
	return load(path)
}

func makeIndex(stored []byte) ([]byte, error) {
	d, err := gzip().NewReader(bytes.NewReader(stored), new(codec.Options))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	ix, err := seek.NewIndexer(d, "gzip", nil)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, ix); err != nil {
		return nil, err
	}
	x, err := ix.Index()
	if err != nil {
		return nil, err
	}
	return x.AppendBinary(nil)
}

func gzip() codec.Codec {
	c, _ := codec.Default().Lookup("gzip")
	return c
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
	if kind == "json" {
		data := corpus.NDJSONBytes(1, size/200)
		return data[:min(len(data), size)], nil
	}
	var data []byte
	root := filepath.Join(runtime.GOROOT(), "src")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
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
		err = fmt.Errorf("no Go sources under %s", root)
	}
	return data[:min(len(data), size)], err
}
