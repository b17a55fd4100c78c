package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// kinds of data.
var kinds = []string{"ndjson", "source", "binary"}

// file is an encoded file.
type file struct {
	stored, decoded int64
	writer          string
}

// fileName is that of the encoded file.
func fileName(c contender, kind string, size int) string {
	variant, _ := strings.CutPrefix(c.name, c.codec())
	return fmt.Sprintf("%s-%d%s%s", kind, c.megabytes(size), variant, extension(c.codec()))
}

// extension is one that the tools accept.
func extension(name string) string {
	c, _ := codec.Default().Lookup(name)
	if len(c.Extensions) == 0 {
		return "." + name
	}
	return c.Extensions[0]
}

// stage encodes the data once.
func stage(dir string, c contender, kind string, size int) (file, error) {
	path := filepath.Join(dir, fileName(c, kind, size))
	var f file
	if b, err := os.ReadFile(path + ".json"); err == nil {
		var s staged
		if err := json.Unmarshal(b, &s); err != nil {
			return f, err
		}
		return file{stored: s.Stored, decoded: s.Decoded, writer: s.Writer}, nil
	}
	fmt.Fprintf(os.Stderr, "%s of %s: encoding ", c.name, kind)
	defer fmt.Fprintln(os.Stderr)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return f, err
	}
	data, err := makeData(kind, c.megabytes(size)*1_000_000)
	if err != nil {
		return f, err
	}
	stored, writer, err := encode(c, data)
	if err != nil {
		return f, err
	}
	if err := os.WriteFile(path, stored, 0o644); err != nil {
		return f, err
	}
	s := staged{Stored: int64(len(stored)), Decoded: int64(len(data)), Writer: writer}
	b, err := json.Marshal(s)
	if err != nil {
		return f, err
	}
	return file{stored: s.Stored, decoded: s.Decoded, writer: writer}, os.WriteFile(path+".json", b, 0o644)
}

// staged is what is kept beside an encoded file.
type staged struct {
	Stored, Decoded int64
	Writer          string
}

func decodedSize(path string) (int64, error) {
	b, err := os.ReadFile(path + ".json")
	if err != nil {
		return 0, err
	}
	var s staged
	err = json.Unmarshal(b, &s)
	return s.Decoded, err
}

// makeData makes size bytes of a kind.
func makeData(kind string, size int) ([]byte, error) {
	switch kind {
	case "ndjson":
		data := corpus.NDJSONBytes(1, size/200)
		return data[:min(len(data), size)], nil
	case "binary":
		return corpus.BinaryBytes(1, size), nil
	case "source":
		return source(size)
	}
	return nil, fmt.Errorf("no data %q; known are %s", kind, strings.Join(kinds, ", "))
}

// source is the Go code of the standard library, file after file, begun anew if
// it is too short.
func source(size int) ([]byte, error) {
	var data []byte
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	for len(data) < size {
		before := len(data)
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
		if err != nil {
			return nil, err
		}
		if len(data) == before {
			return nil, fmt.Errorf("no Go code under %s", root)
		}
	}
	return data[:size], nil
}

// encode writes data with the format's tool if it is installed, else with a Go
// library.
func encode(c contender, data []byte) (stored []byte, writer string, err error) {
	if len(c.write) > 0 && installed(c.write[0]) {
		cmd := exec.Command(c.write[0], c.write[1:]...)
		cmd.Stdin = bytes.NewReader(data)
		cmd.Stderr = os.Stderr
		stored, err = cmd.Output()
		return stored, strings.Join(c.write, " "), err
	}
	switch c.name {
	case "xz":
		stored, err = written(data, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	case "lzma":
		stored, err = written(data, func(w io.Writer) (io.WriteCloser, error) { return lzma.NewWriter(w) })
	case "lzip":
		stored, err = lzipMember(data)
	case "zstd-no-check":
		stored, err = written(data, func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderCRC(false))
		})
	default:
		stored, err = corpus.Encode(c.codec(), data)
	}
	return stored, "Go library", err
}

func written(data []byte, open func(io.Writer) (io.WriteCloser, error)) ([]byte, error) {
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// lzipMember wraps LZMA with an end marker into a member of lzip: its header for
// that of the .lzma format, and its trailer.
func lzipMember(data []byte) ([]byte, error) {
	const dictLog = 23
	alone, err := written(data, func(w io.Writer) (io.WriteCloser, error) {
		return lzma.WriterConfig{DictCap: 1 << dictLog, EOSMarker: true}.NewWriter(w)
	})
	if err != nil {
		return nil, err
	}
	b := slices.Concat([]byte("LZIP\x01"), []byte{dictLog}, alone[13:])
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	return binary.LittleEndian.AppendUint64(b, uint64(len(b)+8)), nil
}

// toolVersions lists the tools that are installed, with their versions.
func toolVersions() string {
	var list []string
	for _, c := range contenders() {
		if len(c.tool) == 0 || !installed(c.tool[0]) || c.name == "lzma" || c.of != "" {
			continue
		}
		cmd := exec.Command(c.tool[0], "--version")
		cmd.Stdin = strings.NewReader("") // bzip2 goes on to compress
		out, _ := cmd.CombinedOutput()
		version := "unknown version"
		for _, word := range strings.Fields(string(out)) {
			if v := strings.Trim(word, "v,*"); strings.Count(v, ".") > 0 && v[0] >= '0' && v[0] <= '9' {
				version = v
				break
			}
		}
		list = append(list, c.tool[0]+" "+version)
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
