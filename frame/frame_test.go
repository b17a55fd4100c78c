package frame_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// lookup is a framer of the default registry.
func lookup(tb testing.TB, name string) frame.Framer {
	tb.Helper()
	f, err := frame.Default().Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// split gives the bodies found in data with these sizes and the kind of the error.
// It checks that the records make up the data again.
func split(f frame.Framer, data string, slab, chunk int) (bodies []string, msg string, kind error) {
	records, err := frametest.Split(f, []byte(data), slab, chunk)
	if msg := rebuild(f.Name, data, records, err == nil); msg != "" {
		return nil, msg, nil
	}
	for _, r := range records {
		bodies = append(bodies, string(r.Data))
	}
	switch {
	case err == nil:
		return bodies, "", nil
	case errors.Is(err, frametest.ErrContract):
		return nil, err.Error(), nil
	}
	for _, kind := range []error{io.ErrUnexpectedEOF, frame.ErrTooLong, frame.ErrRecord} {
		if errors.Is(err, kind) {
			return bodies, "", kind
		}
	}
	return nil, fmt.Sprintf("error of no known kind: %v", err), nil
}

// reference is a framer written for clarity: the records of data, and what the
// error after them is.
type reference func(data string) ([]string, error)

// check compares a framer with its reference on data in several sizes.
func check(tb testing.TB, f frame.Framer, ref reference, data string, sizes [][2]int) {
	tb.Helper()
	want, wantErr := ref(data)
	if isText(f.Name) && isForeign(data) {
		want, wantErr = nil, frame.ErrRecord
	}
	for _, size := range sizes {
		got, msg, err := split(f, data, size[0], size[1])
		if msg == "" && (!equalStrings(got, want) || !sameKind(err, wantErr)) {
			msg = fmt.Sprintf("got %q, %v, want %q, %v", got, err, want, wantErr)
		}
		if msg != "" {
			tb.Fatalf("%s on %q with slab %d and chunk %d: %s", f.Name, data, size[0], size[1], msg)
		}
	}
}

func equalStrings(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func sameKind(got, want error) bool {
	return (got == nil) == (want == nil) && (want == nil || errors.Is(got, want) || errors.Is(want, got))
}

// checkRandom makes data of tokens in random order.
func checkRandom(t *testing.T, f frame.Framer, ref reference, tokens ...string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		most := 14
		if i%10 == 0 {
			most = 400
		}
		var data strings.Builder
		for range rnd.IntN(most) {
			data.WriteString(tokens[rnd.IntN(len(tokens))])
		}
		check(t, f, ref, data.String(), [][2]int{
			{0, 0}, {1, 1}, {1 + rnd.IntN(9), 0}, {1 + rnd.IntN(20), 1 + rnd.IntN(5)},
		})
	}
}

// checkEdges puts each token on every offset within two bytes of a slab's edge,
// after a record of filler, and each other token after it.
func checkEdges(t *testing.T, f frame.Framer, ref reference, filler string, tokens ...string) {
	t.Helper()
	const slab = 64
	for _, token := range tokens {
		for _, next := range tokens {
			for at := slab - 2 - len(token); at <= slab+2; at++ {
				data := strings.Repeat(filler, at/len(filler)+1)[:at] + token + next + filler
				check(t, f, ref, data, [][2]int{{slab, 0}, {slab, 7}, {0, 0}})
			}
		}
	}
}

// fuzz looks for data on which a framer panics, breaks its contract, differs from
// its reference, if it has one, or depends on the sizes of slabs and chunks, also
// where it can leave records out.
func fuzz(f *testing.F, framer frame.Framer, ref reference, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, slab, chunk uint8) {
		if len(data) > 1<<12 {
			return
		}
		ref := ref
		if ref == nil {
			ref = func(data string) ([]string, error) {
				bodies, msg, kind := split(framer, data, 0, 0)
				if msg != "" {
					t.Fatal(msg)
				}
				return bodies, kind
			}
		}
		sizes := [][2]int{{0, 0}, {int(slab), max(int(chunk), len(data)/64)}}
		if len(data) < 256 {
			sizes = append(sizes, [2]int{1, 1})
		}
		check(t, framer, ref, string(data), sizes)
		checkLimit(t, framer, string(data), 1+int(slab)%40, sizes)
	})
}

// checkLimit leaves out records over a limit, and those that are bad: their number
// and the others are the same in all sizes.
func checkLimit(tb testing.TB, f frame.Framer, data string, limit int, sizes [][2]int) {
	tb.Helper()
	s, err := f.New(&frame.Options{MaxRecord: limit})
	if err != nil {
		tb.Fatal(err)
	}
	if _, ok := s.(frame.Resyncer); !ok {
		return
	}
	var want []string
	for i, size := range sizes {
		d := &frametest.Driver{Framer: f, Options: &frame.Options{MaxRecord: limit}, Slab: size[0], Chunk: size[1], Skip: true}
		records, skipped, err := d.Split([]byte(data))
		if errors.Is(err, frametest.ErrContract) {
			tb.Fatalf("%s on %q with slab %d, chunk %d and limit %d: %v", f.Name, data, size[0], size[1], limit, err)
		}
		got := []string{fmt.Sprintf("%d skipped, error: %v, lost: %v", skipped, err != nil, errors.Is(err, frame.ErrNoResync))}
		for _, r := range records {
			got = append(got, fmt.Sprintf("%d: %s", r.Offset, r.Data))
		}
		if i == 0 {
			want = got
		} else if !equalStrings(got, want) {
			tb.Fatalf("%s on %q with slab %d, chunk %d and limit %d: got %q, want %q", f.Name, data, size[0], size[1], limit, got, want)
		}
	}
}
