package meter_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
)

// Every nanosecond between Start and At is in exactly one stage.
func TestTotalsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m meter.Meter
		start := time.Now()
		m.Start(start, meter.List)
		steps := []struct {
			stage meter.Stage
			stay  time.Duration
		}{{meter.Fetch, 3}, {meter.Decode, 5}, {meter.Fetch, 7}, {meter.Sink, 0}, {meter.Idle, 11}}
		time.Sleep(2 * time.Nanosecond)
		want := meter.Totals{meter.List: 2}
		for _, s := range steps {
			m.Enter(s.stage)
			time.Sleep(s.stay)
			want[s.stage] += s.stay
		}
		now := time.Now()
		if got := m.At(now); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := m.At(now).Sum(); got != now.Sub(start) {
			t.Errorf("sum is %v, elapsed %v", got, now.Sub(start))
		}
	})
}

func TestEnterTellsWhatWasLeft(t *testing.T) {
	var m meter.Meter
	m.Start(time.Now(), meter.List)
	if left, _ := m.Enter(meter.Fetch); left != meter.List {
		t.Errorf("left %v, want list", left)
	}
	if m.Stage() != meter.Fetch {
		t.Errorf("in %v, want fetch", m.Stage())
	}
}
