package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

// blockLimit is the most that a block may store or decode to.
const blockLimit = 128 << 10

// Types of a block, RFC 8878 section 3.1.1.2.
const (
	BlockRaw = iota
	BlockRLE
	BlockCompressed
	BlockReserved
)

// Block is the header of a block.
type Block struct {
	Last bool
	Type int
	Size int // decoded bytes, or stored ones of a compressed block
}

// ParseBlock reads the header of a block, the first three bytes of b.
func ParseBlock(b []byte) Block {
	v := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	return Block{v&1 != 0, v >> 1 & 3, v >> 3}
}

// Check is the fault of a block in a frame of so large a window.
func (b Block) Check(window int64) error {
	switch {
	case b.Type == BlockReserved:
		return fault.Corruptf("reserved block type")
	case int64(b.Size) > min(window, blockLimit):
		return errBlockSize
	}
	return nil
}

// Stored is how many bytes follow the header.
func (b Block) Stored() int {
	if b.Type == BlockRLE {
		return 1
	}
	return b.Size
}

// decoder is what the blocks of a frame share.
type decoder struct {
	out      output
	blockMax int // of the frame

	lit       []byte     // the literals of the block
	huff      *huffTable // of the last block that had one; nil before it
	tables    tables     // of the last block that had sequences
	execution execution
	bits      sequenceBits

	kernel  kernel
	counts  counts
	ownLit  []byte
	ownHuff huffTable
}

// reset begins a frame. dict may be nil.
func (d *decoder) reset(window int, dict *Dict) {
	d.blockMax = min(window, blockLimit)
	d.lit = nil
	if dict == nil {
		d.huff, d.execution.repeated = nil, repeatsOf(1, 4, 8)
		d.tables.reset(nil)
		d.out.reset(window, nil)
		return
	}
	d.huff, d.execution.repeated = &dict.huff, repeatsOf(dict.repeated[0], dict.repeated[1], dict.repeated[2])
	d.tables.reset(&dict.tables)
	d.out.reset(window, dict.content)
}

// compressed decodes the block b.
func (d *decoder) compressed(b []byte) error {
	n, err := d.literals(b)
	if err != nil {
		return err
	}
	return d.sequences(b[n:])
}
