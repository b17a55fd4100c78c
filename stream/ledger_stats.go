package stream

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream/internal/kept"
)

// stats are the figures of a report beside its counts.
type stats struct {
	codecs    map[string]*CodecReport
	framers   map[FramerReport]int64 // by all but Objects
	conflicts []string
	notes     []NoteReport
	redecoded Redecoded
	requests  RequestReport
	saves     int64
	saveTime  time.Duration
	peakHeap  int64
	first     FirstRecord
}

// maxConflicts is how many conflicts of evidence a report keeps.
const maxConflicts = 100

// chose notes the codec and framer of an object that was opened.
func (s *stats) chose(o *objectFacts, framer FramerReport) {
	d := &o.detection
	if s.framers == nil {
		s.framers = map[FramerReport]int64{}
	}
	s.framers[framer]++
	for _, c := range d.Conflicts {
		if len(s.conflicts) < maxConflicts {
			s.conflicts = append(s.conflicts, kept.Text(shown(o.object.info.Key)+": "+d.Codec+" by "+string(d.Evidence)+", but "+c))
		}
	}
}

// leftOut notes stored bytes after the last member that are no member. An option, or the
// rules of the format, allow them.
func (s *stats) leftOut(o *objectFacts) {
	if o.trailing > 0 && len(s.conflicts) < maxConflicts {
		s.conflicts = append(s.conflicts, kept.Text(fmt.Sprintf("%s: %d bytes from stored offset %d on are no %s member and were left out",
			shown(o.object.info.Key), o.trailing, o.trailingAt, o.detection.Codec)))
	}
}

// noted counts what was noted about an object that was read.
func (s *stats) noted(key string, notes []string) {
	for _, note := range notes {
		i := slices.IndexFunc(s.notes, func(n NoteReport) bool { return n.Note == note })
		switch {
		case i >= 0:
			s.notes[i].Objects++
		case len(s.notes) < maxConflicts:
			s.notes = append(s.notes, NoteReport{Note: note, Objects: 1, First: key})
		}
	}
}

// read adds what one object's decoding took, all layers together.
func (s *stats) read(d codec.Detection, objects, stored, decoded int64, busy time.Duration) {
	if s.codecs == nil {
		s.codecs = map[string]*CodecReport{}
	}
	name := d.Name()
	c := s.codecs[name]
	if c == nil {
		c = &CodecReport{Codec: name}
		s.codecs[name] = c
	}
	c.Objects += objects
	c.Stored += stored
	c.Decoded += decoded
	c.Busy += busy
}

// fill completes a report.
func (s *stats) fill(r *Report) {
	r.Codecs, r.Framers = []CodecReport{}, []FramerReport{}
	for _, c := range s.codecs {
		r.Codecs = append(r.Codecs, *c)
	}
	slices.SortFunc(r.Codecs, func(a, b CodecReport) int { return cmp.Compare(a.Codec, b.Codec) })
	for f, n := range s.framers {
		f.Objects = n
		r.Framers = append(r.Framers, f)
	}
	slices.SortFunc(r.Framers, func(a, b FramerReport) int {
		return cmp.Or(cmp.Compare(a.Framer, b.Framer), cmp.Compare(a.evidence(), b.evidence()))
	})
	r.Conflicts, r.Notes = append([]string{}, s.conflicts...), append([]NoteReport{}, s.notes...)
	r.Redecoded = s.redecoded.clone()
	r.Requests, r.Saves, r.SaveTime = s.requests, s.saves, s.saveTime
	r.PeakHeap, r.FirstRecord = s.peakHeap, s.first
}

func (r *RequestReport) add(q Request) {
	r.Count++
	if q.Err != nil {
		r.Failed++
	}
	r.Received += q.Got
	r.FirstByte += q.FirstByte
	r.Total += q.Total
}
