package catalog

import (
	"crypto/sha256"

	"github.com/thaw-go/thaw/blob"
)

// recentObjects is how many objects repeats remembers. With their sums they take some
// 500 KB.
const recentObjects = 4096

// repeats knows the objects that lines named of late: those of one quarantine are of all
// lanes in turn.
type repeats struct {
	recent map[[sha256.Size]byte]bool
	ring   [][sha256.Size]byte // the oldest at next, once it is full
	next   int
}

// has reports whether obj was named of late, and remembers it if not.
func (r *repeats) has(obj blob.Object) bool {
	sum := sha256.Sum256([]byte(obj.Key + "\x00" + obj.Version))
	if r.recent[sum] {
		return true
	}
	if r.recent == nil {
		r.recent = map[[sha256.Size]byte]bool{}
	}
	r.recent[sum] = true
	if len(r.ring) < recentObjects {
		r.ring = append(r.ring, sum)
		return false
	}
	delete(r.recent, r.ring[r.next])
	r.ring[r.next] = sum
	r.next = (r.next + 1) % recentObjects
	return false
}
