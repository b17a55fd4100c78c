package inflate

import (
	"io"
	"math"
	"sync"
	"sync/atomic"
)

// Decode decodes the stream at the start of src, several pieces at a time, each by
// its own goroutine, writes them to w where they belong, and returns the CRC-32
// of all. Pieces are taken in order; workers below 1 are 1. The memory of a worker
// is some 300 KiB and two marks, whatever the size of a piece.
//
// Every piece must lead to the next mark, window included, so what is written is
// what decoding in order returns, and a checksum of the stream holds for it. An error
// is that of the first piece that fails. The bytes of all pieces before that one
// are written, and an [*Error] says how many of its own. No goroutine is left when
// Decode returns.
func (m *Marked) Decode(src io.ReaderAt, w io.WriterAt, workers int) (crc uint32, err error) {
	type result struct {
		crc  uint32
		size int64
		err  error
	}
	var (
		wg      sync.WaitGroup
		results = make([]result, m.Len+1)
		next    atomic.Int64
		failed  atomic.Int64 // the first piece that failed
	)
	failed.Store(math.MaxInt64)
	for range max(1, min(workers, len(results))) {
		wg.Go(func() {
			p := newPiecer(m, src, w)
			for {
				i := next.Add(1) - 1
				if i >= int64(len(results)) || i > failed.Load() {
					return
				}
				r := &results[i]
				if r.crc, r.size, r.err = p.piece(int(i)); r.err != nil {
					lower(&failed, i)
				}
			}
		})
	}
	wg.Wait()
	for _, r := range results {
		if r.err != nil {
			return 0, r.err
		}
		crc = CombineCRC(crc, r.crc, r.size)
	}
	return crc, nil
}

// lower makes v at most n.
func lower(v *atomic.Int64, n int64) {
	for old := v.Load(); n < old && !v.CompareAndSwap(old, n); {
		old = v.Load()
	}
}
