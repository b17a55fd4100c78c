package ahead

import "time"

// readInline reads from inline and measures how fast that is.
func (d *Decoder) readInline(p []byte) (int, error) {
	if d.feed.off || d.feed.finder.done() {
		return d.inline.Read(p)
	}
	began := time.Now()
	n, err := d.inline.Read(p)
	d.pace.add(n, time.Since(began), d.fastest()*float64(d.c.Workers))
	return n, err
}

// pace is how fast the inline decoder is at its best: what it is on average depends on who
// else uses the processors.
type pace struct {
	bytes int64 // of a measurement
	took  time.Duration
	count int     // measurements
	best  float64 // of them, in bytes a second
	slow  bool    // slower than a limit, as far as is known
}

const (
	// paceBytes is how much is decoded for one measurement: more than the blocks of most
	// formats, which come at once.
	paceBytes = 2 << 20

	// paceCount is how many measurements decide, and by how much slower one is enough. The
	// first of all does not count, since the first pass over memory is slow.
	paceCount, paceSure = 3, 4
)

// add takes a read of n bytes into account.
func (p *pace) add(n int, took time.Duration, limit float64) {
	p.took += took
	if p.bytes += int64(n); p.bytes < paceBytes {
		return
	}
	rate := float64(p.bytes) / max(p.took, 1).Seconds()
	if p.bytes, p.took = 0, 0; rate < limit/paceSure {
		p.slow = true
		return
	}
	if p.count++; p.count == 1 {
		return
	}
	p.best = max(p.best, rate)
	if p.count > paceCount {
		p.slow = p.best < limit
		p.count, p.best = 1, 0
	}
}

// fastest is the rate of inline decoding, in bytes a second for each worker, from which on
// decoding ahead costs more than it gains: what helpers decode is not in the cache of who
// reads it, and with a large window not even in theirs.
func (d *Decoder) fastest() float64 {
	if d.c.DecoderMemory > 4<<20 {
		return 1e9
	}
	return 1.6e9
}
