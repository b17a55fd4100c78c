//go:build unix

package kills_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os/exec"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// object is one object of the source, and the sums of its records in order.
type object struct {
	key    string
	stored []byte
	sums   []uint64
}

// sum is the sum of a record's data.
func sum(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}

// kinds make an object of n records, each by its framer.
var kinds = []struct {
	frame string
	make  func(seed uint64, n int) (data []byte, records [][]byte)
}{
	{"lines", func(seed uint64, n int) ([]byte, [][]byte) {
		data := corpus.NDJSONBytes(seed, n)
		return data, bytes.Split(data, []byte("\n"))[:n]
	}},
	{"csv", func(seed uint64, n int) (data []byte, records [][]byte) {
		for i := range n {
			row := fmt.Appendf(nil, "%d,%d,\"a field that has%s a \"\"line\"\"\n\n, and more\",%x", seed, i, strings.Repeat(" so", i%7), seed*uint64(i+1))
			records = append(records, row)
			data = append(append(data, row...), '\n')
		}
		return data, records
	}},
	{"json-array", func(seed uint64, n int) (data []byte, records [][]byte) {
		data = append(data, '[')
		for i := range n {
			element := fmt.Appendf(nil, `{"seed":%d,"i":%d,"text":"] [ { \" %s","nested":[%d,[%d]]}`, seed, i, strings.Repeat("é,", i%5), i, seed)
			records = append(records, element)
			if i > 0 {
				data = append(data, ',', '\n')
			}
			data = append(data, element...)
		}
		return append(data, ']', '\n'), records
	}},
	{"tar", func(seed uint64, n int) ([]byte, [][]byte) {
		var b bytes.Buffer
		var records [][]byte
		w := tar.NewWriter(&b)
		for i := range n {
			body := []byte(strings.Repeat(fmt.Sprintf("file %d of %d\n", i, seed), i%40))
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("dir/%d.txt", i), Mode: 0o644, Size: int64(len(body))})
			w.Write(body)
			records = append(records, body)
		}
		w.Close()
		return b.Bytes(), records
	}},
}

// tools are the commands that encode the codecs for which package corpus has no
// encoder.
var tools = map[string][]string{
	"xz": {"xz", "-c", "-1", "--block-size=64KiB"}, "lzma": {"xz", "-c", "-1", "--format=lzma"}, "lzip": {"lzip", "-c", "-1"},
}

func encode(codec string, data []byte) ([]byte, error) {
	command, ok := tools[codec]
	if !ok {
		return corpus.Encode(codec, data)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(data)
	return cmd.Output()
}

// extensions name the codecs whose content does not.
var extensions = map[string]string{"brotli": ".br", "deflate": ".deflate", "zlib": ".zz", "lzma": ".lzma"}

// makeObjects makes objects of all codecs whose encoder is here, with about the given
// number of records together. Some objects have none, and some have several members.
func makeObjects(t *testing.T, kind, objects, records int) (all []object) {
	t.Helper()
	codecs := []string{"none", "gzip", "zlib", "deflate", "zstd", "lz4", "snappy", "s2", "bzip2", "brotli"}
	for _, name := range []string{"xz", "lzma", "lzip"} {
		if _, err := exec.LookPath(tools[name][0]); err == nil {
			codecs = append(codecs, name)
		} else {
			t.Logf("no encoder for %s: %v", name, err)
		}
	}
	for i := range objects {
		codec := codecs[i%len(codecs)]
		n := 2 * records / objects * (i % 23) / 22
		data, recs := kinds[kind].make(uint64(i+1), n)
		o := object{key: fmt.Sprintf("%04d-%s%s", i, codec, extensions[codec])}
		for _, r := range recs {
			o.sums = append(o.sums, sum(r))
		}
		parts := [][]byte{data}
		if i%3 == 1 && (codec == "gzip" || codec == "zstd" || codec == "lz4" || codec == "bzip2" || codec == "xz" || codec == "lzip") {
			parts = [][]byte{data[:len(data)/3], data[len(data)/3:]}
		}
		for _, p := range parts {
			stored, err := encode(codec, p)
			if err != nil {
				t.Fatalf("%s: %v", codec, err)
			}
			o.stored = append(o.stored, stored...)
		}
		all = append(all, o)
	}
	return all
}

// row is what the sink writes of a record: its object, index, id and data, in a fixed
// number of bytes, so that a row that a kill has torn is known by its length.
type row struct {
	object, index uint32
	id, sum       uint64
}

const rowSize = 24

func (r row) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, r.object)
	b = binary.LittleEndian.AppendUint32(b, r.index)
	b = binary.LittleEndian.AppendUint64(b, r.id)
	return binary.LittleEndian.AppendUint64(b, r.sum)
}

func rowAt(b []byte) row {
	return row{
		binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]),
		binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]),
	}
}
