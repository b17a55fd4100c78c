package codec_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
)

// Detect how the bytes of a source are compressed, and decode them.
func Example() {
	var object bytes.Buffer
	w := gzip.NewWriter(&object)
	io.WriteString(w, "ice\nwater\n")
	w.Close()

	in := codec.NewInput(&object, 0)
	found, err := codec.Default().DetectInput(in, codec.Hints{Key: "melt.txt.zst"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Name(), found.Evidence, found.Conflicts, found.Extension)

	d, err := codec.Default().Open(in, found, &codec.Options{MaxDecoded: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	data, err := io.ReadAll(d)
	fmt.Printf("%q, %v\n", data, err)
	// Output:
	// gzip magic [extension says zstd] .txt
	// "ice\nwater\n", <nil>
}

// An object that is cut has data, and then an error that says where it ends.
func ExampleError() {
	object := gz([]byte("0123456789"))
	c, err := codec.Default().Lookup("gzip")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := c.NewReader(bytes.NewReader(object[:len(object)-1]), new(codec.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	data, err := io.ReadAll(d)
	fmt.Printf("%s\n", data)
	if at, ok := errors.AsType[*codec.Error](err); ok {
		fmt.Println(at.Codec, at.DecodedOffset, errors.Is(err, io.ErrUnexpectedEOF))
	}
	// Output:
	// 0123456789
	// gzip 10 true
}
