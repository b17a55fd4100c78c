package zstd

// blockLimit is the most that a block may store or decode to.
const blockLimit = 128 << 10

// Types of a block, RFC 8878 section 3.1.1.2.
const (
	blockRaw = iota
	blockRLE
	blockCompressed
	blockReserved
)

// block is the header of a block.
type block struct {
	last      bool
	typ, size int
}

func parseBlock(b []byte) block {
	v := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	return block{v&1 != 0, v >> 1 & 3, v >> 3}
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
