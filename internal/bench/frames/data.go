package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// slab is how many decoded bytes the pipeline frames at once.
const slab = 256 << 10

// makers make each data, of about a slab.
var makers = map[string]func() []byte{
	"lines of 80 bytes":  func() []byte { return lines(80) },
	"lines of 240 bytes": func() []byte { return lines(240) },
	"CSV, no quotes":     func() []byte { return rows("") },
	"CSV, some quotes":   func() []byte { return corpus.CSVBytes(1, 4000) },
	"CSV, all quoted":    func() []byte { return rows(`"`) },
	"CSV, short fields":  func() []byte { return bytes.Repeat([]byte("\"1\",\"ab\",\"\",\"234\"\n"), slab/18) },
	"CSV, quoted lines":  notes,
	"JSON, log records":  func() []byte { return documents(nil) },
	"JSON, indented": func() []byte {
		return documents(func(line []byte) []byte {
			var b bytes.Buffer
			if err := json.Indent(&b, line, "", "  "); err != nil {
				panic(err) // corpus makes JSON
			}
			return b.Bytes()
		})
	},
}

// lines are of size bytes each, line feed included.
func lines(size int) []byte {
	text := bytes.ReplaceAll(corpus.NDJSONBytes(1, 2000), []byte("\n"), nil)
	var b []byte
	for len(b)+size <= slab {
		b = append(b, text[:size-1]...)
		b = append(b, '\n')
		text = text[size-1:]
	}
	return b
}

// rows are of CSV, with every field in quotes or none.
func rows(quote string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < slab-200; i++ {
		for field, text := range []string{fmt.Sprint(i), fmt.Sprintf("user-%d@example.com", i),
			fmt.Sprintf("GET /items/%d?page=%d", i, i%10), "Mozilla/5.0 (X11; Linux x86_64)", "200", fmt.Sprintf("12.%d", i)} {
			if field > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote + text + quote)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// notes are rows of CSV with a field of several lines and doubled quotes in them.
func notes() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < slab-500; i++ {
		fmt.Fprintf(&b, "%d,\"note %d\n", i, i)
		for line := range 1 + i%7 {
			fmt.Fprintf(&b, "%d: she said \"\"no\"\", and left it there\n", line)
		}
		fmt.Fprintf(&b, "\",user-%d@example.com,\"\"\n", i)
	}
	return b.Bytes()
}

// documents are log records, changed by change, without anything after the last.
func documents(change func(line []byte) []byte) []byte {
	var b []byte
	for line := range bytes.Lines(corpus.NDJSONBytes(1, 2000)) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if change != nil {
			line = change(line)
		}
		if len(b)+1+len(line) > slab {
			break
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = append(b, line...)
	}
	return b
}
