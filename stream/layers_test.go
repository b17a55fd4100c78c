package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// The figures of a codec's row are those of all layers, and so is its name; hooks
// hear of the layers too.
func TestLayersAreOneRow(t *testing.T) {
	data := []byte(strings.Repeat("some text\n", 1000))
	stored := encode(t, "gzip", encode(t, "zstd", data))
	s := store(t, map[string][]byte{"a.txt.zst.gz": stored, "b.txt.gz": encode(t, "gzip", data)})
	var ends []string
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1, Trace: &stream.Trace{ObjectEnd: func(e stream.ObjectEnd) {
		ends = append(ends, fmt.Sprint(e.Detection.Codec, e.Detection.Inner))
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, c := range rep.Codecs {
		rows = append(rows, fmt.Sprintf("%s %d %d", c.Codec, c.Objects, c.Decoded))
	}
	if want := []string{"gzip 1 10000", "gzip,zstd 1 10000"}; !slices.Equal(rows, want) {
		t.Errorf("got rows %q, want %q", rows, want)
	}
	if want := []string{"gzip[zstd]", "gzip[]"}; !slices.Equal(ends, want) {
		t.Errorf("got ends %q, want %q", ends, want)
	}
	r, err := stream.Open(t.Context(), s, "a.txt.zst.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if c := r.Report().Codecs; len(c) != 1 || c[0].Codec != "gzip,zstd" {
		t.Errorf("a Reader's rows are %+v", c)
	}
}
