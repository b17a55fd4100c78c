package stream

// Tally counts objects, their stored bytes and the records delivered from them.
type Tally struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
	Records int64 `json:"records"`
}

func (t *Tally) add(u Tally) {
	t.Objects += u.Objects
	t.Bytes += u.Bytes
	t.Records += u.Records
}

func (t Tally) sub(u Tally) Tally {
	return Tally{t.Objects - u.Objects, t.Bytes - u.Bytes, t.Records - u.Records}
}

// Counts says what became of the objects and records of a job: Listed is Done +
// Skipped + Failed + [Counts.Remaining], in each column. The records of a Tally are
// those delivered, also from objects that were then left out; records left out are
// RecordsSkipped alone.
type Counts struct {
	Listed  Tally `json:"listed"`
	Done    Tally `json:"done"`    // read to their proven end
	Skipped Tally `json:"skipped"` // folder markers, indexes, and what a policy left out
	Failed  Tally `json:"failed"`  // ended the job

	// Outcomes of their own. Empty and NoRecords are among Done, Markers, Indexes
	// and Own among Skipped.
	Empty     int64 `json:"empty"`      // objects of no bytes
	NoRecords int64 `json:"no_records"` // objects with bytes and without records
	Markers   int64 `json:"markers"`    // objects without bytes that stand for folders
	Indexes   int64 `json:"indexes"`    // of other objects: listed keys ending in seek.Extension
	Own       int64 `json:"own"`        // what the job itself writes: its manifest, and Options.Writes

	// Doubtful are objects among Done that may have been cut though they ended
	// cleanly, such as BGZF without its end block. Report.Notes says why.
	Doubtful int64 `json:"doubtful,omitempty"`

	Changed int64 `json:"changed"` // objects begun anew since they were replaced
	Retried int64 `json:"retried"` // times that a policy asked for another try

	// Deferred is how often an archived object was held back to be restored.
	Deferred int64 `json:"deferred,omitempty"`

	RecordsSkipped   int64 `json:"records_skipped"`   // left out by policy or Oversized
	RecordsTruncated int64 `json:"records_truncated"` // cut to MaxRecord

	Stored    int64 `json:"stored"`    // stored bytes decoded
	Decoded   int64 `json:"decoded"`   // bytes decoded from them
	Redecoded int64 `json:"redecoded"` // among Decoded: once more, to reach a resumed record or after memory ran short
}

// Records is the number of records delivered.
func (c *Counts) Records() int64 { return c.Listed.Records }

// Remaining are the objects listed and not finished.
func (c *Counts) Remaining() Tally {
	return c.Listed.sub(c.Done).sub(c.Skipped).sub(c.Failed)
}

// outcomes are the counts of c that say what became of objects.
func (c Counts) outcomes() Counts {
	return Counts{
		Done: c.Done, Skipped: c.Skipped, Failed: c.Failed,
		Empty: c.Empty, NoRecords: c.NoRecords, Markers: c.Markers, Indexes: c.Indexes, Own: c.Own,
		Doubtful: c.Doubtful,
	}
}

// records are the counts of records alone.
func (c *Counts) records() Counts {
	return recordCounts(c.Listed.Records, c.RecordsSkipped, c.RecordsTruncated)
}

// recordCounts are the counts of an object's records.
func recordCounts(delivered, skipped, truncated int64) Counts {
	return Counts{Listed: Tally{Records: delivered}, RecordsSkipped: skipped, RecordsTruncated: truncated}
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
		t.to.Bytes += sign * t.from.Bytes
		t.to.Records += sign * t.from.Records
	}
	c.Empty += sign * d.Empty
	c.NoRecords += sign * d.NoRecords
	c.Markers += sign * d.Markers
	c.Indexes += sign * d.Indexes
	c.Own += sign * d.Own
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
