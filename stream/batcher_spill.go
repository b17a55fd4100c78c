package stream

import (
	"context"

	"github.com/thaw-go/thaw/internal/slab"
)

// makeRoom makes room for decoded bytes at end: in this slab, in another one of the
// pool, or in a spill.
func (b *batcher) makeRoom(ctx context.Context) error {
	unfinished := b.end - b.start
	buf := b.slab.Bytes()
	shared := b.slab.Shared()
	switch {
	case unfinished <= slabHead && (shared || b.spill == 0 || b.lane.pool.budget.Wanted()):
		to := b.slab
		if shared || b.spill > 0 {
			to = b.lane.pool.slabs.Get()
		}
		copy(to.Bytes()[slabHead-unfinished:], buf[b.start:b.end])
		b.start, b.end = slabHead-unfinished, slabHead
		b.replace(to, 0)
		return nil
	case !shared && len(buf)-b.end >= slabHead:
		return nil
	case !shared && len(buf)-unfinished >= slabData:
		copy(buf, buf[b.start:b.end])
		b.start, b.end = 0, unfinished
		return nil
	}
	size := min(2*unfinished, b.config.MaxRecord) + slabData
	if err := b.reserve(ctx, size); err != nil {
		return err
	}
	to := slab.New(size)
	copy(to.Bytes(), buf[b.start:b.end])
	b.start, b.end = 0, unfinished
	b.replace(to, int64(size))
	return nil
}

// reserve requests memory for a slab of size bytes beside the present one.
func (b *batcher) reserve(ctx context.Context, size int) error {
	later := max(0, spillMax(b.config.MaxRecord)-b.spill-int64(size))
	if err := b.reader.reserve(ctx, int64(size), later); err != nil {
		return b.reader.failIn(ctx, err)
	}
	return nil
}

// replace makes to the slab; spill is what the account holds for it.
func (b *batcher) replace(to *slab.Slab, spill int64) {
	if to == b.slab {
		return
	}
	if b.slab != nil {
		b.slab.Release()
		if b.spill > 0 {
			b.lane.account.Release(b.spill)
		}
	}
	b.slab, b.spill = to, spill
}
