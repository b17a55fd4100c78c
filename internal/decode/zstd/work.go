package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

// A block of 16 bytes may bring tables of 1280 entries for a sequence of 3 bytes, or
// 255 Huffman weights for a literal. What encoders write has at most two entries
// and weights for each byte, since they choose tables by what these save.
const (
	freeWork = 1 << 16 // entries and weights that any object may have
	workRate = 5       // and how many more for each byte, stored or decoded
)

// afford fails once tables have cost much more than the bytes so far.
func (r *Reader) afford() error {
	if allowed := freeWork + workRate*r.done; r.d.counts.work > allowed {
		return &fault.Error{Kind: fault.Tables, Needed: r.d.counts.work, Allowed: allowed}
	}
	return nil
}
