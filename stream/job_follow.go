package stream

import (
	"context"
	"time"
)

// follow lists the source again and again until ctx ends.
func (j *job) follow(ctx context.Context) {
	every := j.opts.Follow.resolve().Every
	for {
		after, ordinal := j.ledger.place()
		if !j.listOnce(ctx, after, ordinal) {
			return
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
		j.ledger.beginPass()
	}
}
