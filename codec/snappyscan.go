package codec

import (
	"fmt"
	"io"
)

// snappyUnit is how much a unit of a framed object decodes to before it ends: one
// chunk of S2's usual size, a run of Snappy's.
const snappyUnit = 1 << 20

// snappyGrammar goes from chunk to chunk of the framing that Snappy and S2 share.
type snappyGrammar struct {
	s2      bool  // the first stream may be one of S2 beside Snappy's; any other may
	inside  bool  // a stream began
	max     int64 // decoded bytes of a chunk in it
	kind    byte  // of the chunk
	size    int   // its stored bytes, checksum included
	decoded int64 // what it holds
	next    int64 // max after an identifier
}

func (g *snappyGrammar) look(b []byte, left int64) error {
	if len(b) == 0 {
		return atEnd(left)
	}
	if g.kind = b[0]; g.kind == chunkIdentifier || !g.inside {
		return g.identifier(b, left)
	}
	if len(b) < 4 {
		return short(b, left)
	}
	g.size = int(b[1]) | int(b[2])<<8 | int(b[3])<<16
	switch {
	case g.kind > chunkStored && g.kind < chunkSkippable:
		return fmt.Errorf("%w: chunk type %#02x", ErrUnsupported, g.kind)
	case g.kind <= chunkStored && g.size < 4:
		return fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, g.size)
	case g.kind == chunkStored:
		g.decoded = int64(g.size) - 4
	case g.kind == chunkCompressed:
		n := min(g.size+4, 13) // checksum and length
		length, varint, err := snappyHeader(b[min(8, len(b)):min(n, len(b))])
		switch {
		case err != nil:
			return err
		case varint == 0 && len(b) < n:
			return short(b, left)
		case varint == 0:
			return errSnappyBlock
		case int64(g.size) > blockBytes(length):
			return fmt.Errorf("%w: chunk of %d bytes for %d decoded ones", ErrCorrupt, g.size, length)
		}
		g.decoded = length
	default:
		return nil
	}
	if g.decoded > g.max {
		return fmt.Errorf("%w: chunk decodes to %d bytes, at most %d are allowed", ErrCorrupt, g.decoded, g.max)
	}
	return nil
}

// identifier looks at the identifier of a stream.
func (g *snappyGrammar) identifier(b []byte, left int64) error {
	m := prefix(b, snappyIdentifier)
	g.next = snappyChunkMax
	if m == NoMatch && (g.s2 || g.inside) {
		m = prefix(b, s2Identifier)
		g.next = s2ChunkMax
	}
	switch {
	case m == NeedMore:
		return short(b, left)
	case m == Matched:
		return nil
	case g.inside:
		return fmt.Errorf("%w: stream identifier", ErrCorrupt)
	}
	return errNoMember
}

// pass goes on to what stands after an identifier.
func (g *snappyGrammar) pass() { g.inside, g.max = true, g.next }

// snappyScanner lists streams and their chunks. A unit is a run of chunks, and opens
// with the state of its stream if it does not begin with an identifier.
type snappyScanner struct {
	g      snappyGrammar
	stream bool  // one began and did not end
	unit   int64 // decoded bytes of the unit
}

func newSnappyScanner(s2 bool) Scanner { return &snappyScanner{g: snappyGrammar{s2: s2}} }

// States of a stream: all that a chunk needs to know of what came before it.
const (
	snappyState   = "s"
	snappyStateS2 = "2"
)

func (g *snappyGrammar) state() []byte {
	if g.max == s2ChunkMax {
		return []byte(snappyStateS2)
	}
	return []byte(snappyState)
}

func (s *snappyScanner) Scan(b []byte, left int64) (Step, error) {
	g := &s.g
	err := g.look(b, left)
	switch {
	case s.stream && (err == io.EOF || err == nil && g.kind == chunkIdentifier):
		s.stream = false
		return Step{Role: StepEnd}, nil
	case err == errNoMember:
		return Step{}, ErrTrailing
	case err != nil:
		return Step{}, err
	case g.kind == chunkIdentifier:
		return s.begin(), nil
	}
	p := Part{Size: 4 + int64(g.size)}
	switch g.kind {
	case chunkCompressed, chunkStored:
		if p.Kind = "compressed chunk"; g.kind == chunkStored {
			p.Kind = "raw chunk"
		}
		p.Decoded, p.Checksum = g.decoded, "crc32c"
		st := Step{Role: StepBlock, Part: p}
		if s.unit >= snappyUnit {
			st.Unit, st.State, s.unit = true, g.state(), 0
		}
		s.unit += g.decoded
		return st, nil
	case 0x99:
		p.Kind = "s2 index"
		return Step{Role: StepSkip, Part: p, Variants: snappyIndexed}, nil
	case 0xfe:
		p.Kind = "padding"
	default:
		p.Kind = skippableKinds[g.kind]
	}
	return Step{Role: StepSkip, Part: p}, nil
}

// skippableKinds name chunks to be skipped by their type.
var skippableKinds = func() (names [256]string) {
	for k := range names {
		names[k] = fmt.Sprintf("skippable chunk %#02x", k)
	}
	return names
}()

var (
	snappyIndexed = []string{"indexed"}
	snappyInS2    = []string{"snappy stream"}
	s2Stream      = []string{"s2 stream"}
)

// begin is the step of an identifier.
func (s *snappyScanner) begin() Step {
	g := &s.g
	st := Step{Role: StepBegin, Unit: true, Memory: chunkMemory(g.next), Part: Part{
		Kind: "stream", Size: int64(len(snappyIdentifier)), Decoded: -1, Window: g.next, Checksum: "crc32c",
	}}
	switch {
	case g.next == s2ChunkMax:
		st.Variants = s2Stream
		if g.inside && !g.s2 {
			st.State = g.state() // the codec does not open with S2
		}
	case g.s2:
		st.Variants = snappyInS2
	}
	g.pass()
	s.stream, s.unit = true, 0
	return st
}

// resume implements resumer: a unit or point after the identifier of its stream.
func (f *snappyFramed) resume(in *Input, state []byte) error {
	f.max, f.inside = snappyChunkMax, true
	if string(state) == snappyStateS2 {
		f.max = s2ChunkMax
	}
	err := f.begin(in, false)
	if err == io.EOF {
		err = errBetween // there was an identifier, and no chunk
	}
	return err
}

// point implements resumer. Chunks are members: their borders are the points.
func (f *snappyFramed) point() (Point, bool) { return Point{}, false }
