//go:build linux && amd64 && !purego && !noasm

package zstd

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/mem"
)

// randomTables has tables of every accuracy and mode, and codes with the most
// extra bits.
func randomTables(r *rand.Rand) *tables {
	t := new(tables)
	t.reset(nil)
	for _, p := range t.parts(predefined()) {
		switch r.IntN(4) {
		case 0:
			p.take()
		case 1: // one symbol
			*p.log, p.now[0] = 0, p.codes.of[p.codes.n-1-r.IntN(min(p.codes.n, 8))]
		default:
			c := counts{log: minLog + r.IntN(p.most-minLog+1), n: 1 + r.IntN(p.codes.n)}
			for left := 1 << c.log; left > 0; {
				at, some := r.IntN(c.n), 1+r.IntN(left)
				switch {
				case c.of[at] == 0 && some == 1:
					c.of[at] = -1
				case c.of[at] < 0:
					c.of[at] = 1 + int16(some)
				default:
					c.of[at] += int16(some)
				}
				left -= some
			}
			build(p.now, &c, &p.codes.of)
			*p.log = c.log
		}
	}
	return t
}

// TestDecodeKernel: the assembled loop decodes what bits read one after the other
// say, and touches no byte outside of them.
func TestDecodeKernel(t *testing.T) {
	if !assembled {
		t.Skip("this processor lacks AVX2 or BMI2")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var place [2][]byte
	for i := range place {
		place[i] = between(t, 1000, i == 0)
	}
	for round := range 2000 {
		tables := randomTables(r)
		in := place[round%2]
		if round%2 == 0 {
			in = in[:lead+1+r.IntN(len(in)-lead-1)]
		} else {
			in = in[r.IntN(len(in)-lead-1):]
		}
		for i := range in {
			in[i] = byte(r.Uint32() | 1)
		}
		var s sequenceBits
		if err := s.start(in, tables); err != nil || s.p < lead {
			continue
		}
		var d decoder
		d.tables, d.bits = *tables, s
		x := execution{repeated: repeatsOf(1+r.Uint64N(5), 1+r.Uint64N(100), 1+r.Uint64N(100))}
		d.execution = x
		k := &d.kernel
		d.begin(k, 1+r.IntN(batchSize))
		decodeBMI2(k)
		d.end(k)
		got := d.bits

		bits := backward{b: s.b, left: s.left()}
		ls, os, ms := s.literal, s.offset, s.match
		for i, seq := range k.batch[:k.n] {
			if bits.left < 8*lead && i > 0 {
				t.Fatalf("round %d: sequence %d of %d begins with %d bits left", round, i, k.n, bits.left)
			}
			le, oe, me := tables.literals[ls], tables.offsets[os], tables.matches[ms]
			var want sequence
			want.offset = uint64(oe.value()) + bits.read(int(oe.extra()))
			want.match = me.value() + uint32(bits.read(int(me.extra())))
			want.literals = le.value() + uint32(bits.read(int(le.extra())))
			ls = le.next() + uint(bits.read(int(le.bits())))
			ms = me.next() + uint(bits.read(int(me.bits())))
			os = oe.next() + uint(bits.read(int(oe.bits())))
			if want.offset = x.offset(want); seq != want {
				t.Fatalf("round %d: sequence %d: got %+v, want %+v", round, i, seq, want)
			}
		}
		if got.left() != bits.left || got.literal != ls || got.offset != os || got.match != ms || d.execution.repeated != x.repeated {
			t.Fatalf("round %d: %d bits left and states %d, %d, %d after %d sequences, want %d and %d, %d, %d",
				round, got.left(), got.literal, got.offset, got.match, k.n, bits.left, ls, os, ms)
		}
	}
}

// TestExecuteKernel: the assembled loop and executeOne execute what executeOne does alone, and
// touch nothing outside of the buffers and their slack.
func TestExecuteKernel(t *testing.T) {
	if !assembled {
		t.Skip("this processor lacks AVX2 or BMI2")
	}
	r := rand.New(rand.NewPCG(1, 3))
	const most = 4000
	lit, buf := between(t, most+slack, false), between(t, 3*most+slack, false)
	bufs := [2][]byte{between(t, len(buf), true), buf}
	for round := range 3000 {
		for i := range buf {
			buf[i] = byte(r.Uint32())
		}
		// Not full: with a dictionary or without. Full: old bytes are the buffer's.
		var out output
		room := 1 + r.IntN(most)
		switch round % 3 {
		case 0:
			out = output{w: r.IntN(most), window: 1 + r.IntN(2*most)}
		case 1:
			out = output{w: r.IntN(most), window: 1 + r.IntN(2*most), old: make([]byte, r.IntN(300))}
		case 2:
			out = output{window: 1 + r.IntN(most), full: true}
			end := 2*most + r.IntN(most)
			out.w = r.IntN(end - out.window - room - slack)
			if r.IntN(2) == 0 {
				out.w = r.IntN(min(out.w+1, 64))
			}
			out.old = buf[:end]
		}
		size := r.IntN(most)
		at := len(lit) - slack - size
		for i := range lit {
			lit[i] = byte(r.Uint32())
		}
		batch := make([]sequence, 1+r.IntN(batchSize))
		for i := range batch {
			longest := 1 + r.IntN(1<<r.IntN(10))
			batch[i] = sequence{uint32(r.IntN(longest)), uint32(3 + r.IntN(longest)), uint64(r.IntN(1 << r.IntN(13)))}
			if r.IntN(20) > 0 {
				batch[i].offset++
			}
		}
		var d [2]decoder
		var errs [2]error
		for i := range d {
			copy(bufs[i], buf)
			d[i].out = out
			d[i].out.buf = bufs[i]
			if out.full {
				d[i].out.old = bufs[i][:len(out.old)]
			}
			d[i].execution.start(&d[i].out, lit[at:][:size:size+slack], room)
			k := &d[i].kernel
			k.n = copy(k.batch[:], batch)
			if i == 0 {
				errs[i] = d[i].execute(k)
				continue
			}
			for _, s := range batch {
				if errs[i] = d[i].executeOne(s, s.offset); errs[i] != nil {
					break
				}
			}
		}
		a, b := &d[0], &d[1]
		if a.out.w != b.out.w || a.execution.at != b.execution.at || (errs[0] == nil) != (errs[1] == nil) ||
			errs[0] != nil && errs[0].Error() != errs[1].Error() || !bytes.Equal(a.out.buf[:a.out.w], b.out.buf[:b.out.w]) {
			t.Fatalf("round %d: got to %d, literal %d and %v, want %d, %d and %v, or bytes differ",
				round, a.out.w, a.execution.at, errs[0], b.out.w, b.execution.at, errs[1])
		}
		if end := b.execution.end + slack; !bytes.Equal(a.out.buf[end:], b.out.buf[end:]) {
			t.Fatalf("round %d: bytes behind the slack are not as they were", round)
		}
	}
}

// randomHuffman is the table of a tree that is split where chance says.
func randomHuffman(r *rand.Rand) *huffTable {
	t := new(huffTable)
	for {
		weights := []uint8{uint8(2 + r.IntN(huffBits))}
		for n := 1 + r.IntN(maxWeights); len(weights) < n; {
			at := r.IntN(len(weights))
			if weights[at] == 1 {
				break
			}
			weights[at]--
			weights = append(weights, weights[at])
		}
		var w huffWeights
		w.n = copy(w.of[:], weights) - 1
		if t.build(&w) == nil {
			return t
		}
	}
}

// TestStreamsKernel: the assembled loop decodes the literals that the portable one
// does.
func TestStreamsKernel(t *testing.T) {
	if !assembled {
		t.Skip("this processor lacks AVX2 or BMI2")
	}
	r := rand.New(rand.NewPCG(1, 4))
	for round := range 500 {
		table := randomHuffman(r)
		in := between(t, 400, round%2 == 0)
		for i := range in {
			in[i] = byte(r.Uint32())
		}
		var s [2]streams
		var out [2][]byte
		turns := 1 + r.IntN((len(in)/4-8)/7)
		for i := range s {
			out[i] = between(t, 4*turn*turns, i == 0)
			s[i] = streams{in: mem.Of(in), out: mem.Of(out[i]), quarter: turn * turns, table: table, turns: turns}
			for j := range s[i].p {
				s[i].p[j] = (j+1)*len(in)/4 - 8
				s[i].w[j] = mem.Load64(s[i].in, s[i].p[j]) | 1
			}
		}
		decodeStreamsBMI2(&s[0])
		s[1].portable()
		if s[0].w != s[1].w || s[0].p != s[1].p || s[0].i != s[1].i || !bytes.Equal(out[0], out[1]) {
			t.Fatalf("round %d: the loops differ after %d turns", round, turns)
		}
	}
}
