package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/streamtest"
)

// The Sink of this program keeps what package stream asks of one.
func TestSink(t *testing.T) {
	streamtest.RunSink(t, func(t *testing.T) streamtest.Place {
		path := filepath.Join(t.TempDir(), "out.tsv")
		last := &lineSink{}
		t.Cleanup(func() { last.close() })
		return streamtest.Place{
			Open: func() stream.Sink {
				last.close() // it has the lock on the file
				last = &lineSink{path: path}
				return last
			},
			Rows: func() ([]streamtest.Row, error) { return readRows(path) },
		}
	})
}

// readRows reads the lines of the output. What stands after the last line end is of
// a write that was not finished.
func readRows(path string) (rows []streamtest.Row, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		_, text, _ := bytes.Cut(line, []byte("\t"))
		if !bytes.HasSuffix(text, []byte("\n")) {
			break
		}
		r, err := streamtest.ParseRow(text)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}
