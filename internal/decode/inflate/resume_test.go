package inflate_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// TestResume stops at every block and decodes the rest from there.
func TestResume(t *testing.T) {
	t.Parallel()
	text := mixed(120_000)
	streams := map[string][]byte{
		"by hand": func() []byte {
			w := new(bitWriter)
			for i := range 40 {
				w.stored(false, text[i*900:i*900+900]).fixed(false).lits("fixed").match(100, 700).end()
				w.dynamic(false, flat(286), flat(30)).lits("dynamic").match(30, 1000).end().stored(false, "")
			}
			return w.stored(true, "").out
		}(),
	}
	for _, level := range []int{-2, 0, 1, 6, 9} {
		streams[fmt.Sprint("level ", level)] = deflate(text, level, 7000)
	}
	for name, data := range streams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _, err := newDecoders().decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if n := resumeAll(t, data, want, len(want)); n < 15 {
				t.Errorf("got %d points", n)
			}
		})
	}
}

// resumeAll stops at every block border of data and decodes from it what follows
// in want, at most ahead bytes, with a Reader and sometimes with a Decoder. It
// returns how many borders there were.
func resumeAll(t *testing.T, data, want []byte, ahead int) (points int) {
	t.Helper()
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(data)))
	r.StopAt(0)
	other := inflate.NewReader(bufio.NewReader(bytes.NewReader(nil)))
	var d inflate.Decoder
	var given int64
	p := make([]byte, 64<<10)
	for err := error(nil); err == nil; {
		if at, ok := r.Point(); ok {
			points++
			if at.Decoded != given || at.History != int(min(given, inflate.Window)) {
				t.Fatalf("got %+v after %d bytes", at, given)
			}
			window := r.AppendWindow(nil)
			rest := data[at.Offset:]
			if err := other.Resume(bufio.NewReader(bytes.NewReader(rest)), at, window); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.LimitReader(other, int64(ahead)))
			whole := ahead >= len(want)
			if err != nil || !bytes.Equal(got, want[given:min(len(want), int(given)+ahead)]) || whole && other.Consumed() != int64(len(data)) {
				t.Fatalf("from %+v: got %d bytes and %v, want %d", at, len(got), err, int64(len(want))-given)
			}
			if whole && points%16 == 1 {
				if err := d.Resume(bufio.NewReader(bytes.NewReader(rest)), at); err != nil {
					t.Fatal(err)
				}
				if got, err := fillAll(t, &d, window, 20_000); err != io.EOF || !bytes.Equal(got, want[given:]) {
					t.Fatalf("from %+v: Fill gave %d bytes and %v, want %d", at, len(got), err, int64(len(want))-given)
				}
			}
		}
		var n int
		n, err = r.Read(p)
		given += int64(n)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	if given != int64(len(want)) {
		t.Fatalf("got %d bytes with stops, want %d", given, len(want))
	}
	return points
}

// TestStops stops at the first border at or after a place, and not before.
func TestStops(t *testing.T) {
	t.Parallel()
	text := lines(50_000)
	data := deflate(text, 6, 1000)
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(data)))
	r.StopAt(20_500)
	p := make([]byte, 1<<20)
	n, err := io.ReadAtLeast(r, p, 20_500)
	point, ok := r.Point()
	if err != nil || n != 21_000 || !ok || point.Decoded != 21_000 {
		t.Fatalf("got %d bytes, %v and %+v, want a stop at 21000", n, err, point)
	}
	r.StopAt(-1)
	k, err := io.ReadFull(r, p[n:len(text)])
	if err != nil || string(p[:n+k]) != text {
		t.Fatalf("got %d bytes and %v, want the rest", k, err)
	}
}

// TestDictionary begins with a preset dictionary.
func TestDictionary(t *testing.T) {
	t.Parallel()
	dict := []byte(lines(1000))
	data := new(bitWriter).fixed(true).match(258, 1000).lits("x").match(100, 1259).end().out
	want := string(dict[:258]) + "x" + string(dict[:100])
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(nil)))
	for _, h := range []int{1000, 999} {
		if err := r.Resume(bufio.NewReader(bytes.NewReader(data)), inflate.Point{History: h}, dict); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if h == 1000 && (err != nil || string(got) != want) {
			t.Errorf("got %q and %v, want %q", got, err, want)
		}
		if h == 999 && (cause(err) != errCorrupt || len(got) != 0) {
			t.Errorf("got %q and %v from a dictionary that is too short", got, err)
		}
	}
}

// TestResumeRefuses points that cannot be.
func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(nil)))
	for _, p := range []inflate.Point{{Offset: -1}, {Bit: 8}, {Decoded: -1}, {History: -1}, {History: inflate.Window + 1}, {History: 5}} {
		if err := r.Resume(bufio.NewReader(bytes.NewReader(nil)), p, make([]byte, max(0, p.History-1))); err == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
}

// TestStopAfterAll stops at a border whose bytes were all given before it came.
func TestStopAfterAll(t *testing.T) {
	t.Parallel()
	b := new(bitWriter).fixed(false).lits("abcdefgh")
	cut := len(b.out) - 1
	data := b.end().fixed(true).lits("i").end().out
	r := inflate.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(data[:cut]), bytes.NewReader(data[cut:]))))
	r.StopAt(8)
	var got []byte
	p := make([]byte, 100)
	for range 10 {
		n, err := r.Read(p)
		got = append(got, p[:n]...)
		if point, ok := r.Point(); ok && len(got) > 0 {
			if point.Decoded != 8 || string(got) != "abcdefgh" {
				t.Fatalf("got %q and %+v", got, point)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("got no stop")
}
