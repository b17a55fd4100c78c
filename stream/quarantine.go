package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/thaw-go/thaw/stream/internal/kept"
)

// QuarantineEntry is a failure in a quarantine file, a manifest or a report. It is of an
// object if Record is nil or the entry says from where on the object was not delivered
// (NextRecord, Records); else it is of that one record. [Redrive] delivers what an entry
// of a quarantine file says was not delivered.
type QuarantineEntry struct {
	Key     string `json:"key"`
	Version string `json:"version,omitempty"`
	Class   Class  `json:"class"`

	// Stage is where it failed: "open" for the first request for the object, else the
	// stage of the report: "restore", "fetch", "decode", "frame", "parse" or "sink".
	Stage string `json:"stage,omitempty"`

	// StoredOffset is the last place at which decoding can begin to reach
	// DecodedOffset, as far as the job knew: 0, the start, where the format has no such
	// places. StoredEnd is how many stored bytes were consumed at the failure; for a
	// record, what was read ahead is included. Of plain data, the stored range of a
	// record is its decoded range. StoredEnd is 0 if nothing was read.
	StoredOffset int64 `json:"stored_offset"`
	StoredEnd    int64 `json:"stored_end_offset,omitempty"`

	// Of a record, DecodedOffset and DecodedEnd enclose its raw bytes, framing
	// included; DecodedEnd is 0 if the framer found no end. Of an object, DecodedOffset
	// is up to where records were delivered or left out, and DecodedEnd is where
	// decoding failed or, if a record failed the object, that record's end.
	DecodedOffset int64 `json:"decoded_offset"`
	DecodedEnd    int64 `json:"decoded_end_offset,omitempty"`

	// Record is the index of the record that failed, nil if none did.
	Record *int64 `json:"record,omitempty"`

	// NextRecord is the index of the first record of an object that was not delivered:
	// those before it were delivered, or left out with entries of their own. Nil in
	// the entry of a record.
	NextRecord *int64 `json:"next_record,omitempty"`

	// Records are the indices of single records of an object that a Redrive was to
	// deliver and did not, ascending and before NextRecord. Manifests and reports
	// leave them out.
	Records []int64 `json:"records,omitempty"`

	// Raw is the record as the object has it, framing included. It is empty if the
	// record is larger than 1 MiB, its end is not known or it was not framed, and in
	// manifests and reports.
	Raw string `json:"raw,omitempty"`

	// Error is the cause, in at most 4 KiB: a longer text loses its middle.
	Error string `json:"error"`
}

// mostRaw is the size of the largest record that an entry of a quarantine carries.
const mostRaw = 1 << 20

// Quarantine returns a Policy that records failures of the given classes, and of any
// class if none is given, and skips them. It writes each to w as one line of JSON (a
// [QuarantineEntry]) in one call of Write. It neither syncs nor closes w. Several jobs may
// use one Quarantine at once.
//
// Lines may repeat: what is read again, after a Retry or by a run that resumes, fails
// again and is recorded again. Key, Version and Record identify a failure. [Redrive]
// delivers once what several lines say.
func Quarantine(w io.Writer, classes ...Class) Policy {
	turn := make(chan struct{}, 1) // not a mutex: w may block
	return func(e *Error, _ Totals) (Action, error) {
		if !matches(e, classes) {
			return Fail, nil
		}
		line, err := json.Marshal(e.Entry())
		if err != nil {
			return Fail, err
		}
		turn <- struct{}{}
		defer func() { <-turn }()
		if _, err := w.Write(append(line, '\n')); err != nil {
			return Fail, fmt.Errorf("stream: quarantine: %w", err)
		}
		return Quarantined, nil
	}
}

// ReadQuarantine yields the entries that [Quarantine] wrote to r, in order. A line that
// ends in its middle is left out: a process was killed while it wrote, and what the line
// was about is read again by the next run of its job. Any other line that is no entry is
// an error, the last pair. ReadQuarantine holds one line at a time, of at most 64 MiB, and
// does not close r.
func ReadQuarantine(r io.Reader) iter.Seq2[QuarantineEntry, error] {
	return func(yield func(QuarantineEntry, error) bool) {
		s := bufio.NewScanner(r)
		s.Buffer(nil, 64<<20)
		n := 0
		for s.Scan() {
			n++
			line := bytes.TrimSpace(s.Bytes())
			if len(line) == 0 || isTorn(line) {
				continue
			}
			var q QuarantineEntry
			var has struct{ Class *Class }
			err := json.Unmarshal(line, &q)
			if err == nil && (json.Unmarshal(line, &has) != nil || has.Class == nil) {
				err = errors.New("it has no class")
			}
			if err != nil {
				yield(QuarantineEntry{}, fmt.Errorf("stream: quarantine: line %d is no entry: %w", n, err))
				return
			}
			if !yield(q, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(QuarantineEntry{}, fmt.Errorf("stream: quarantine: line %d: %w", n+1, err))
		}
	}
}

// isTorn reports whether a line is the beginning of an entry.
func isTorn(line []byte) bool {
	var v json.RawMessage
	return line[0] == '{' && json.NewDecoder(bytes.NewReader(line)).Decode(&v) == io.ErrUnexpectedEOF
}

// Entry returns e as [Quarantine] records it, for policies that record elsewhere.
func (e *Error) Entry() QuarantineEntry {
	q := e.keptEntry()
	q.Raw, q.Records = string(e.place.raw), e.place.records
	return q
}

// keptEntry is e as manifests and reports keep it.
func (e *Error) keptEntry() QuarantineEntry {
	p := &e.place
	q := QuarantineEntry{
		Key: e.Key, Version: e.Version, Class: e.Class, Stage: p.stage,
		StoredOffset: p.stored, StoredEnd: p.storedEnd, DecodedOffset: p.decoded, DecodedEnd: e.Decoded,
		Error: kept.Text(innermost(e.Err)),
	}
	if q.StoredEnd == 0 {
		q.StoredEnd = e.Offset
	}
	if r := e.record(); r != nil {
		q.Record, q.DecodedEnd = &r.Index, p.decodedEnd
	}
	switch {
	case e.ofRecord():
		q.DecodedOffset = e.Decoded
	case p.next >= 0:
		q.NextRecord = &p.next
	}
	return q
}

// ofRecord reports whether q is of one record and not of its object.
func (q *QuarantineEntry) ofRecord() bool {
	return q.Record != nil && q.NextRecord == nil && len(q.Records) == 0
}

// same reports whether p is about the same object or record.
func (q QuarantineEntry) same(p QuarantineEntry) bool {
	if (q.Record == nil) != (p.Record == nil) || q.Record != nil && *q.Record != *p.Record {
		return false
	}
	return q.Key == p.Key && q.Version == p.Version && (q.NextRecord == nil) == (p.NextRecord == nil)
}
