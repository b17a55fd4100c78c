package stream

import (
	"cmp"
	"math"
	"slices"
)

// selection says which records of one object a Redrive delivers: single ones, and all from
// an index on. Nil is all records.
type selection struct {
	records []selected // ascending, before from
	from    int64      // none if no such index is known
}

// selected is one record.
type selected struct {
	index  int64
	offset int64 // decoded; -1 if not known
}

// none is an index that no record has.
const none = math.MaxInt64

// add adds what an entry says was not delivered.
func (s *selection) add(q *QuarantineEntry) {
	for _, i := range q.Records {
		s.records = append(s.records, selected{i, -1})
	}
	switch {
	case q.ofRecord():
		s.records = append(s.records, selected{*q.Record, q.DecodedOffset})
	case q.NextRecord != nil:
		s.from = min(s.from, *q.NextRecord)
	case len(q.Records) == 0:
		s.from = 0
	}
}

// order sorts the records and leaves out those that occur twice.
func (s *selection) order() {
	slices.SortFunc(s.records, func(a, b selected) int {
		return cmp.Or(cmp.Compare(a.index, b.index), -cmp.Compare(a.offset, b.offset))
	})
	s.records = slices.CompactFunc(s.records, func(a, b selected) bool { return a.index == b.index })
	s.records = slices.Clip(s.records[:s.before(s.from)])
}

// before is how many of records have an index below i.
func (s *selection) before(i int64) int {
	n, _ := slices.BinarySearchFunc(s.records, i, func(r selected, i int64) int { return cmp.Compare(r.index, i) })
	return n
}

// next is the first index from i on that is selected.
func (s *selection) next(i int64) int64 {
	if n := s.before(i); n < len(s.records) {
		return s.records[n].index
	}
	return max(i, s.from)
}

// run is how many records from i on, which is selected, are handed out at once: single
// ones alone, since the offset of each is compared.
func (s *selection) run(i int64) int64 {
	if i >= s.from {
		return none
	}
	return 1
}

// isDone reports whether nothing is selected from index i on.
func (s *selection) isDone(i int64) bool { return s != nil && s.next(i) == none }

// left returns what is selected from index i on: single records, and the first of all that
// follow, -1 for none. If nothing is, it returns the last record: an entry of nothing would
// be one of the whole object.
func (s *selection) left(i int64) (records []int64, from int64) {
	if s == nil {
		return nil, i
	}
	if s.isDone(i) {
		i = s.last()
	}
	for _, r := range s.records[s.before(i):] {
		records = append(records, r.index)
	}
	if s.from == none {
		return records, -1
	}
	return records, max(i, s.from)
}

// last is the highest index that must be there, or that of the object's end.
func (s *selection) last() int64 {
	switch {
	case s.from != none:
		return s.from - 1
	case len(s.records) > 0:
		return s.records[len(s.records)-1].index
	}
	return -1
}

// selections are what a job delivers of its objects, by their ordinal from 1 on. Nil is
// all of all.
type selections []*selection

func (s selections) of(ordinal int64) *selection {
	if s == nil {
		return nil
	}
	return s[ordinal-1]
}
