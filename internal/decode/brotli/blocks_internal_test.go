package brotli

import "testing"

// TestOnlyBlock: a category of one type has no codes for the next block, and never
// ends. More commands than its count are in a meta-block only if they copy words that a
// transform leaves nothing of.
func TestOnlyBlock(t *testing.T) {
	k := blocks{types: 1}
	if k.next(new(bitReader)); k.left <= 0 || k.current != 0 {
		t.Errorf("got type %d with %d left, want more of type 0", k.current, k.left)
	}
	k = blocks{types: 1}
	if acc, n := k.nextFrom(5, 56); k.left <= 0 || k.current != 0 || acc != 5 || n != 56 {
		t.Errorf("got type %d with %d left and %d bits, want more of type 0 and all bits", k.current, k.left, n)
	}
}
