package inflate_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// TestFill decodes into slabs of many sizes, each with its history in front, and
// looks at the bytes around what Fill may write.
func TestFill(t *testing.T) {
	t.Parallel()
	for _, level := range []int{-2, 1, 6} {
		for _, room := range []int{inflate.Slack, inflate.Slack + 1, inflate.Slack + 258, 5000, 65536} {
			text := mixed(34_000 + 5*room)
			var d inflate.Decoder
			d.Reset(bufio.NewReader(bytes.NewReader(deflate(text, level, 20_000))))
			got, err := fillAll(t, &d, nil, room)
			if err != io.EOF || string(got) != text {
				t.Errorf("level %d, room %d: got %d bytes and %v, want %d; first difference at %d", level, room, len(got), err, len(text), difference(got, []byte(text)))
			}
		}
	}
}

// fillAll decodes to the next error into fresh slabs that have exactly the history
// that is needed and room for room bytes.
func fillAll(t *testing.T, d *inflate.Decoder, history []byte, room int) (got []byte, err error) {
	t.Helper()
	const canary = 64
	got = append(got, history...)
	for err == nil {
		h := d.History()
		mem := bytes.Repeat([]byte{0xa5}, canary+h+room+canary)
		slab := mem[canary : canary+h+room : canary+h+room]
		copy(slab, got[len(got)-h:])
		var n int
		n, err = d.Fill(slab, h)
		if n > room {
			t.Fatalf("got %d bytes, want at most %d", n, room)
		}
		for i := range canary {
			if mem[i] != 0xa5 || mem[len(mem)-1-i] != 0xa5 {
				t.Fatalf("a byte around the slab of %d+%d was overwritten", h, room)
			}
		}
		if !bytes.Equal(slab[:h], got[len(got)-h:]) {
			t.Fatal("history was overwritten")
		}
		got = append(got, slab[h:h+n]...)
		if d.History() != min(len(got), inflate.Window) {
			t.Fatalf("got a history of %d after %d bytes", d.History(), len(got))
		}
	}
	return got[len(history):], err
}

// TestFillMisuse refuses slabs without room or history, and goes on with a good one.
func TestFillMisuse(t *testing.T) {
	t.Parallel()
	text := lines(3000)
	var d inflate.Decoder
	d.Reset(bufio.NewReader(bytes.NewReader(deflate(text, 6, 1<<20))))
	slab := make([]byte, 1000+inflate.Slack)
	n, err := d.Fill(slab, 0)
	if err != nil || n < 1000 {
		t.Fatalf("got %d and %v, want a full slab", n, err)
	}
	if k, err := d.Fill(slab, n); k != 0 || err == nil {
		t.Errorf("got %d and %v from a slab without room", k, err)
	}
	next := make([]byte, 10_000)
	if k, err := d.Fill(next, n-1); k != 0 || err == nil {
		t.Errorf("got %d and %v from a slab that lacks history", k, err)
	}
	copy(next[7:], slab[:n])
	if k, err := d.Fill(next, 7+n); err != io.EOF || string(next[7:7+n+k]) != text {
		t.Errorf("got %d and %v, want the rest", k, err)
	}
}

// TestAllocations decodes again and again without allocating.
func TestAllocations(t *testing.T) {
	data := deflate(mixed(100_000), 6, 30_000)
	in := bytes.NewReader(data)
	src := bufio.NewReader(in)
	r := inflate.NewReader(src)
	if n := testing.AllocsPerRun(10, func() {
		in.Reset(data)
		src.Reset(in)
		r.Reset(src)
		if n, err := io.Copy(io.Discard, r); n != 100_000 || err != nil {
			t.Errorf("got %d and %v", n, err)
		}
	}); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
