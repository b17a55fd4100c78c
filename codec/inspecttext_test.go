package codec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// checkText: an Info prints and survives JSON.
func checkText(t *testing.T, info *codec.Info) {
	t.Helper()
	text := info.String()
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" || !strings.HasSuffix(line, "\n") {
			t.Errorf("got line %q in %q", line, text)
		}
	}
	b, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	var back codec.Info
	if err := json.Unmarshal(b, &back); err != nil || back.String() != text {
		t.Errorf("JSON: got %v and\n%swant\n%s", err, back.String(), text)
	}
}

func TestInspectText(t *testing.T) {
	t.Parallel()
	info, err := inspect("", join(zstdSized(text), frame(dict4, window2G+"\x07\x00\x00\x00", raw("abc"))), codec.InspectOptions{Key: "a.gz"})
	if err != nil {
		t.Fatal(err)
	}
	want := `codec       zstd, by magic
conflicts   extension says gzip
variants    multi-frame
stored      53 B
declared    not known
window      128 KiB; a header claims 2 GiB, more than can be used
memory      1.1 MiB for a reader
checksums   xxh64
dictionary  7
restart     at frame
members     2, the largest of 37 B
blocks      2, the largest of 19 B
units       2, the largest of 37 B
read        53 B in 1 request: headers of frames and blocks
  frame at 0, 37 bytes, decodes to 16, window 128 KiB, 1 block, xxh64
  frame at 37, 16 bytes, window 128 KiB, 1 block, dictionary 7
`
	if got := info.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var s codec.Summary
	for key, stored := range map[string][]byte{
		"a.gz":   gz([]byte(text)),
		"b.bgz":  join(bgzf([]byte(text)), bgzf(nil)),
		"c.zst":  frame(0, "\x50", bytes.Repeat(block(false, 1, 1<<17, "x"), 9), raw("")),
		"d.zst":  zstdSized(text),
		"e.gz":   []byte(text),
		"f.none": nil,
	} {
		info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		s.Add(key, info)
	}
	info, err := inspect("zstd", zstdSized(text)[:20], codec.InspectOptions{})
	if err == nil {
		t.Fatal("got no error for a frame that is cut")
	}
	s.Add("g.zst", info)
	s.Fail()
	if s.Objects != 7 || s.Failed != 1 || s.Window != (codec.Largest{Size: 1 << 20, Key: "c.zst"}) || s.Memory.Key != "c.zst" || s.Conflicts != 1 || s.Unsized != 3 {
		t.Errorf("got %+v", s)
	}
	var kinds []string
	for _, k := range s.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s/%s %d", k.Codec, k.Variant, k.Objects))
	}
	if want := []string{"gzip/ 2", "gzip/bgzf 1", "none/ 2", "zstd/ 3"}; !slices.Equal(kinds, want) {
		t.Errorf("got kinds %q, want %q", kinds, want)
	}
	if text := s.String(); !strings.Contains(text, `1 MiB at most ("c.zst")`) {
		t.Errorf("got %s", text)
	}
}

func ExampleInspect() {
	stored := append(gz([]byte("one\n")), gz([]byte("two\n"))...)
	info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Key: "a.csv.gz", Decode: true})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(info.Detection.Codec, info.Detection.Extension, info.Members.Count, info.Decoded)
	// Output: gzip .csv 2 8
}
