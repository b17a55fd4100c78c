package stress_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// schedule is all that a seed stands for: objects, the jobs that read them, what
// happens meanwhile.
type schedule struct {
	seed    uint64
	objects []*object
	jobs    []*job
	readers []reader

	// Of the pool; with own set, each job has one of its own.
	memory  int64
	workers int
	own     bool
	large   bool // there are many objects

	local  bool               // the store is
	pause  time.Duration      // most that a request takes
	step   int                // bytes of a body that come at once, 0: all
	page   int                // objects of a page of a listing
	faults faultstore.Rates   // of the store
	puts   faultstore.Rates   // of the store of checkpoints
	slow   time.Duration      // most that a save to it takes
	spent  bool               // nothing is tried again
	lists  []faultstore.Fault // of the first listings
}

// object is one object of one job.
type object struct {
	n        int // in the schedule
	job      int
	key      string
	format   int
	size     int
	encoding int
	damage   damage
	next     *object // what takes its place while it is read
	archived bool
	lapses   int  // its restored copy is gone at this request, 0: never
	refused  bool // it cannot be restored
	index    bool // it has the name of an index, though it is none
	denied   bool
}

func (o *object) stored() *stored { return storedOf(o.format, o.size, o.encoding) }

func (o *object) String() string {
	s := fmt.Sprintf("%d: %q %s size %d in %s%s", o.n, o.key, formats[o.format].frame, o.size, encodings[o.encoding], o.damage)
	for word, is := range map[string]bool{" archived": o.archived, " denied": o.denied, " replaced": o.next != nil, " lapses": o.lapses > 0, " cannot be restored": o.refused, " named as an index": o.index} {
		if is {
			s += word
		}
	}
	return s
}

// job is one Backfill and those that go on after it.
type job struct {
	frame   string
	codec   string
	source  sourceKind
	shard   [2]int
	sink    sinkKind
	delay   time.Duration // most that a Write takes
	flush   time.Duration // and a Flush
	reading reading
	policy  policyKind
	restore time.Duration // poll; 0: archived objects are errors
	blob    bool          // the checkpoint is a blob
	wordy   bool          // errors have long texts
	runs    []run
}

// run is one Backfill. The last run of a job is repeated until it drains.
type run struct {
	lanes, workers int
	memory         int64
	every          time.Duration // between saves
	rangeSize      int64
	inFlight       int
	end            end
}

// end interrupts a run.
type end struct {
	kind  endKind
	batch int           // at so many batches
	after time.Duration // or after so much time
}

type endKind uint8

const (
	drain endKind = iota
	cancelRun
	stopRun
	failWrite
	failFlush
	kill
	exitWrite // runtime.Goexit, as t.Fatal does
	panicWrite
	spoil // the manifest is damaged before the run
)

func (e end) String() string {
	name := [...]string{"drain", "cancel", "stop", "write fails", "flush fails", "kill", "Goexit in a write", "panic in a write", "manifest damaged"}[e.kind]
	switch {
	case e.batch > 0:
		name += fmt.Sprintf(" at batch %d", e.batch)
	case e.after > 0:
		name += fmt.Sprintf(" after %v", e.after)
	}
	return name
}

type sourceKind uint8

const (
	listing  sourceKind = iota
	keys                // in any order, of unknown size
	breaking            // a listing that fails now and then
)

type sinkKind uint8

const (
	directly  sinkKind = iota // SinkFunc
	buffered                  // durable when flushed
	retaining                 // keeps batches beyond Write
	parsing                   // ParseTo
	wholly                    // PerObject
	nesting                   // SinkFunc that reads with the Pool of its job
)

type policyKind uint8

const (
	failFirst policyKind = iota
	skipAll
	retryAndSkip
	quarantine
	restoreAndSkip
)

// reader is one Open or Records beside the jobs.
type reader struct {
	object  int
	records bool
	pause   time.Duration // most between reads
	until   int           // bytes, or records, after which it is closed; 0: at the end
}

// draw makes the schedule of a seed. Each object and job has numbers of its own, so
// that one can be left out without a change to others.
func draw(seed uint64) *schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &schedule{seed: seed, own: r.IntN(3) > 0, local: r.IntN(2) == 0}
	s.memory, s.workers = drawMemory(r), 1+r.IntN(4)
	if r.IntN(2) == 0 {
		s.pause = time.Duration(1+r.IntN(50)) * time.Millisecond
	}
	if r.IntN(3) == 0 {
		s.step = []int{7, 100, 1000, 4096, 30000}[r.IntN(5)]
	}
	s.page = 1 + r.IntN(12)
	if !s.local && r.IntN(3) == 0 {
		s.drawFaults(r)
	}
	if r.IntN(6) == 0 {
		s.puts = faultstore.Rates{faultstore.Drop: .05, faultstore.SlowDown: .05, faultstore.InternalError: .05}
	}
	if r.IntN(8) == 0 {
		s.slow = time.Duration(1+r.IntN(60)) * time.Second
		if s.puts != nil {
			s.slow /= 4 // several tries fit into the time of the last save
		}
	}
	s.spent = s.faults != nil && r.IntN(3) == 0
	s.large = r.IntN(12) == 0
	for n := range 1 + max(0, r.IntN(5)-2) {
		s.jobs = append(s.jobs, drawJob(rand.New(rand.NewPCG(seed, 100+uint64(n))), s))
	}
	count := 1 + r.IntN(14)
	if s.large {
		count = 70 + r.IntN(80) // more than are listed ahead
	}
	for n := range count {
		s.objects = append(s.objects, drawObject(rand.New(rand.NewPCG(seed, 1000+uint64(n))), n, s.large, s.jobs))
	}
	if s.large || slices.ContainsFunc(s.jobs, func(j *job) bool { return j.source == breaking }) {
		// A listing that ends between two objects out of order shows no disorder.
		s.lists = nil
	}
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(4) {
			rd := reader{object: r.IntN(count), records: r.IntN(2) == 0, pause: time.Duration(r.IntN(20)) * time.Millisecond}
			if r.IntN(4) == 0 {
				rd.until = 1 + r.IntN(5000)
			}
			s.readers = append(s.readers, rd)
		}
	}
	return s
}

// drawMemory is mostly little: from what one lane needs upwards.
func drawMemory(r *rand.Rand) int64 {
	switch r.IntN(4) {
	case 0:
		return 6<<20 + int64(r.IntN(1<<20))
	case 1:
		return 8<<20 + int64(r.IntN(24<<20))
	}
	return 32<<20 + int64(r.IntN(96<<20))
}

func (s *schedule) drawFaults(r *rand.Rand) {
	s.faults = faultstore.Rates{}
	for _, k := range []faultstore.Kind{
		faultstore.Slow, faultstore.Drop, faultstore.InternalError, faultstore.SlowDown, faultstore.ErrorDocument, faultstore.Reset, faultstore.Cut,
		faultstore.Short, faultstore.Stall, faultstore.WholeBody, faultstore.Shifted, faultstore.NoToken, faultstore.BrokenPage,
	} {
		if r.IntN(3) == 0 {
			s.faults[k] = .01 + .05*r.Float64()
		}
	}
	for r.IntN(3) == 0 {
		s.lists = append(s.lists, faultstore.Fault{Kind: []faultstore.Kind{faultstore.Disorder, faultstore.Duplicate, faultstore.None}[r.IntN(3)], At: int64(r.IntN(6))})
	}
}

func drawJob(r *rand.Rand, s *schedule) *job {
	j := &job{source: sourceKind(max(0, r.IntN(5)-2)), sink: sinkKind(r.IntN(6)), policy: policyKind(r.IntN(5))}
	if r.IntN(2) == 0 {
		j.frame = formats[r.IntN(len(formats))].frame
	}
	if e := encodings[r.IntN(len(encodings))]; r.IntN(3) == 0 {
		j.codec = e.codec
	}
	if r.IntN(2) == 0 {
		j.delay = time.Duration(1+r.IntN(4)) * []time.Duration{time.Microsecond, time.Millisecond, 100 * time.Millisecond}[r.IntN(3)]
	}
	if s.large {
		j.delay /= 10
	}
	if r.IntN(4) == 0 {
		j.flush = time.Duration(1+r.IntN(200)) * time.Millisecond
	}
	j.blob = r.IntN(4) == 0 || s.puts != nil
	j.wordy = r.IntN(6) == 0
	j.reading = reading{maxRecord: 640 << 10, skipRecords: r.IntN(3) > 0, ignoreTrailing: r.IntN(4) == 0}
	if r.IntN(3) == 0 {
		j.reading.maxRecord = []int{100, 300, 1000, 5000, 40000}[r.IntN(5)]
		j.reading.oversized = stream.OversizedPolicy(r.IntN(3))
	}
	if r.IntN(12) == 0 {
		j.reading.maxDecoded = 1 + r.Int64N(100<<10)
	}
	if j.sink == parsing && r.IntN(2) == 0 {
		n := byte(1 + r.IntN(4))
		j.reading.parse = func(body []byte) bool { return len(body) < 8 || body[len(body)/2]%61 != n }
	}
	if r.IntN(3) == 0 {
		j.restore = time.Duration(1+r.IntN(60)) * 100 * time.Millisecond
	}
	for range max(0, r.IntN(7)-2) {
		j.runs = append(j.runs, drawRun(r, end{kind: drawEnd(r)}))
	}
	j.runs = append(j.runs, drawRun(r, end{}))
	if r.IntN(6) == 0 {
		j.shard[1] = 2 + r.IntN(3)
		j.shard[0] = r.IntN(j.shard[1])
	}
	return j
}

// drawEnd is mostly one of those that come in practice.
func drawEnd(r *rand.Rand) endKind {
	if r.IntN(8) == 0 {
		return endKind(6 + r.IntN(3))
	}
	return endKind(1 + r.IntN(5))
}

func drawRun(r *rand.Rand, e end) run {
	u := run{lanes: 1 + r.IntN(6), workers: 1 + r.IntN(4), memory: drawMemory(r)}
	if r.IntN(5) == 0 {
		u.lanes = 1 + r.IntN(60)
	}
	u.every = []time.Duration{0, 1, time.Millisecond, 40 * time.Millisecond, time.Second}[r.IntN(5)]
	if r.IntN(3) == 0 {
		u.rangeSize = int64(1) << (9 + r.IntN(9))
	}
	u.inFlight = max(0, r.IntN(8)-4)
	if e.kind == drain {
		return u
	}
	if u.end = e; r.IntN(3) > 0 || e.kind != cancelRun && e.kind != kill {
		u.end.batch = 1 + r.IntN([]int{3, 12, 60}[r.IntN(3)])
	} else {
		u.end.after = time.Duration(1+r.IntN(1000)) * []time.Duration{time.Microsecond, time.Millisecond, 20 * time.Millisecond}[r.IntN(3)]
	}
	return u
}

func drawObject(r *rand.Rand, n int, small bool, jobs []*job) *object {
	o := &object{n: n, job: r.IntN(len(jobs))}
	j := jobs[o.job]
	o.format = slices.IndexFunc(formats, func(f *format) bool { return f.frame == j.frame })
	for o.format < 0 || j.frame == "" && formats[o.format].ext == "" {
		o.format = r.IntN(len(formats))
	}
	o.size = r.IntN(len(sizes))
	if small {
		o.size = []int{0, 0, 0, 1, 7}[r.IntN(5)]
	}
	for {
		o.encoding = r.IntN(len(encodings))
		if e := encodings[o.encoding]; e.codec == j.codec {
			break
		}
	}
	if formats[o.format].ext == "" && j.frame == "" {
		panic("no framer")
	}
	if r.IntN(4) == 0 {
		o.damage = damage{damageKind(1 + r.IntN(3)), r.IntN(1000)}
	}
	o.key = drawKey(r, n, o.job) + formats[o.format].ext + encodings[o.encoding].ext
	switch r.IntN(24) {
	case 0:
		o.archived = true
	case 1:
		o.lapses = 1 + r.IntN(4)
	case 2:
		o.denied = true
	case 4:
		o.refused = true
	case 5, 6:
		if o.index = j.source == keys && j.frame != "" && j.codec == "" && j.shard[1] == 0; o.index {
			o.encoding = 0
			o.key = drawKey(r, n, o.job) + seek.Extension
		}
	case 3:
		o.next = &object{n: n, format: o.format, size: r.IntN(len(sizes)), encoding: o.encoding}
	}
	return o
}

// drawKey is the key of object n without its extensions: any bytes.
func drawKey(r *rand.Rand, n, job int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "j%d/", job)
	odd := []string{"\xff", "\xc3", "caf\xe9", "\u00e9", "\u65e5", "\n", "\r", "\t", "\"", "\\", " ", "%2F", "+", "#", "?", "[x]", "*", "{a,b}", "\u2028", "\ufffd", "<&>", "\x01", "\x7f", "~", "a/b", "..", "\xed\xa0\x80"}
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(4) {
			b.WriteString(odd[r.IntN(len(odd))])
		}
	}
	fmt.Fprintf(&b, "%d", n)
	return b.String()
}
