package stress_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// plainer makes a schedule plainer, one thing at a time, for -without.
var plainer = map[string]func(*schedule){
	"readers": func(s *schedule) { s.readers = nil },
	"pool":    func(s *schedule) { s.own = true },
	"remote":  func(s *schedule) { s.local = true },
	"pause":   func(s *schedule) { s.pause = 0 },
	"step":    func(s *schedule) { s.step = 0 },
	"pages":   func(s *schedule) { s.page = 1000 },
	"faults":  func(s *schedule) { s.faults = nil },
	"lists":   func(s *schedule) { s.lists = nil },
	"puts":    func(s *schedule) { s.puts = nil },
	"slow":    func(s *schedule) { s.slow = 0 },
	"spent":   func(s *schedule) { s.spent = false },
	"wordy":   func(s *schedule) { s.eachJob(func(j *job) { j.wordy = false }) },
	"little memory": func(s *schedule) {
		s.memory = 256 << 20
		s.eachRun(func(u *run) { u.memory = 256 << 20 })
	},
	"lanes":   func(s *schedule) { s.eachRun(func(u *run) { u.lanes = 1 }) },
	"workers": func(s *schedule) { s.workers = 1; s.eachRun(func(u *run) { u.workers = 1 }) },
	"ranges":  func(s *schedule) { s.eachRun(func(u *run) { u.rangeSize, u.inFlight = 0, 0 }) },
	"every":   func(s *schedule) { s.eachRun(func(u *run) { u.every = 0 }) },
	"ends":    func(s *schedule) { s.eachJob(func(j *job) { j.runs = j.runs[len(j.runs)-1:] }) },
	"delay":   func(s *schedule) { s.eachJob(func(j *job) { j.delay = 0 }) },
	"flush":   func(s *schedule) { s.eachJob(func(j *job) { j.flush = 0 }) },
	"source": func(s *schedule) {
		s.objects = slices.DeleteFunc(s.objects, func(o *object) bool { return o.index })
		s.eachJob(func(j *job) { j.source = listing })
	},
	"sink":          func(s *schedule) { s.eachJob(func(j *job) { j.sink = directly }) },
	"policy":        func(s *schedule) { s.eachJob(func(j *job) { j.policy = skipAll }) },
	"shard":         func(s *schedule) { s.eachJob(func(j *job) { j.shard[1] = 0 }) },
	"blob":          func(s *schedule) { s.eachJob(func(j *job) { j.blob = false }) },
	"parse":         func(s *schedule) { s.eachJob(func(j *job) { j.reading.parse = nil }) },
	"record":        func(s *schedule) { s.eachJob(func(j *job) { j.reading.maxRecord = 640 << 10 }) },
	"decoded":       func(s *schedule) { s.eachJob(func(j *job) { j.reading.maxDecoded = 0 }) },
	"damage":        func(s *schedule) { s.eachObject(func(o *object) { o.damage = damage{} }) },
	"archive":       func(s *schedule) { s.eachObject(func(o *object) { o.archived, o.lapses, o.refused = false, 0, false }) },
	"tar limits":    limitless("tar"),
	"regexp limits": limitless("regexp"),
	"open ends": func(s *schedule) {
		s.eachObject(func(o *object) {
			if formats[o.format].cut == cutClosed {
				o.damage = damage{}
			}
		})
	},
	"odd keys": func(s *schedule) {
		s.eachObject(func(o *object) {
			if o.index {
				return
			}
			o.key = fmt.Sprintf("j%d/%d%s%s", o.job, o.n, formats[o.format].ext, encodings[o.encoding].ext)
		})
	},
	"denied":   func(s *schedule) { s.eachObject(func(o *object) { o.denied = false }) },
	"replaced": func(s *schedule) { s.eachObject(func(o *object) { o.next = nil }) },
}

// limitless takes the limit on records off jobs that have objects of a framer.
func limitless(frame string) func(*schedule) {
	return func(s *schedule) {
		for _, o := range s.objects {
			if strings.HasPrefix(formats[o.format].frame, frame) {
				s.jobs[o.job].reading.maxRecord = 640 << 10
			}
		}
	}
}

func plainNames() []string { return slices.Sorted(maps.Keys(plainer)) }

func (s *schedule) eachRun(f func(*run)) {
	s.eachJob(func(j *job) {
		for i := range j.runs {
			f(&j.runs[i])
		}
	})
}

func (s *schedule) eachJob(f func(*job)) {
	for _, j := range s.jobs {
		f(j)
	}
}

func (s *schedule) eachObject(f func(*object)) {
	for _, o := range s.objects {
		f(o)
	}
}

// String describes the schedule.
func (s *schedule) String() string {
	var b strings.Builder
	where := "remote"
	if s.local {
		where = "local"
	}
	fmt.Fprintf(&b, "schedule %d: %s store, requests up to %v, pieces of %d, pages of %d, faults %v, listings %v, of saves %v up to %v, tried again %v\n", s.seed, where, s.pause, s.step, s.page, s.faults, s.lists, s.puts, s.slow, !s.spent)
	if !s.own {
		fmt.Fprintf(&b, "one pool of %d bytes and %d workers\n", s.memory, s.workers)
	}
	for n, j := range s.jobs {
		fmt.Fprintf(&b, "job %d: frame %q codec %q source %d shard %v sink %d (write %v, flush %v) policy %d, records over %d: %d, skipped %v, parser %v, decoded up to %d, junk ignored %v, restore %v, blob %v\n",
			n, j.frame, j.codec, j.source, j.shard, j.sink, j.delay, j.flush, j.policy, j.reading.maxRecord, j.reading.oversized, j.reading.skipRecords,
			j.reading.parse != nil, j.reading.maxDecoded, j.reading.ignoreTrailing, j.restore, j.blob)
		for _, u := range j.runs {
			fmt.Fprintf(&b, "  %v: %d lanes, %d workers, memory %d, saved every %v, ranges of %d, %d in flight\n", u.end, u.lanes, u.workers, u.memory, u.every, u.rangeSize, u.inFlight)
		}
	}
	for _, rd := range s.readers {
		fmt.Fprintf(&b, "reader of %d: records %v, pause %v, until %d\n", rd.object, rd.records, rd.pause, rd.until)
	}
	for i, o := range s.objects {
		if i == 30 {
			fmt.Fprintf(&b, "  and %d more objects\n", len(s.objects)-i)
			break
		}
		fmt.Fprintf(&b, "  %v\n", o)
	}
	return b.String()
}
