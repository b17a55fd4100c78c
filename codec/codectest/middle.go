package codectest

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// restart: from every point that a Decoder passes, decoding continues with the same
// bytes and the same offsets, and where the object is damaged after the point, to the same
// error.
func (s suite) restart(t *testing.T) {
	if s.c.Restart == nil {
		t.Skip("no Restart")
	}
	for _, v := range s.objects(t) {
		d := s.open(t, bytes.NewReader(v.Stored), nil)
		r, ok := d.(codec.Restarter)
		if !ok {
			t.Fatal("the codec has Restart; its Decoder has no RestartPoint")
		}
		p := make([]byte, 1+len(v.Decoded)/20)
		last, seen := codec.Point{Stored: -1}, 0
		for given := int64(0); ; {
			n, err := io.ReadFull(d, p)
			given += int64(n)
			point, ok := r.RestartPoint()
			if ok && (point.Stored != last.Stored || point.Decoded != last.Decoded) {
				seen++
				last = point
				s.restartAt(t, v, point, given)
				s.restartDamaged(t, v, point, uint64(seen))
			}
			if err != nil {
				break
			}
		}
		d.Close()
		if s.f.Concatenates && seen == 0 {
			t.Errorf("%s: got no restart point", v.Name)
		}
	}
}

// objects are the vectors, and some of them in one object if they concatenate.
func (s suite) objects(t *testing.T) []Vector {
	vs := s.f.vectors(t)
	if !s.f.Concatenates {
		return vs
	}
	all := Vector{Name: "all"}
	for _, v := range vs {
		all.Stored = append(all.Stored, v.Stored...)
		all.Decoded = append(all.Decoded, v.Decoded...)
	}
	return []Vector{all}
}

func (s suite) restartAt(t *testing.T, v Vector, p codec.Point, given int64) {
	t.Helper()
	if p.Decoded > given || p.Stored > int64(len(v.Stored)) || len(p.State) > limits.State {
		t.Fatalf("%s: got restart point at %d of %d stored, %d decoded, state of %d; %d were given",
			v.Name, p.Stored, len(v.Stored), p.Decoded, len(p.State), given)
	}
	d, err := s.c.Restart(bytes.NewReader(v.Stored[p.Stored:]), p, new(codec.Options))
	if err != nil {
		t.Fatalf("%s: Restart at %d: got %v", v.Name, p.Stored, err)
	}
	defer d.Close()
	o := read(t, d, 64<<10)
	if o.err != nil || !bytes.Equal(o.data, v.Decoded[p.Decoded:]) {
		t.Errorf("%s: restart at %d: got %v, want %d bytes", v.Name, p.Stored, o, len(v.Decoded)-int(p.Decoded))
	}
	if pos, ok := d.(codec.Positioned); ok && pos.StoredOffset() != int64(len(v.Stored)) {
		t.Errorf("%s: restart at %d: got stored offset %d at the end, want %d", v.Name, p.Stored, pos.StoredOffset(), len(v.Stored))
	}
}

// restartDamaged cuts and flips v in a few places after p. A Decoder that begins at p must
// find what one that begins at the start finds.
func (s suite) restartDamaged(t *testing.T, v Vector, p codec.Point, seed uint64) {
	t.Helper()
	// The first byte may be shared with what lies before the point.
	from := p.Stored + 1
	if from >= int64(len(v.Stored)) {
		return
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range 6 {
		at := from + rnd.Int64N(int64(len(v.Stored))-from)
		what, stored := "cut", v.Stored[:at]
		if i%2 == 1 {
			what, stored = "flipped", bytes.Clone(v.Stored)
			stored[at] ^= 1 << rnd.IntN(8)
		}
		want := s.decode(t, bytes.NewReader(stored), 64<<10, nil)
		if int64(len(want.data)) < p.Decoded {
			t.Fatalf("%s, %s at %d: got %v, want the %d bytes before the restart point at %d", v.Name, what, at, want, p.Decoded, p.Stored)
		}
		want.data = want.data[p.Decoded:]
		d, err := s.c.Restart(bytes.NewReader(stored[p.Stored:]), p, new(codec.Options))
		if err != nil {
			t.Fatalf("%s: Restart at %d: got %v", v.Name, p.Stored, err)
		}
		if got := read(t, d, 64<<10); !got.same(want) {
			t.Errorf("%s, %s at %d: restart at %d: got %v, want %v", v.Name, what, at, p.Stored, got, want)
		}
		s.resetAt(t, v, p, d, stored, want)
		d.Close()
	}
}

// resetAt: a Decoder that was used, and has failed, begins again at p as a new one does, and
// at the start as after NewReader.
func (s suite) resetAt(t *testing.T, v Vector, p codec.Point, d codec.Decoder, stored []byte, want outcome) {
	t.Helper()
	r, ok := d.(codec.ResetterAt)
	if !ok {
		return
	}
	for _, part := range []int64{1 << 62, int64(len(want.data)) / 2} { // once it is read to its end, once to its middle
		if err := r.ResetAt(bytes.NewReader(stored[p.Stored:]), p); err != nil {
			t.Fatalf("%s: ResetAt %d: got %v", v.Name, p.Stored, err)
		}
		if part < 1<<62 {
			io.CopyN(io.Discard, d, part)
			continue
		}
		if got := read(t, d, 64<<10); !got.same(want) {
			t.Errorf("%s: ResetAt %d: got %v, want %v", v.Name, p.Stored, got, want)
		}
	}
	if err := d.Reset(bytes.NewReader(v.Stored)); err != nil {
		t.Fatalf("%s: Reset after ResetAt: got %v", v.Name, err)
	}
	if got := read(t, d, 64<<10); got.err != nil || !bytes.Equal(got.data, v.Decoded) {
		t.Errorf("%s: Reset after ResetAt: got %v, want %d bytes", v.Name, got, len(v.Decoded))
	}
}

// split: units lie one after the other from start to end and decode on their
// own to what the object decodes to.
func (s suite) split(t *testing.T) {
	if s.c.Split == nil {
		t.Skip("no Split")
	}
	for _, v := range s.objects(t) {
		var at int64
		var got []byte
		for u, err := range s.c.Split(bytes.NewReader(v.Stored), int64(len(v.Stored))) {
			if err != nil {
				t.Fatalf("%s: Split: got %v at %d", v.Name, err, at)
			}
			if u.Offset != at || u.Size <= 0 || u.Offset+u.Size > int64(len(v.Stored)) {
				t.Fatalf("%s: got unit %+v, want one at %d", v.Name, u, at)
			}
			at += u.Size
			o := s.unit(t, v.Stored, u, int64(len(got)))
			if o.err != nil || u.Decoded >= 0 && u.Decoded != int64(len(o.data)) {
				t.Fatalf("%s: unit %+v: got %v", v.Name, u, o)
			}
			got = append(got, o.data...)
		}
		if at != int64(len(v.Stored)) || !bytes.Equal(got, v.Decoded) {
			t.Errorf("%s: got units of %d stored and %d decoded bytes, want %d and %d",
				v.Name, at, len(got), len(v.Stored), len(v.Decoded))
		}
	}
}

// unit decodes a unit as its State says. decoded is where its data belongs.
func (s suite) unit(t *testing.T, stored []byte, u codec.Unit, decoded int64) outcome {
	t.Helper()
	src := bytes.NewReader(stored[u.Offset : u.Offset+u.Size])
	if u.State == nil {
		return s.decode(t, src, 64<<10, nil)
	}
	d, err := s.c.Restart(src, codec.Point{Stored: u.Offset, Decoded: decoded, State: u.State}, new(codec.Options))
	if err != nil {
		t.Fatalf("Restart of unit %+v: got %v", u, err)
	}
	defer d.Close()
	return read(t, d, 64<<10)
}
