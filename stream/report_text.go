package stream

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thaw-go/thaw/internal/amount"
)

// Headline is the report in one line: decode throughput of a core, decode's share
// of the time in which lanes had work, and the codecs. Plain data counts for the share
// alone. The compression level is not shown, because formats do not store it. If the
// process had far less processor time than decoding and framing took, the line ends with
// "(disturbed: …)".
func (r *Report) Headline() string {
	packed := CodecReport{}
	var names []string
	levels := 0
	for _, c := range r.Codecs {
		names = append(names, c.Codec)
		if c.Codec != "none" {
			packed.Busy += c.Busy
			packed.Decoded += c.Decoded
			levels++
		}
	}
	codecs := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		codecs = "nothing read"
	case levels == 1:
		codecs += " (level unknown)"
	case levels > 1:
		codecs += " (levels unknown)"
	}
	rate := "nothing to decode"
	if packed.Busy > 0 {
		rate = "decode " + amount.Data(int64(packed.Rate())) + "/s per core"
	}
	line := fmt.Sprintf("%s · decode is %s of the read · %s", rate, percent(r.Stages.Decode, r.Stages.Sum()-r.Stages.Idle), codecs)
	if r.disturbed() {
		line += " (disturbed: other work held the processors)"
	}
	return line
}

// disturbed says that the process had less than half the processor time that its
// lanes spent in stages which do nothing but compute. Without figures of the
// processor it is false.
func (r *Report) disturbed() bool {
	cpu := r.CPUUser + r.CPUSystem
	return cpu > 0 && r.Stages.Decode+r.Stages.Frame > 2*cpu
}

// busy is how much of their time the workers computed: near 100 %, neither more
// lanes nor a faster link make the read faster.
func (r *Report) busy() string {
	return percent(r.Stages.Decode+r.Stages.Frame+r.Stages.Parse, time.Duration(r.Workers)*r.Wall)
}

// lanes is how many lanes ran, and why no more did.
func (r *Report) lanes() string {
	lanes := number(int64(r.Lanes), "lane")
	switch r.FewerLanes {
	case "objects":
		lanes += fmt.Sprintf(" of %d (no more objects)", r.MaxLanes)
	case "memory":
		lanes += fmt.Sprintf(" of %d (no more memory)", r.MaxLanes)
	}
	return lanes
}

// String is the report as tables. Shares are of all lanes' time; they and the
// shares of the time to the first record add up to 100.0 % as printed. The last
// line says whether the read is complete.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Headline())
	fmt.Fprintf(&b, "  %s\n  wall %s · %s · %s, %s busy · cpu %s user, %s system · memory %s of %s, heap %s\n",
		r.Source, seconds(r.Wall), r.lanes(), number(int64(r.Workers), "worker"), r.busy(),
		seconds(r.CPUUser), seconds(r.CPUSystem), amount.Memory(r.PeakMemory), amount.Memory(r.Memory), amount.Memory(r.PeakHeap))
	if all := r.Stages.Sum(); all > 0 && r.Stages.Idle > all/100 {
		fmt.Fprintf(&b, "  lanes were idle for %s of their time: no object was left for them; the headline is of the rest\n", percent(r.Stages.Idle, all))
	}
	if r.disturbed() {
		fmt.Fprintf(&b, "  decode and frame took %s, the process had %s of processor time: throughput and shares are not the data's\n",
			seconds(r.Stages.Decode+r.Stages.Frame), seconds(r.CPUUser+r.CPUSystem))
	}
	r.writeStages(&b)
	r.writeFirstRecord(&b)
	r.writeFormats(&b)
	r.writeCounts(&b)
	fmt.Fprintf(&b, "\n  %s\n", r.verdict())
	return b.String()
}

// parseGroup is what the sum below the stages calls stages frame and parse.
const parseGroup = "parse with frame"

func (r *Report) writeStages(b *strings.Builder) {
	fmt.Fprintf(b, "\n  %-11s %11s %9s\n", "stage", "per lane", "share")
	writeWaterfall(b, r.Stages, time.Duration(max(1, r.Lanes)))
	fmt.Fprintf(b, "  %-11s %11s %9s\n", "wall", seconds(r.Wall), "100.0 %")
	share := map[string]int{}
	shares := r.Stages.shares()
	i := 0
	for name := range r.Stages.All() {
		group := name
		switch name {
		case "frame", "parse":
			group = parseGroup
		case "list", "plan", "queue", "checkpoint", "idle":
			group = "other"
		}
		share[group] += shares[i]
		i++
	}
	var groups []string
	for _, g := range []string{"fetch", "decode", parseGroup, "restore", "sink", "other"} {
		groups = append(groups, g+" "+tenths(share[g]))
	}
	fmt.Fprintf(b, "  = %s\n", strings.Join(groups, " · "))
}

func (r *Report) writeFirstRecord(b *strings.Builder) {
	f := r.FirstRecord
	if f.After <= 0 {
		return
	}
	fmt.Fprintf(b, "\n  until the first record\n")
	writeWaterfall(b, f.Stages, 1)
	fmt.Fprintf(b, "  %-11s %11s %9s\n", "in all", seconds(f.After), "100.0 %")
}

// writeWaterfall writes a line for each stage that took time, its bar after
// those of the stages before.
func writeWaterfall(b *strings.Builder, s Stages, lanes time.Duration) {
	shares := s.shares()
	i, at := 0, 0
	for name, d := range s.All() {
		if d > 0 {
			fmt.Fprintf(b, "  %-11s %11s %9s  %s\n", name, seconds(d/lanes), tenths(shares[i]), bar(at, at+shares[i]))
		}
		at += shares[i]
		i++
	}
}

// bar draws what lies between two points of 0 to 1000 on 40 columns.
func bar(from, to int) string {
	const scale = 25 // tenths of a percent in a column
	start, end := (from+scale/2)/scale, (to+scale/2)/scale
	if start == end {
		return strings.Repeat(" ", start) + "▏"
	}
	return strings.Repeat(" ", start) + strings.Repeat("█", end-start)
}

// writeFormats writes which codecs and framers were met.
func (r *Report) writeFormats(b *strings.Builder) {
	if len(r.Codecs) > 0 {
		fmt.Fprintf(b, "\n  %-13s %8s %10s %10s %8s %14s\n", "codec", "objects", "stored", "decoded", "ratio", "decode/core")
	}
	for _, c := range r.Codecs {
		ratio, rate := "-", "-"
		if c.Stored > 0 {
			ratio = fmt.Sprintf("%.1f x", float64(c.Decoded)/float64(c.Stored))
		}
		if c.Codec != "none" && c.Rate() > 0 {
			rate = amount.Data(int64(c.Rate())) + "/s"
		}
		fmt.Fprintf(b, "  %-13s %8d %10s %10s %8s %14s\n", c.Codec, c.Objects, amount.Data(c.Stored), amount.Data(c.Decoded), ratio, rate)
	}
	if len(r.Framers) > 0 {
		fmt.Fprintf(b, "\n  %-13s %8s  chosen by\n", "framer", "objects")
	}
	for _, f := range r.Framers {
		fmt.Fprintf(b, "  %-13s %8d  %s\n", f.Framer, f.Objects, f.evidence())
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(b, "  conflict: %s\n", c)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "  note: %s: %s (the first: %s)\n", number(n.Objects, "object"), n.Note, shown(n.First))
	}
}

// writeCounts writes what became of the objects, with the records that were delivered
// from them, and of records. Where all is done, the outcomes that did not occur are
// not shown.
func (r *Report) writeCounts(b *strings.Builder) {
	c := r.Counts
	fmt.Fprintf(b, "\n  %-13s %8s %10s %12s\n", "outcome", "objects", "stored", "delivered")
	for i, row := range []struct {
		name string
		t    Tally
	}{{"listed", c.Listed}, {"done", c.Done}, {"left out", c.Skipped}, {"failed", c.Failed}, {"remaining", c.Remaining()}} {
		if i < 2 || c.Done.Objects != c.Listed.Objects {
			fmt.Fprintf(b, "  %-13s %8d %10s %12d\n", row.name, row.t.Objects, amount.Data(row.t.Size), row.t.Delivered)
		}
	}
	var notes []string
	for _, n := range []struct {
		n         int64
		one, many string
	}{
		{c.Empty, "empty object", "empty objects"},
		{c.NoRecords, "object without records", "objects without records"},
		{c.Markers, "folder marker", "folder markers"},
		{c.Indexes, "index of another object", "indexes of other objects"},
		{c.Gone, "object deleted before it was read", "objects deleted before they were read"},
		{c.Own, "object that the job itself writes left out", "objects that the job itself writes left out"},
		{c.Doubtful, "object that may be cut", "objects that may be cut"},
		{c.Changed, "object read again from its start since it changed", "objects read again from their start since they changed"},
		{c.Retried, "retry", "retries"},
		{c.Deferred, "archived object held back", "archived objects held back"},
		{c.RecordsSkipped, "record left out", "records left out"},
		{c.RecordsTruncated, "record shortened", "records shortened"},
		{r.After.Done, "object acted upon", "objects acted upon"},
		{r.After.Kept, "object replaced before it was acted upon", "objects replaced before they were acted upon"},
		{r.After.LeftOut, "object not acted upon since something was left out", "objects not acted upon since something was left out"},
		{r.After.Failed, "action failed", "actions failed"},
		{r.After.Pending, "object to be acted upon", "objects to be acted upon"},
	} {
		switch {
		case n.n == 1:
			notes = append(notes, "1 "+n.one)
		case n.n > 1:
			notes = append(notes, fmt.Sprintf("%d %s", n.n, n.many))
		}
	}
	if r.Resumed {
		notes = append(notes, fmt.Sprintf("resumed: earlier runs did %s and %s",
			number(r.Earlier.Done.Objects, "object"), number(r.Earlier.Delivered(), "record")))
	}
	if r.Saves > 0 {
		notes = append(notes, fmt.Sprintf("%s of the manifest in %s", number(r.Saves, "save"), seconds(r.SaveTime)))
	}
	if len(notes) > 0 {
		fmt.Fprintf(b, "  %s\n", strings.Join(notes, "; "))
	}
	b.WriteString(r.Redecoded.text())
	if r.Resumed {
		b.WriteString("  listed from the manifest's mark on: objects new since then whose names sort before it are not looked for\n")
	}
}

func (r *Report) verdict() string {
	switch {
	case r.Complete() && r.Counts.Listed.Objects == 0 && !r.Resumed:
		return "NOTHING READ: there was no object"
	case r.Complete() && r.Counts.Doubtful+r.Earlier.Doubtful > 0:
		return fmt.Sprintf("COMPLETE: every listed object was read to its end, but %s may be cut",
			number(r.Counts.Doubtful+r.Earlier.Doubtful, "object"))
	case r.Complete() && len(r.Conflicts) > 0:
		return fmt.Sprintf("COMPLETE: every listed object was read to its proven end, but see the %s above",
			number(int64(len(r.Conflicts)), "conflict"))
	case r.Complete():
		return "COMPLETE: every listed object was read to its proven end"
	case r.Error != "":
		return "NOT COMPLETE: " + r.Error
	case r.Stopped:
		return "NOT COMPLETE: stopped before everything was read"
	case r.After.Error != "":
		return "NOT COMPLETE: " + r.After.Error
	}
	return "NOT COMPLETE: something was left out"
}

// shares are the stages' shares in tenths of a percent, rounded so that they add
// up to 1000: each down, then those with the largest remainders up.
func (s Stages) shares() []int {
	sum := s.Sum()
	var shares, order []int
	var rest []int64
	left := 1000
	for _, d := range s.All() {
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

func percent(part, whole time.Duration) string {
	if whole <= 0 {
		return "0.0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// tenths spells tenths of a percent.
func tenths(n int) string { return fmt.Sprintf("%d.%d %%", n/10, n%10) }

func seconds(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// number counts what has a plural in s.
func number(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
