package sample

import (
	"runtime/metrics"
	"sync"
	"time"
)

// Heap watches the live heap until the function that it returns is called, which
// gives the largest that a collection found.
func Heap() (peak func() int64) {
	stop := make(chan struct{})
	var most int64
	var wg sync.WaitGroup
	wg.Go(func() {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				metrics.Read(s)
				most = max(most, int64(s[0].Value.Uint64()))
			}
		}
	})
	return func() int64 {
		close(stop)
		wg.Wait()
		return most
	}
}
