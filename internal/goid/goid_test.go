package goid_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/goid"
)

// A goroutine has one number, and another one has another.
func TestID(t *testing.T) {
	own := goid.ID()
	if own == 0 || own != goid.ID() {
		t.Errorf("got %d and %d, want one number", own, goid.ID())
	}
	other := make(chan uint64)
	go func() { other <- goid.ID() }()
	if id := <-other; id == 0 || id == own {
		t.Errorf("got %d on another goroutine than %d", id, own)
	}
}
