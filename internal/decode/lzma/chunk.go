package lzma

import "github.com/thaw-go/thaw/internal/decode/fault"

// Control bytes of LZMA2 chunks.
const (
	chunkEnd       = 0x00
	chunkRawReset  = 0x01 // stored bytes after a dictionary reset
	chunkRaw       = 0x02 // stored bytes
	chunkLZMA      = 0x80 // LZMA data; bits 0–4 are size bits 16–20
	chunkState     = 0xa0 // and a reset of the state
	chunkProps     = 0xc0 // and new parameters
	chunkDictReset = 0xe0 // and a dictionary reset
)

// Chunk is what the header of an LZMA2 chunk says.
type Chunk struct {
	End     bool  // it is the end mark
	Stored  int64 // bytes after the header
	Decoded int64

	raw      bool // not compressed
	reset    bool // of the dictionary
	state    bool // a reset of the state
	props    bool // newProps are there
	newProps Props
}

// Chunks goes from header to header of an LZMA2 stream. The zero value begins one.
type Chunks struct {
	hasDict  bool // the dictionary was reset
	hasProps bool // an LZMA chunk brought parameters since
}

// Next reads the header that b begins with. size is how long it is; if b is shorter,
// nothing else is said, and Next is to be called again with that many bytes.
func (s *Chunks) Next(b []byte) (c Chunk, size int, err error) {
	if len(b) == 0 {
		return c, 1, nil
	}
	control := b[0]
	c.reset = control >= chunkDictReset || control == chunkRawReset
	size = 6
	switch {
	case control == chunkEnd:
		c.End = true
		return c, 1, nil
	case c.reset:
	case control > chunkRaw && control < chunkLZMA:
		return c, 1, fault.Corruptf("LZMA2 control byte %#02x", control)
	case !s.hasDict:
		return c, 1, fault.Corruptf("LZMA2 data begins without a dictionary reset")
	}
	switch {
	case control < chunkLZMA:
		size = 3
	case control < chunkProps:
		size = 5
		if !s.hasProps {
			return c, 1, fault.Corruptf("LZMA2 chunk without the parameters that it needs")
		}
	}
	if len(b) < size {
		return c, size, nil
	}
	c.Decoded = int64(b[1])<<8 + int64(b[2]) + 1
	if c.raw = control < chunkLZMA; c.raw {
		c.Stored = c.Decoded
	} else {
		c.Decoded += int64(control&0x1f) << 16
		if c.Stored = int64(b[3])<<8 + int64(b[4]) + 1; c.Stored < 5 {
			return c, size, fault.Corruptf("LZMA2 chunk of %d stored bytes", c.Stored)
		}
		c.state = control >= chunkState
	}
	if c.props = !c.raw && control >= chunkProps; c.props {
		p, ok := ParseProps(b[5])
		if !ok || p.LC+p.LP > 4 {
			return c, size, fault.Corruptf("LZMA2 properties %#02x", b[5])
		}
		c.newProps = p
	}
	if c.reset {
		s.hasDict, s.hasProps = true, false
	}
	s.hasProps = s.hasProps || c.props
	return c, size, nil
}
