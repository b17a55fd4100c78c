package stream

import (
	"time"

	"github.com/thaw-go/thaw/internal/meter"
)

// blockedAfter is how long a call of the program's code may take before it counts as
// blocked.
const blockedAfter = time.Minute

// blockedCalls are the calls that were reported, by lane.
type blockedCalls map[int]blockedCall

type blockedCall struct {
	since time.Time     // of the call
	next  time.Duration // when it is reported again
}

// look reports the lanes whose call of the sink has not returned for long.
func (b *blockedCalls) look(now time.Time, lanes []*lane, hook func(SinkBlocked)) {
	for _, l := range lanes {
		stage, since := l.meter.StageSince()
		if stage != meter.Sink && stage != meter.Parse {
			continue
		}
		call, ok := (*b)[l.id]
		if !ok || !call.since.Equal(since) {
			call = blockedCall{since, blockedAfter}
		}
		if elapsed := now.Sub(since); elapsed >= call.next {
			hook(SinkBlocked{Lane: l.id, Stage: stage.String(), Elapsed: elapsed})
			call.next = 2 * elapsed
			if *b == nil {
				*b = blockedCalls{}
			}
			(*b)[l.id] = call
		}
	}
}
