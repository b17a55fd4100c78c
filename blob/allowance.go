package blob

import "sync"

// allowance bounds requests beyond the regular ones: a few at once, and a share of
// the regular ones in the long run. It is safe for concurrent use.
type allowance struct {
	share float64
	most  float64

	mu   sync.Mutex
	left float64
}

func newAllowance(burst int, share float64) *allowance {
	return &allowance{share: share, most: float64(burst), left: float64(burst)}
}

// earn counts one regular request.
func (a *allowance) earn() {
	a.mu.Lock()
	a.left = min(a.left+a.share, a.most)
	a.mu.Unlock()
}

// take spends one extra request, if there is one left.
func (a *allowance) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
