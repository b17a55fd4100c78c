package blob

import "sync"

// tokenBucket bounds requests beyond the regular ones: a burst at once, and a share of
// the regular ones in the long run. It is safe for concurrent use.
type tokenBucket struct {
	share float64
	burst float64

	mu     sync.Mutex
	tokens float64
}

func newTokenBucket(burst int, share float64) *tokenBucket {
	return &tokenBucket{share: share, burst: float64(burst), tokens: float64(burst)}
}

// refill adds the share of one regular request.
func (b *tokenBucket) refill() {
	b.mu.Lock()
	b.tokens = min(b.tokens+b.share, b.burst)
	b.mu.Unlock()
}

// take spends a token. It reports whether there was one.
func (b *tokenBucket) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
