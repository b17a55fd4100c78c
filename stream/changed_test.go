package stream_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// A file that is written to while it is read is ErrChanged, whatever the bytes of two
// versions look like to decoder and framer. What is wrong in a file that nobody touches
// stays what it is.
func TestFileOverwrittenWhileItIsRead(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte(`{"a":1}`+"\n"), 1<<17)
	noise := corpus.NoiseBytes(1, 1<<20)
	plain := func(codec string) []byte { return encode(t, codec, corpus.NDJSONBytes(2, 20000)) }
	for _, c := range []struct {
		name   string // of the file
		data   []byte
		framer string
		with   func(old []byte) []byte // what is written over its second half; nil: nothing is
		want   stream.Class
	}{
		{"corrupt.gz", plain("gzip"), "lines", func([]byte) []byte { return noise }, stream.ClassChanged},
		{"corrupt.zst", plain("zstd"), "lines", func([]byte) []byte { return noise }, stream.ClassChanged},
		{"corrupt.bz2", plain("bzip2"), "lines", func([]byte) []byte { return noise }, stream.ClassChanged},
		{"checksum.lz4", plain("lz4"), "lines", flipped, stream.ClassChanged},
		{"records.json", text, "json", func([]byte) []byte { return bytes.Repeat([]byte("}"), 1<<18) }, stream.ClassChanged},
		{"oversized.txt", text, "lines", func(old []byte) []byte { return bytes.Repeat([]byte("x"), len(old)) }, stream.ClassChanged},
		{"damaged.gz", flipped(plain("gzip")), "lines", nil, stream.ClassCorrupt},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		s := folderStore(t, dir)
		obj, err := s.Stat(t.Context(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		overwrite := func() {
			if c.with == nil {
				return
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			half := int64(len(c.data) / 2)
			f.WriteAt(c.with(c.data[half:]), half)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, obj.ModTime.Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			c.with = nil
		}
		var got error
		for _, err := range stream.Records(t.Context(), s, c.name, &stream.RecordsOptions{Read: stream.ReadOptions{Frame: c.framer, MaxRecord: 64 << 10}}) {
			if err != nil {
				got = err
				break
			}
			overwrite()
		}
		if class := stream.ClassOf(got); class != c.want {
			t.Errorf("%s: got class %v of %v, want %v", c.name, class, got, c.want)
		}
	}
}

// flipped is data with other bytes in its middle.
func flipped(data []byte) []byte {
	d := bytes.Clone(data)
	for i := len(d) / 2; i < len(d)/2+1000; i++ {
		d[i] ^= 0x55
	}
	return d
}
