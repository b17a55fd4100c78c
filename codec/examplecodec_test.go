package codec_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/thaw-go/thaw/codec"
)

// upper is a custom format. A member is a line of capital letters, and decodes to the same
// letters in lower case.
func upper() codec.Codec {
	return codec.Codec{
		Name:       "upper",
		Extensions: []string{".upper"},
		Member:     "line",
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("upper", src, opts, openLine)
		},
		Restart: func(src io.Reader, p codec.Point, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoderAt("upper", src, p, opts, openLine)
		},
		Scan: func() codec.Scanner { return new(lineScanner) },
	}
}

// openLine reads a whole member. A real format reads the header here and leaves the data to
// the reader that it returns.
func openLine(in *codec.Input, _ bool) (io.Reader, error) {
	var line strings.Builder
	for {
		c, err := in.ReadByte()
		switch {
		case err == io.EOF && line.Len() > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case c == '\n':
			return strings.NewReader(strings.ToLower(line.String())), nil
		case c < 'A' || c > 'Z':
			return nil, codec.ErrCorrupt
		}
		line.WriteByte(c)
	}
}

// lineScanner finds members without decoding them.
type lineScanner struct{ inside bool }

func (s *lineScanner) Scan(b []byte, left int64) (codec.Step, error) {
	if s.inside { // the last Step took the whole line
		s.inside = false
		return codec.Step{Role: codec.StepEnd}, nil
	}
	n := int64(bytes.IndexByte(b, '\n'))
	switch {
	case left == 0:
		return codec.Step{}, io.EOF
	case n < 0 && int64(len(b)) == left:
		return codec.Step{}, io.ErrUnexpectedEOF
	case n < 0:
		return codec.Step{}, io.ErrShortBuffer
	}
	s.inside = true
	return codec.Step{Role: codec.StepBegin, Unit: true, Part: codec.Part{Kind: "line", Size: n + 1, Decoded: n}}, nil
}

// A custom codec is registered beside the built-in ones. Since it has Scan, Inspect lists its
// members without decoding them, and each of them is a unit.
func ExampleCodec() {
	codecs := codec.Default().Clone()
	codecs.Register(upper())

	object := []byte("ICE\nWATER\n")
	info, err := codec.Inspect(bytes.NewReader(object), int64(len(object)), &codec.InspectOptions{Codecs: codecs, Key: "a.upper"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Detection.Codec, info.Variants, info.Declared)
	for _, m := range info.Members.First {
		fmt.Println(m)
	}

	c, err := codecs.Lookup("upper")
	if err != nil {
		fmt.Println(err)
		return
	}
	for u, err := range c.Split(bytes.NewReader(object), int64(len(object))) {
		fmt.Println("unit of", u.Size, "bytes at", u.Offset, err)
	}
	// Output:
	// upper [multi-line] 8
	// line at 0, 4 bytes, decodes to 3
	// line at 4, 6 bytes, decodes to 5
	// unit of 4 bytes at 0 <nil>
	// unit of 6 bytes at 4 <nil>
}

// A read that was interrupted continues at the last restart point. It decodes a little again:
// what lies between that point and where the read had come to.
func ExampleRestarter() {
	object := append(gz([]byte("ice and ")), gz([]byte("water"))...)
	c, err := codec.Default().Lookup("gzip")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := c.NewReader(bytes.NewReader(object), new(codec.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	read := make([]byte, 10)
	io.ReadFull(d, read)
	p, ok := d.(codec.Restarter).RestartPoint() // after the first member
	d.Close()
	fmt.Printf("%q %v, decode from %d on\n", read, ok, p.Decoded)

	// Later, with p from where it was saved.
	d, err = c.Restart(bytes.NewReader(object[p.Stored:]), p, new(codec.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	io.CopyN(io.Discard, d, int64(len(read))-p.Decoded)
	rest, err := io.ReadAll(d)
	fmt.Printf("%q %v\n", rest, err)
	// Output:
	// "ice and wa" true, decode from 8 on
	// "ter" <nil>
}
