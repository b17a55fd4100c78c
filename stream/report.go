package stream

import (
	"iter"
	"strings"
	"time"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/meter"
)

// Report says what a job did and where its time went. In the repository, docs/report.md
// describes its JSON field by field: a name that ends in _ns holds nanoseconds, one that
// ends in _bytes bytes, one that ends in _offset a place in an object, and other numbers
// are counts.
type Report struct {
	// Source is the name of the source, quoted if a character of it does not print.
	Source string `json:"source"`

	// Lanes is how many lanes ran. MaxLanes is how many could have; it is 0 for Open
	// and Records, which read on the goroutine of their caller. FewerLanes is why fewer ran:
	// "objects" if there were no more for them, "memory" if no more had room. It is
	// empty if all ran.
	Lanes      int    `json:"lanes"`
	MaxLanes   int    `json:"max_lanes,omitempty"`
	FewerLanes string `json:"fewer_lanes,omitempty"`

	// Workers is how many goroutines could decode, frame or parse at once.
	Workers int `json:"workers"`

	// Wall is the time from call to return. Stages are the times of all lanes: they
	// add up to Lanes × Wall exactly. PerLane has them for each lane: each adds up
	// to Wall.
	Wall    time.Duration `json:"wall_ns"`
	Stages  Stages        `json:"stages_ns"`
	PerLane []Stages      `json:"per_lane_ns"`

	// FirstRecord is when the first record was ready for its Writer, or the first
	// bytes for the reader of Open.
	FirstRecord FirstRecord `json:"first_record"`

	// CPUUser and CPUSystem are processor time of the whole process over Wall. They
	// are 0 where the system does not report it.
	CPUUser   time.Duration `json:"cpu_user_ns"`
	CPUSystem time.Duration `json:"cpu_system_ns"`

	// Memory is the budget, that of the Pool. PeakMemory is the most that all its
	// readers held of it at once. PeakHeap is the largest heap of the process that
	// was seen, in live objects and those not swept yet, sampled ten times a second.
	Memory     int64 `json:"memory_bytes"`
	PeakMemory int64 `json:"peak_memory_bytes"`
	PeakHeap   int64 `json:"peak_heap_bytes"`

	// Counts are those of this run. Earlier are those of the runs before, as the
	// manifest had them.
	Counts  Counts `json:"counts"`
	Earlier Counts `json:"earlier"`

	// Codecs and Framers say what was read as what, in the order of their names.
	// Conflicts are objects whose evidence disagreed, and those after whose last
	// member bytes were left out; the first 100. Notes are remarks on objects that
	// were read to their end, the first 100 kinds.
	Codecs    []CodecReport  `json:"codecs"`
	Framers   []FramerReport `json:"framers"`
	Conflicts []string       `json:"conflicts"`
	Notes     []NoteReport   `json:"notes"`

	// Failures are objects and records that failed or were left out in this run: the
	// first 1,000 at most, and at most 1 MiB in JSON.
	Failures []QuarantineEntry `json:"failures"`

	// After says what became of the actions of Options.After. It is zero without.
	After AfterReport `json:"after,omitzero"`

	// Redecoded says which objects of this run were decoded again, and why.
	Redecoded Redecoded `json:"redecoded"`

	// Requests are the requests of this run to the store.
	Requests RequestReport `json:"requests"`

	// Saves is how often the manifest was saved, and SaveTime the time that it took,
	// while lanes went on.
	Saves    int64         `json:"saves"`
	SaveTime time.Duration `json:"save_time_ns"`

	// Resumed reports that the manifest of an earlier run was found, ListingDone that
	// the source was read to its end, Stopped that the sink returned Stop or that
	// Options.Drain was closed, and Finished that the listing is done and nothing
	// remains to be read. A job that is drained early is Stopped and not Finished.
	Resumed     bool `json:"resumed"`
	ListingDone bool `json:"listing_done"`
	Stopped     bool `json:"stopped"`
	Finished    bool `json:"finished"`

	// Passes is how often a job that follows its source has listed it as a whole, in all
	// runs.
	Passes int64 `json:"passes,omitempty"`

	// Error is the text of the error that ended the job, and Class the name of its
	// class, as [Class.String] returns it. Both are empty if none did.
	Error string `json:"error,omitempty"`
	Class string `json:"class,omitempty"`
}

// Stages are times by stage: what a lane did or waited for.
type Stages struct {
	List       time.Duration `json:"list"`       // had no object, while the source was listed
	Plan       time.Duration `json:"plan"`       // read footers and indexes, of formats that are read by them
	Restore    time.Duration `json:"restore"`    // waited for archived objects; none other was left
	Queue      time.Duration `json:"queue"`      // waited for a worker or for memory
	Fetch      time.Duration `json:"fetch"`      // waited for stored bytes
	Decode     time.Duration `json:"decode"`     // decompressed
	Frame      time.Duration `json:"frame"`      // looked for the ends of records
	Parse      time.Duration `json:"parse"`      // ran Batch.Parse, as ParseTo does
	Sink       time.Duration `json:"sink"`       // ran the rest of the sink or a policy; of Open and Records: between calls
	Checkpoint time.Duration `json:"checkpoint"` // loaded the manifest, saved it at the end, or waited for Options.After
	Idle       time.Duration `json:"idle"`       // had no object left, while other lanes or Options.After worked
}

func stagesOf(t meter.Totals) Stages {
	return Stages{
		List: t[meter.List], Plan: t[meter.Plan], Restore: t[meter.Restore], Queue: t[meter.Queue],
		Fetch: t[meter.Fetch], Decode: t[meter.Decode], Frame: t[meter.Frame], Parse: t[meter.Parse],
		Sink: t[meter.Sink], Checkpoint: t[meter.Checkpoint], Idle: t[meter.Idle],
	}
}

// All yields the stages by name, in the order of a job.
func (s Stages) All() iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		for i, d := range []time.Duration{s.List, s.Plan, s.Restore, s.Queue, s.Fetch, s.Decode,
			s.Frame, s.Parse, s.Sink, s.Checkpoint, s.Idle} {
			if !yield(meter.Stage(i).String(), d) {
				return
			}
		}
	}
}

// Sum is the time in all stages.
func (s Stages) Sum() time.Duration {
	var sum time.Duration
	for _, d := range s.All() {
		sum += d
	}
	return sum
}

// FirstRecord says how long the first record took.
type FirstRecord struct {
	// After is the time from the call. 0 means that there was no record.
	After time.Duration `json:"after_ns"`

	// Stages are those of the record's lane until then. They add up to After.
	Stages Stages `json:"stages_ns"`
}

// CodecReport sums up the objects of one codec, or of several layers.
type CodecReport struct {
	Codec   string        `json:"codec"`         // outermost first if there are layers: "gzip,zstd"
	Objects int64         `json:"objects"`       // each once, however often it was read
	Stored  int64         `json:"stored_bytes"`  // stored bytes that were decoded, repetitions included
	Decoded int64         `json:"decoded_bytes"` // bytes that they decoded to
	Busy    time.Duration `json:"busy_ns"`       // in stage decode
}

// Rate is the decode throughput of one core in decoded bytes a second, 0 when
// nothing was decoded.
func (c CodecReport) Rate() float64 {
	if c.Busy <= 0 {
		return 0
	}
	return float64(c.Decoded) / c.Busy.Seconds()
}

// FramerReport counts the objects for which one framer was chosen by the same
// evidence.
type FramerReport struct {
	Framer    string         `json:"framer"`
	Evidence  frame.Evidence `json:"evidence"`
	Extension string         `json:"extension,omitempty"` // where it is the evidence: ".ndjson"
	Conflict  string         `json:"conflict,omitempty"`  // evidence for another framer: "extension says avro"
	Objects   int64          `json:"objects"`
}

// framerReport returns the row of b's framer, without a count.
func framerReport(b *batcher) FramerReport {
	f := FramerReport{Framer: b.framer.Name, Evidence: b.choice.Evidence, Conflict: strings.Join(b.choice.Conflicts, ", ")}
	if f.Evidence == frame.ByExtension {
		f.Extension = b.reader.facts().detection.Extension
	}
	return f
}

// evidence returns the evidence as text: "extension .ndjson", "default, but
// extension says avro".
func (f FramerReport) evidence() string {
	text := string(f.Evidence)
	if f.Extension != "" {
		text += " " + f.Extension
	}
	if f.Conflict != "" {
		text += ", but " + f.Conflict
	}
	return text
}

// NoteReport counts the objects that were read to their end and about which one
// thing was noted.
type NoteReport struct {
	Note    string `json:"note"`
	Objects int64  `json:"objects"`
	First   string `json:"first"` // the key of the first one
}

// RequestReport sums up the requests for the contents of objects: work that went on
// beside the lanes, whether or not one waited for it.
type RequestReport struct {
	Count     int64         `json:"count"`          // retries and hedges included
	Failed    int64         `json:"failed"`         // those of Count that ended in an error
	Received  int64         `json:"received_bytes"` // of bodies
	FirstByte time.Duration `json:"first_byte_ns"`  // sum over all requests, until the response began
	Total     time.Duration `json:"total_ns"`       // sum over all requests, until the body ended
}

// Complete reports whether everything that the source lists was read to its proven end and
// delivered, by this run and those before it: nothing failed, nothing was left out or
// shortened, nothing remains, and no action of Options.After is pending. It is true if
// nothing was listed; see Counts.Listed. A resumed run lists from the manifest's mark on:
// it does not look for objects that appeared later under names that sort before it.
//
// A job that follows its source ends only when it is asked to: then Complete is of what it
// has listed until then, at least once as a whole.
func (r *Report) Complete() bool {
	all := r.Earlier
	all.add(r.Counts)
	return (r.ListingDone && !r.Stopped || r.Passes > 0) && r.Error == "" &&
		all.Remaining().Objects == 0 && all.Failed.Objects == 0 && all.Skipped.Objects == all.noData() &&
		all.RecordsSkipped == 0 && all.RecordsTruncated == 0 && r.After.Pending == 0
}
