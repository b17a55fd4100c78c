package stream

import (
	"iter"
	"strings"
	"time"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/meter"
)

// Report says what a job did and where its time went.
type Report struct {
	Source  string `json:"source"` // its name, quoted where it holds what is not printable
	Lanes   int    `json:"lanes"`  // that ran: no more than there were objects
	Workers int    `json:"workers"`
	Memory  int64  `json:"memory"` // budget in bytes

	// MaxLanes is how many lanes might have run; 0 where the caller's goroutine
	// was the lane. FewerLanes is why fewer did: "objects" where there were no
	// more for them, "memory" where no more fitted into it.
	MaxLanes   int    `json:"max_lanes,omitempty"`
	FewerLanes string `json:"fewer_lanes,omitempty"`

	// Wall is from call to return. Stages are the times of all lanes: they add
	// up to Lanes × Wall exactly. PerLane has them for each lane: each adds up
	// to Wall.
	Wall    time.Duration `json:"wall"`
	Stages  Stages        `json:"stages"`
	PerLane []Stages      `json:"per_lane"`

	// FirstRecord is when the first record was ready for its Writer, with what
	// its lane had done by then. After is 0 when there was none.
	FirstRecord FirstRecord `json:"first_record"`

	// Counts are those of this run; Earlier are those of the runs before, out
	// of the manifest.
	Counts  Counts `json:"counts"`
	Earlier Counts `json:"earlier"`

	Codecs    []CodecReport     `json:"codecs"`          // by name
	Framers   []FramerReport    `json:"framers"`         // by name and evidence
	Conflicts []string          `json:"conflicts"`       // of evidence, and bytes left out behind the last member; the first 100
	Notes     []NoteReport      `json:"notes"`           // about objects that were read; the first 100 kinds
	Failures  []QuarantineEntry `json:"failures"`        // of this run, the first 1,000 at most and 1 MiB in JSON
	Requests  RequestReport     `json:"requests"`        // of this run
	Saves     int64             `json:"saves"`           // of the manifest
	SaveTime  time.Duration     `json:"save_time"`       // in them, beside other work
	Resumed   bool              `json:"resumed"`         // a manifest was found
	Listed    bool              `json:"listed"`          // the source was read to its end
	Stopped   bool              `json:"stopped"`         // the sink asked for the end
	Error     string            `json:"error,omitempty"` // what ended the job early
	Class     string            `json:"class,omitempty"` // of Error
	Drained   bool              `json:"drained"`         // nothing that was listed remains
	CPUUser   time.Duration     `json:"cpu_user"`        // of the process over Wall
	CPUSystem time.Duration     `json:"cpu_system"`      // likewise
	PeakUsed  int64             `json:"peak_memory"`     // of the budget, in bytes
	PeakHeap  int64             `json:"peak_heap"`       // live and unswept objects of the process, sampled
}

// Stages are times by stage.
type Stages struct {
	List       time.Duration `json:"list"`
	Plan       time.Duration `json:"plan"`
	Restore    time.Duration `json:"restore"`
	Queue      time.Duration `json:"queue"`
	Fetch      time.Duration `json:"fetch"`
	Decode     time.Duration `json:"decode"`
	Frame      time.Duration `json:"frame"`
	Parse      time.Duration `json:"parse"`
	Sink       time.Duration `json:"sink"`
	Checkpoint time.Duration `json:"checkpoint"`
	Idle       time.Duration `json:"idle"`
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
	After  time.Duration `json:"after"`  // from the call
	Stages Stages        `json:"stages"` // of its lane; they add up to After
}

// CodecReport sums up the objects of one codec, or of several layers.
type CodecReport struct {
	Codec   string        `json:"codec"`   // outermost first where there are layers: "gzip,zstd"
	Objects int64         `json:"objects"` // each once, however often it was read
	Stored  int64         `json:"stored"`  // bytes
	Decoded int64         `json:"decoded"` // bytes
	Busy    time.Duration `json:"busy"`    // in stage decode
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

// RequestReport sums up the requests to the store: work that went on beside the
// lanes, whether or not one waited for it.
type RequestReport struct {
	Count     int64         `json:"count"`
	Failed    int64         `json:"failed"`
	Bytes     int64         `json:"bytes"`
	FirstByte time.Duration `json:"first_byte"` // in all requests, until the response was there
	Total     time.Duration `json:"total"`      // in all requests, until the body ended
}

// Complete says that everything the source lists was read to its proven end and
// delivered, by this run and those before it: nothing failed, nothing was left
// out or cut, nothing remains. It is about what was listed, each name once, and
// true where nothing was: Counts.Listed tells. A
// resumed run lists on behind the manifest's mark: objects that appear later with
// names that sort before it are not looked for.
func (r *Report) Complete() bool {
	all := r.Earlier
	all.add(r.Counts)
	return r.Listed && r.Error == "" && !r.Stopped &&
		all.Remaining().Objects == 0 && all.Failed.Objects == 0 && all.Skipped.Objects == all.Markers+all.Indexes+all.Own &&
		all.RecordsSkipped == 0 && all.RecordsTruncated == 0
}
