package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// framing is what ordinary data takes for a byte, by framer.
var framing = map[string]float64{}

// records measures what a framer does with data: it finds the records and takes the
// body of each.
func (r *report) records(data hostile.Records, size int) {
	f, err := frame.Default().Lookup(data.Framer)
	if err != nil {
		panic(err)
	}
	base, ok := framing[data.Framer]
	if !ok {
		plain := recordsFor(data.Framer)
		base = measure(func() int64 {
			n, err := cut(f, plain)
			if err != nil {
				panic(data.Framer + ": " + err.Error())
			}
			return n
		})
		framing[data.Framer] = base
		fmt.Printf("| %s | ordinary | frame | %.3f | 1 |\n", data.Framer, base)
	}
	bad := data.Make(size)
	r.row(data.Framer, data.Name, "frame", base, func() int64 {
		n, _ := cut(f, bad)
		return max(n, 1)
	})
}

// cut reads plain data into a slab and cuts it into records as a lane does: what is
// left of a record moves to the front of the next slab, and a record that does not
// fit there gets a larger one. It returns how many stored and decoded bytes it went
// through.
func cut(f frame.Framer, data []byte) (int64, error) {
	none, _ := codec.Default().Lookup("none")
	d, err := none.NewReader(bytes.NewReader(data), new(codec.Options))
	if err != nil {
		return 0, err
	}
	s, err := f.New(new(frame.Options))
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 192<<10)
	var ends []uint32
	have, base := 0, int64(0)
	for eof := false; !eof; {
		if have == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		n, err := d.Read(buf[have:min(len(buf), have+128<<10)])
		have += n
		if eof = err == io.EOF; err != nil && !eof {
			return base, err
		}
		if ends, err = s.Scan(buf[:have], eof, ends[:0]); err != nil {
			return 2 * (base + int64(have)), err
		}
		at := 0
		for _, end := range ends {
			if raw := buf[at:end]; f.Body != nil {
				f.Body(raw, base)
			}
			base += int64(int(end) - at)
			at = int(end)
		}
		have = copy(buf, buf[at:have])
	}
	return 2 * (base + int64(have)), nil
}

// recordsFor is ordinary data for a framer.
func recordsFor(name string) []byte {
	text := corpus.NDJSONBytes(1, 10_000)
	each := func(f func(line []byte) []byte) []byte {
		var out []byte
		for line := range bytes.Lines(text) {
			out = append(out, f(bytes.TrimSuffix(line, []byte("\n")))...)
		}
		return out
	}
	prefixed := func(prefix func(n int) []byte) []byte {
		return each(func(line []byte) []byte { return append(prefix(len(line)), line...) })
	}
	switch kind, arg, _ := strings.Cut(name, ":"); kind {
	case "csv", "tsv":
		rows := corpus.CSVBytes(1, 10_000)
		if kind == "tsv" {
			rows = bytes.ReplaceAll(rows, []byte(","), []byte("\t"))
		}
		return rows
	case "delim":
		n := len(arg) / 2
		return each(func(line []byte) []byte {
			return append(append(bytes.Clone(line), make([]byte, n-1)...), arg[len(arg)-1]-'0')
		})
	case "json-array":
		return append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(text), []byte("\n"), []byte(","))...), ']')
	case "u16be":
		return prefixed(func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) })
	case "u16le":
		return prefixed(func(n int) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(n)) })
	case "u32be":
		return prefixed(func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) })
	case "u32le":
		return prefixed(func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) })
	case "u64be":
		return prefixed(func(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) })
	case "u64le":
		return prefixed(func(n int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) })
	case "varint":
		return prefixed(func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) })
	case "recordio":
		return each(func(line []byte) []byte {
			b := binary.LittleEndian.AppendUint32(nil, 0xced7230a)
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(line))), line...)
			return append(b, make([]byte, -len(line)&3)...)
		})
	case "tfrecord":
		return each(hostile.TFRecord)
	case "tar":
		return append(each(func(line []byte) []byte { return hostile.TarFile('0', line) }), hostile.TarEnd...)
	case "warc":
		return each(func(line []byte) []byte {
			return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(line), line)
		})
	case "regexp":
		return text
	}
	return text
}
