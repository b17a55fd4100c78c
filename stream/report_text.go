package stream

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Headline is the report in one line: decode throughput of a core, decode's share
// of the whole read, and the codecs. Formats do not store the level.
func (r *Report) Headline() string {
	var busy time.Duration
	var decoded int64
	var names []string
	for _, c := range r.Codecs {
		busy += c.Busy
		decoded += c.Decoded
		name := c.Codec
		if name != "none" {
			name += " (level unknown)"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		names = []string{"nothing decoded"}
	}
	rate := CodecReport{Decoded: decoded, Busy: busy}.Rate()
	return fmt.Sprintf("decode %s/s per core · decode is %s of the read · %s",
		bytesText(int64(rate)), percent(r.Stages.Decode, r.Stages.Sum()), strings.Join(names, ", "))
}

func percent(part, whole time.Duration) string {
	if whole <= 0 {
		return "0.0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// String is the report as a table. The shares are of all lanes' time and add up
// to 100.0 %.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Headline())
	fmt.Fprintf(&b, "\n%s: wall %s, %d lanes, %d workers\n\n", r.Source, seconds(r.Wall), r.Lanes, r.Workers)
	shares := r.shares()
	fmt.Fprintf(&b, "  %-11s %12s %8s\n", "stage", "time/lane", "share")
	i := 0
	for name, d := range r.Stages.All() {
		if d > 0 {
			per := d
			if r.Lanes > 0 {
				per /= time.Duration(r.Lanes)
			}
			fmt.Fprintf(&b, "  %-11s %12s %6d.%d %%  %s\n", name, seconds(per), shares[i]/10, shares[i]%10, bar(shares[i]))
		}
		i++
	}
	fmt.Fprintf(&b, "  %-11s %12s  100.0 %%\n", "wall", seconds(r.Wall))
	fmt.Fprintf(&b, "\n  rolled up: fetch %s · decode %s · parse %s · sink %s · restore %s · other %s\n", r.rollUp()...)
	if f := r.FirstRecord; f.After > 0 {
		fmt.Fprintf(&b, "  first record after %s:", seconds(f.After))
		for name, d := range f.Stages.All() {
			if d > 0 {
				fmt.Fprintf(&b, " %s %s", name, percent(d, f.After))
			}
		}
		b.WriteByte('\n')
	}
	if len(r.Codecs) > 0 {
		fmt.Fprintf(&b, "\n  %-14s %8s %11s %11s %7s %14s\n", "codec", "objects", "stored", "decoded", "ratio", "decode/core")
		for _, c := range r.Codecs {
			ratio := 0.0
			if c.Stored > 0 {
				ratio = float64(c.Decoded) / float64(c.Stored)
			}
			fmt.Fprintf(&b, "  %-14s %8d %11s %11s %6.1fx %12s/s\n", c.Codec, c.Objects,
				bytesText(c.Stored), bytesText(c.Decoded), ratio, bytesText(int64(c.Rate())))
		}
	}
	for _, f := range r.Framers {
		fmt.Fprintf(&b, "  framer %s for %d objects (%s)\n", f.Framer, f.Objects, f.Reason)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "  conflict: %s\n", c)
	}
	r.writeCounts(&b)
	return b.String()
}

func (r *Report) writeCounts(b *strings.Builder) {
	c := r.Counts
	rem := c.Remaining()
	fmt.Fprintf(b, "\n  %-10s %10s %12s %14s\n", "", "objects", "stored", "records")
	for _, row := range []struct {
		name string
		t    Tally
	}{{"listed", c.Listed}, {"done", c.Done}, {"skipped", c.Skipped}, {"failed", c.Failed}, {"remaining", rem}} {
		fmt.Fprintf(b, "  %-10s %10d %12s %14d\n", row.name, row.t.Objects, bytesText(row.t.Bytes), row.t.Records)
	}
	var notes []string
	for _, n := range []struct {
		n    int64
		text string
	}{
		{c.Empty, "empty objects"}, {c.NoRecords, "objects without records"}, {c.Markers, "folder markers"},
		{c.Changed, "objects begun anew since they changed"}, {c.Retried, "retries"},
		{c.RecordsSkipped, "records skipped"}, {c.RecordsTruncated, "records cut"},
	} {
		if n.n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n.n, n.text))
		}
	}
	if c.Redecoded > 0 {
		notes = append(notes, bytesText(c.Redecoded)+" decoded again to reach where the last run stopped")
	}
	if r.Resumed {
		notes = append(notes, fmt.Sprintf("resumed: %d objects and %d records done by earlier runs",
			r.Earlier.Done.Objects, r.Earlier.Records()))
	}
	if len(notes) > 0 {
		fmt.Fprintf(b, "  %s\n", strings.Join(notes, "; "))
	}
	fmt.Fprintf(b, "  cpu %s user, %s system; budget peak %s of %s; heap peak %s\n", seconds(r.CPUUser), seconds(r.CPUSystem),
		bytesText(r.PeakUsed), bytesText(r.Memory), bytesText(r.PeakHeap))
	switch {
	case r.Complete():
		fmt.Fprintf(b, "  read complete: every listed object was read to its proven end\n")
	case r.Error != "":
		fmt.Fprintf(b, "  NOT complete: %s\n", r.Error)
	case r.Stopped:
		fmt.Fprintf(b, "  NOT complete: the sink asked for the end\n")
	default:
		fmt.Fprintf(b, "  NOT complete: something was left out\n")
	}
}

// shares are the stages' shares in tenths of a percent, rounded so that they add
// up to 1000: each down, then those with the largest remainders up.
func (r *Report) shares() []int {
	sum := r.Stages.Sum()
	var shares, order []int
	var rest []int64
	left := 1000
	for _, d := range r.Stages.All() {
		if sum <= 0 {
			shares = append(shares, 0)
			continue
		}
		// In float64, since nanoseconds times 1000 overflow after 107 days.
		exact := float64(d) / float64(sum) * 1000
		shares = append(shares, int(exact))
		rest = append(rest, int64((exact-float64(int(exact)))*1e6))
		order = append(order, len(order))
		left -= int(exact)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rest[b] - rest[a]) })
	for _, i := range order {
		if left <= 0 {
			break
		}
		shares[i]++
		left--
	}
	return shares
}

func (r *Report) rollUp() []any {
	s, sum := r.Stages, r.Stages.Sum()
	other := s.List + s.Plan + s.Queue + s.Checkpoint + s.Idle
	var out []any
	for _, d := range []time.Duration{s.Fetch, s.Decode, s.Frame + s.Parse, s.Sink, s.Restore, other} {
		out = append(out, percent(d, sum))
	}
	return out
}

// bar draws tenths of a percent on 25 columns.
func bar(share int) string { return strings.Repeat("█", (share+39)/40) }

func seconds(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.3f ms", float64(d)/1e6)
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func bytesText(n int64) string {
	switch f := float64(n); {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", f/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", f/1e6)
	default:
		return fmt.Sprintf("%.2f GB", f/1e9)
	}
}
