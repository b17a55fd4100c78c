package frame_test

import (
	"bufio"
	"fmt"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// A framer of one's own is registered in a clone of the default registry.
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

// A Scanner tells where records end; Body cuts off what separates them.
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

// Split is the plain way to see what a framer makes of data.
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

// The fields of a row are parts of its record.
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
