package blob

// A chunk is a buffer on its way from the store to the consumer.
type chunk struct {
	buf  []byte
	r, w int  // read and written so far
	own  bool // reserved: one of the two that need no Budget
}

const (
	smallChunk = 64 << 10  // if ReadAhead is under 256 KiB
	largeChunk = 128 << 10 // two of them are the 256 KiB that need no Budget
	ownChunks  = 2
	maxSpare   = 64 // emptied chunks that wait for bytes: of a range that came whole, all come free at once
)

// chunks is the memory of one reader. Two chunks are reserved for the first part; all
// others, up to a number, are acquired from the Budget. So the first part continues
// whatever the Budget answers, and the others only try. Emptied chunks are kept, and
// stay charged, while there are bytes to come.
type chunks struct {
	size   int // of every chunk
	most   int // chunks beyond the reserved
	budget Budget

	owned    int      // reserved chunks in use
	ownSpare []*chunk // reserved chunks that were emptied
	charged  int      // other chunks, in use or spare
	spare    []*chunk
}

// fit makes chunks no larger than what there is to read. The stated size only ever
// makes them smaller.
func (m *chunks) fit(left int64) { m.size = int(min(int64(m.size), max(left, 1))) }

// get returns an empty chunk, or nil if there is no memory for it. first means that it
// is for the first part.
func (m *chunks) get(first bool) *chunk {
	if first && m.owned < ownChunks {
		m.owned++
		return m.reuse(&m.ownSpare, true)
	}
	if len(m.spare) == 0 {
		if m.charged >= m.most || m.budget != nil && !m.budget.TryAcquire(int64(m.size)) {
			return nil
		}
		m.charged++
	}
	return m.reuse(&m.spare, false)
}

func (m *chunks) reuse(spare *[]*chunk, own bool) *chunk {
	n := len(*spare)
	if n == 0 {
		return &chunk{buf: make([]byte, m.size), own: own}
	}
	c := (*spare)[n-1]
	*spare = (*spare)[:n-1]
	c.r, c.w = 0, 0
	return c
}

// put takes an emptied chunk back. wanted means that there are bytes to come.
func (m *chunks) put(c *chunk, wanted bool) {
	switch {
	case c.own:
		m.owned--
		m.ownSpare = append(m.ownSpare, c)
	case wanted && len(m.spare) < maxSpare:
		m.spare = append(m.spare, c)
	default:
		m.release(1)
	}
}

// trim releases the emptied chunks.
func (m *chunks) trim() {
	m.release(len(m.spare))
	m.spare, m.ownSpare = nil, nil
}

func (m *chunks) release(n int) {
	m.charged -= n
	if m.budget != nil && n > 0 {
		m.budget.Release(int64(n * m.size))
	}
}
