package archive

import (
	"fmt"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/stream"
)

// String returns the plan as a table for people.
func (p *Plan) String() string {
	var b strings.Builder
	for _, row := range []struct {
		name string
		t    stream.Tally
	}{{"online", p.Online}, {"restored", p.Restored}, {"restoring", p.Restoring}, {"archived", p.Archived}} {
		fmt.Fprintf(&b, "%-10s %10d %-7s %10s\n", row.name, row.t.Objects, nounFor(row.t.Objects), amount.Data(row.t.Size))
	}
	for _, c := range p.Classes {
		wait := "the wait is not known"
		if c.Wait > 0 {
			wait = "up to " + hoursText(c.Wait) + " each, all at once"
		}
		fmt.Fprintf(&b, "  %-8s %10d %-7s %10s  %s\n", c.Class, c.Tally.Objects, nounFor(c.Tally.Objects), amount.Data(c.Tally.Size), wait)
	}
	if p.Small.Objects > 0 {
		fmt.Fprintf(&b, "%d of the archived objects (%d %%) below 128 KiB: each costs a request and a least size\n",
			p.Small.Objects, p.Small.Objects*100/p.Archived.Objects)
	}
	if p.Requested.Objects > 0 {
		fmt.Fprintf(&b, "%-10s %10d %-7s %10s\n", "asked for", p.Requested.Objects, nounFor(p.Requested.Objects), amount.Data(p.Requested.Size))
	}
	if p.Failed.Objects > 0 {
		fmt.Fprintf(&b, "%-10s %10d %s", "failed", p.Failed.Objects, nounFor(p.Failed.Objects))
		if len(p.Failures) > 0 {
			fmt.Fprintf(&b, "; the first: %q: %s", p.Failures[0].Key, p.Failures[0].Error)
		}
		b.WriteByte('\n')
	}
	if p.Readable() && p.Failed.Objects == 0 {
		fmt.Fprintf(&b, "objects that can be read now: all %d\n", p.Objects())
	}
	return b.String()
}

// nounFor is the noun after a number of objects.
func nounFor(objects int64) string {
	if objects == 1 {
		return "object"
	}
	return "objects"
}

// hoursText is a wait as services state it.
func hoursText(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}
