// Package slab holds fixed-size buffers with reference counts on a bounded free
// list.
package slab

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Slab is a buffer that goes back to its List when its last reference is
// released. Bytes may be used between Get and that moment only.
type Slab struct {
	buf  []byte
	refs atomic.Int32
	list *List
}

// Bytes is the whole buffer.
func (s *Slab) Bytes() []byte { return s.buf }

// Retain adds a reference.
func (s *Slab) Retain() {
	if s.refs.Add(1) < 2 {
		panic("slab: retained after release")
	}
}

// Shared says whether more than one reference is held.
func (s *Slab) Shared() bool { return s.refs.Load() > 1 }

// Release drops a reference. It panics when there is none left.
func (s *Slab) Release() {
	switch n := s.refs.Add(-1); {
	case n < 0:
		panic("slab: released twice")
	case n == 0 && s.list != nil:
		s.list.put(s)
	}
}

// List is a free list of slabs of one size. It is safe for concurrent use.
type List struct {
	size int
	keep int

	mu   sync.Mutex
	free []*Slab
}

// NewList makes a List of slabs of size bytes that keeps at most keep free ones.
func NewList(size, keep int) *List {
	if size <= 0 {
		panic(fmt.Sprintf("slab: size %d", size))
	}
	return &List{size: size, keep: keep}
}

// Keep raises the number of free slabs that l keeps by n, or lowers it if n is below zero.
func (l *List) Keep(n int) {
	l.mu.Lock()
	l.keep += n
	for len(l.free) > l.keep {
		l.free[len(l.free)-1] = nil
		l.free = l.free[:len(l.free)-1]
	}
	l.mu.Unlock()
}

// Size is that of each slab, in bytes.
func (l *List) Size() int { return l.size }

// Get returns a slab with one reference. Its contents are arbitrary.
func (l *List) Get() *Slab {
	l.mu.Lock()
	var s *Slab
	if n := len(l.free); n > 0 {
		s = l.free[n-1]
		l.free[n-1] = nil
		l.free = l.free[:n-1]
	}
	l.mu.Unlock()
	if s == nil {
		s = &Slab{buf: make([]byte, l.size), list: l}
	}
	s.refs.Store(1)
	return s
}

// New returns a slab of size bytes that belongs to no list.
func New(size int) *Slab {
	s := &Slab{buf: make([]byte, size)}
	s.refs.Store(1)
	return s
}

func (l *List) put(s *Slab) {
	l.mu.Lock()
	if len(l.free) < l.keep {
		l.free = append(l.free, s)
	}
	l.mu.Unlock()
}
