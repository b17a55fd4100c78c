package frame_test

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// A custom framer is registered in a clone of the default registry.
func ExampleRegistry_Register() {
	framers := frame.Default().Clone()
	words := frame.FromSplitFunc("words", bufio.ScanWords)
	words.Extensions = []string{".words"}
	framers.Register(words)

	choice, err := framers.Choose("", ".words")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice.Framer.Name, "by", choice.Evidence)
	// Output: words by extension
}

// A Scanner appends where records end; Body removes what separates them.
func ExampleScanner() {
	framer, err := frame.Default().Lookup("csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	scanner, err := framer.New(&frame.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	slab := []byte("id,note\r\n1,\"two\nlines\"\r\n")
	ends, err := scanner.Scan(slab, true, nil)
	start := uint32(0)
	for _, end := range ends {
		fmt.Printf("%q\n", framer.Body(slab[start:end], int64(start)))
		start = end
	}
	fmt.Println(err)
	// Output:
	// "id,note"
	// "1,\"two\nlines\""
	// <nil>
}

// Package frametest shows what a framer makes of data.
func ExampleFramer() {
	framer, err := frame.Default().Lookup("delim:3b3b")
	if err != nil {
		fmt.Println(err)
		return
	}
	records, err := frametest.Split(framer, []byte("a;;b;;;c"), 0, 0)
	for _, r := range records {
		fmt.Printf("%d %q\n", r.Offset, r.Data)
	}
	fmt.Println(err)
	// Output:
	// 0 "a"
	// 3 "b"
	// 6 ";c"
	// <nil>
}

// Quotes are removed, and fields may have several lines. The slice is used again for each
// record.
func ExampleAppendCSVFields() {
	var fields [][]byte
	for _, record := range []string{`id,note`, `1,"two` + "\n" + `lines"`, `2,"a ""quote"""`} {
		fields = frame.AppendCSVFields(fields[:0], []byte(record), ',')
		fmt.Printf("%q\n", fields)
	}
	// Output:
	// ["id" "note"]
	// ["1" "two\nlines"]
	// ["2" "a \"quote\""]
}

// entries is a custom framer: a record is a digit and as many bytes.
func entries() frame.Framer {
	return frame.Framer{
		Name:       "entries",
		Extensions: []string{".entries"},
		New:        func(*frame.Options) (frame.Scanner, error) { return entryScanner{}, nil },
		Body:       func(raw []byte, _ int64) []byte { return raw[min(1, len(raw)):] },
	}
}

// entryScanner looks at a record when all of it is there, and so needs no state.
type entryScanner struct{}

func (entryScanner) State() []byte { return nil }

func (entryScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	for end := 0; end < len(slab); {
		c := slab[end]
		if c < '0' || c > '9' {
			err := fmt.Errorf("%w: %q is no digit: %w", frame.ErrRecord, c, frame.ErrNoResync)
			return ends, &frame.Error{Framer: "entries", Err: err}
		}
		end += 1 + int(c-'0')
		switch {
		case end <= len(slab):
			ends = append(ends, uint32(end))
		case eof:
			return ends, &frame.Error{Framer: "entries", Err: io.ErrUnexpectedEOF}
		}
	}
	return ends, nil
}

// A custom framer is a Framer value whose New returns a Scanner. Here the third record is
// cut: the two before it are returned, and then the error.
func ExampleFramer_custom() {
	records, err := frametest.Split(entries(), []byte("5hello2hi4cu"), 0, 0)
	for _, r := range records {
		fmt.Printf("%d %q\n", r.Offset, r.Data)
	}
	fmt.Println(err)
	// Output:
	// 0 "hello"
	// 6 "hi"
	// entries: 0 bytes into the record: unexpected EOF
}

// The example keeps the contract too.
func TestExampleOfAFramer(t *testing.T) {
	t.Parallel()
	frametest.Run(t, entries(), []frametest.Case{
		{Name: "empty object", In: ""},
		{Name: "records", In: "5hello02hi", Want: []string{"hello", "", "hi"}},
		{Name: "cut in the bytes", In: "2hi4cu", Want: []string{"hi"}, Err: io.ErrUnexpectedEOF},
		{Name: "no digit", In: "2hix", Want: []string{"hi"}, Err: frame.ErrNoResync},
	})
}
