package faultstore

// Counts are what was asked of a store since it was made.
type Counts struct {
	Calls    [ops]int // by Op
	Faults   [int(lastOfKinds)]int
	Bytes    int64 // of bodies given
	Open     int   // bodies that are open
	MostOpen int   // bodies that were open at once
}

// Struck is how many calls met a fault.
func (c *Counts) Struck() (n int) {
	for _, k := range c.Faults {
		n += k
	}
	return n
}

// Counts are those of now.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// opened counts a body.
func (s *Store) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Open++
	s.counts.MostOpen = max(s.counts.MostOpen, s.counts.Open)
}

// closed counts the end of a body.
func (s *Store) closed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Open--
}

// gave counts bytes of a body.
func (s *Store) gave(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Bytes += int64(n)
}
