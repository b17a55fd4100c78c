package frame_test

import (
	stdtar "archive/tar"
	"bufio"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
)

// TestScanAllocatesNothing scans a slab of records over and over, and takes the
// body of each: no framer may allocate for a record.
func TestScanAllocatesNothing(t *testing.T) {
	const records = 200
	lines := strings.Repeat("x", 79) + "\n"
	files := tarOf(t, stdtar.FormatPAX, "d/", "", "d/a", "text", strings.Repeat("long/", 40)+"b", strings.Repeat("x", 1000))
	cases := map[string]string{ // one or more records
		"lines": lines, "ndjson": "\n" + lines, "delim:0a": lines, "delim:780a": lines, "fixed:80": lines,
		"csv": "\n1,\"a\n\"\"b\",c\r\n", "tsv": "\n1\t\"a\"\"b\tc\r\n", "csv:open,empty": "\n1,\"a\n\"\"b\",c\r\n",
		"csv:header,ragged=error": "\n1,\"a\n\"\"b\",c\r\n",
		"json":                    "\n{\"a\": [1, -2.5e3, \"\\u00e9\", null]}", "json-array": "\n,{\"a\": [1, -2.5e3, \"\\u00e9\", null]}",
		`regexp:^\d`: "2026-01-02 x\n\tat y\n",
		"tar":        strings.TrimRight(files, "\x00") + strings.Repeat("\x00", 24), // 1000 bytes fill two blocks
		"warc":       warcRecord("block") + "\r\n\r\n",
	}
	for name, write := range writers {
		cases[name] = write("record")
	}
	framers := map[string]frame.Framer{"scanlines": frame.FromSplitFunc("scanlines", bufio.ScanLines)}
	cases["scanlines"] = lines
	for _, name := range frame.Default().Names() {
		if base, _, family := strings.Cut(name, ":"); !family && cases[base] == "" && base != "whole" {
			t.Errorf("%s: no case", name)
		}
	}
	for name, one := range cases {
		if strings.HasPrefix(name, "regexp:") && raced() {
			continue // the detector empties package regexp's pools at random
		}
		f, ok := framers[name]
		if !ok {
			f = lookup(t, name)
		}
		s, err := f.New(&frame.Options{Offset: 1})
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(strings.Repeat(one, records))
		ends := make([]uint32, 0, len(data))
		allocs := testing.AllocsPerRun(10, func() {
			ends, err = s.Scan(data, false, ends[:0])
			for i, from := 0, uint32(0); i < len(ends) && f.Body != nil; i++ {
				f.Body(data[from:ends[i]], int64(from)+1)
				from = ends[i]
			}
		})
		if allocs != 0 || err != nil || len(ends) < records-1 {
			t.Errorf("%s: got %v allocations for %d records, %v, want 0 for %d", name, allocs, len(ends), err, records)
		}
	}
}

// raced says that the test was built with -race.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
