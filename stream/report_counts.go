package stream

import "encoding/json"

// Tally counts objects, their sizes in stored bytes, and the records that were
// delivered from them.
type Tally struct {
	Objects   int64 `json:"objects"`
	Size      int64 `json:"size_bytes"` // sum of their sizes; an unknown one counts as 0
	Delivered int64 `json:"delivered"`  // records
}

func (t *Tally) add(u Tally) {
	t.Objects += u.Objects
	t.Size += u.Size
	t.Delivered += u.Delivered
}

func (t Tally) sub(u Tally) Tally {
	return Tally{t.Objects - u.Objects, t.Size - u.Size, t.Delivered - u.Delivered}
}

// Counts says what became of the objects and records of a job. In each column Listed is
// Done + Skipped + Failed + [Counts.Remaining]. The records of an object count as
// delivered also if the object was left out afterwards. In JSON, "remaining" is one
// more field.
type Counts struct {
	Listed  Tally `json:"listed"`  // by the source, so far
	Done    Tally `json:"done"`    // read to their proven end
	Skipped Tally `json:"skipped"` // folder markers, indexes, own objects, and what a policy left out
	Failed  Tally `json:"failed"`  // their errors ended the job

	Empty     int64 `json:"empty"`      // of Done: objects of no bytes
	NoRecords int64 `json:"no_records"` // of Done: objects with bytes and without records
	Markers   int64 `json:"markers"`    // of Skipped: empty objects that stand for folders, see blob.Object.IsFolder
	Indexes   int64 `json:"indexes"`    // of Skipped: indexes of other objects (package codec/seek), by their extension
	Own       int64 `json:"own"`        // of Skipped: what the job itself writes, its manifest and Options.Writes

	// Gone are objects of Skipped that were deleted between being listed and being read,
	// in a job that follows its source.
	Gone int64 `json:"gone,omitempty"`

	// Doubtful are objects of Done that may be truncated although they ended
	// cleanly, such as BGZF without its end block. Report.Notes says why.
	Doubtful int64 `json:"doubtful,omitempty"`

	Changed  int64 `json:"changed"`            // how often an object that was replaced since it was listed was read in its new version
	Retried  int64 `json:"retried"`            // how often a policy read an object again
	Deferred int64 `json:"deferred,omitempty"` // how often an archived object was held back to be restored

	RecordsSkipped   int64 `json:"records_skipped"`   // left out by a policy or OversizedPolicy
	RecordsTruncated int64 `json:"records_truncated"` // of those delivered: shortened to MaxRecord

	Stored    int64 `json:"stored_bytes"`    // stored bytes that were decoded, repetitions included
	Decoded   int64 `json:"decoded_bytes"`   // bytes that they decoded to
	Redecoded int64 `json:"redecoded_bytes"` // of Decoded: once more. Report.Redecoded says why
}

// Delivered returns the number of records delivered.
func (c *Counts) Delivered() int64 { return c.Listed.Delivered }

// Remaining returns the objects that are listed and not finished, with the records
// delivered from them so far. An object that is half read counts with its whole size.
// Until the listing is done it is a lower bound: objects that are not listed yet are
// not among them.
func (c *Counts) Remaining() Tally {
	return c.Listed.sub(c.Done).sub(c.Skipped).sub(c.Failed)
}

// MarshalJSON implements [json.Marshaler].
func (c Counts) MarshalJSON() ([]byte, error) {
	type fields Counts
	return json.Marshal(struct {
		fields
		Remaining Tally `json:"remaining"`
	}{fields(c), c.Remaining()})
}

// outcomes are the counts of c that say what became of objects.
func (c Counts) outcomes() Counts {
	return Counts{
		Done: c.Done, Skipped: c.Skipped, Failed: c.Failed,
		Empty: c.Empty, NoRecords: c.NoRecords, Markers: c.Markers, Indexes: c.Indexes, Own: c.Own, Gone: c.Gone,
		Doubtful: c.Doubtful,
	}
}

// records are the counts of records alone.
func (c *Counts) records() Counts {
	return recordCounts(c.Listed.Delivered, c.RecordsSkipped, c.RecordsTruncated)
}

// noData is how many objects were skipped that are none to read.
func (c *Counts) noData() int64 { return c.Markers + c.Indexes + c.Own + c.Gone }

// leftOut is how many records were left out or shortened.
func (c *Counts) leftOut() int64 { return c.RecordsSkipped + c.RecordsTruncated }

// recordCounts are the counts of an object's records.
func recordCounts(delivered, skipped, truncated int64) Counts {
	return Counts{Listed: Tally{Delivered: delivered}, RecordsSkipped: skipped, RecordsTruncated: truncated}
}

func (c *Counts) add(d Counts) { c.shift(d, 1) }

// sub is c less d.
func (c Counts) sub(d Counts) Counts {
	c.shift(d, -1)
	return c
}

// shift adds d times sign.
func (c *Counts) shift(d Counts, sign int64) {
	for _, t := range []struct{ to, from *Tally }{
		{&c.Listed, &d.Listed}, {&c.Done, &d.Done}, {&c.Skipped, &d.Skipped}, {&c.Failed, &d.Failed},
	} {
		t.to.Objects += sign * t.from.Objects
		t.to.Size += sign * t.from.Size
		t.to.Delivered += sign * t.from.Delivered
	}
	c.Empty += sign * d.Empty
	c.NoRecords += sign * d.NoRecords
	c.Markers += sign * d.Markers
	c.Indexes += sign * d.Indexes
	c.Own += sign * d.Own
	c.Gone += sign * d.Gone
	c.Doubtful += sign * d.Doubtful
	c.Changed += sign * d.Changed
	c.Retried += sign * d.Retried
	c.Deferred += sign * d.Deferred
	c.RecordsSkipped += sign * d.RecordsSkipped
	c.RecordsTruncated += sign * d.RecordsTruncated
	c.Stored += sign * d.Stored
	c.Decoded += sign * d.Decoded
	c.Redecoded += sign * d.Redecoded
}
