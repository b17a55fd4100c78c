package stream

import (
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
)

// ReadOptions says how one object is read. Nil means the zero value. A number below
// zero is fs.ErrInvalid.
type ReadOptions struct {
	// Codec is the name of the codec, or the names of several layers, outermost
	// first, joined by commas. Empty means that it is detected.
	Codec string

	// Codecs are the codecs to choose from. Nil means [codec.Default].
	Codecs *codec.Registry

	// OnConflict says what to do when the evidence about the codec disagrees.
	OnConflict ConflictPolicy

	// Frame is the name of the framer. Empty means that the extension left
	// after those of codecs chooses; without a known one, lines.
	Frame string

	// Framers are the framers to choose from. Nil means [frame.Default].
	Framers *frame.Registry

	// MaxRecord is the size of the largest record in bytes, its framing
	// included. 0 means 16 MiB. An eighth of Memory is the most.
	MaxRecord int

	// Oversized says what to do with a larger record. The zero value is an
	// error of class [ClassOversized].
	Oversized OversizedPolicy

	// MaxWindow is the largest window or dictionary accepted, in bytes. 0 means
	// 128 MiB. Half of Memory is the most.
	MaxWindow int64

	// MaxDecoded and MaxRatio cap what one object may decode to, in bytes and
	// in decoded bytes for a stored one. Beyond the cap is an error of class
	// [ClassLimit], never an end. 0 means no cap.
	MaxDecoded, MaxRatio int64

	// IgnoreTrailing accepts bytes behind the last member that are none.
	IgnoreTrailing bool

	// SkipChecksums leaves checksums unverified where the format allows it.
	SkipChecksums bool

	// Dictionaries are zstd dictionaries in zstd's own format.
	Dictionaries [][]byte

	// Version pins Open and Records to one version of the object: another one
	// is [ClassChanged]. Empty means the current one. A Backfill takes versions
	// from its source.
	Version string

	// RangeSize is how many stored bytes one request asks for. 0 means 8 MiB,
	// less under a small Memory. Local stores are read in one range.
	RangeSize int64

	// InFlight is how many ranges of one object may be under way at once. 0
	// means up to 16, as the reader has to wait and the memory allows. Local
	// stores are read in one range.
	InFlight int

	// Pool shares memory and workers with others. Nil means that this Open,
	// Records or Backfill has a pool of its own: with Options.Memory and
	// Options.Workers for a Backfill, else with the defaults.
	Pool *Pool

	// NoWait has Open, Records and the reads that follow fail with
	// [ErrPoolBusy] where they would wait for memory that others of the Pool
	// hold, and a Backfill where not even one lane can start.
	NoWait bool
}

// ConflictPolicy says what to do when magic bytes, Content-Encoding and
// extension disagree.
type ConflictPolicy uint8

const (
	TrustContent   ConflictPolicy = iota // the stronger evidence wins; the conflict is reported
	FailOnConflict                       // an error of class [ClassCorrupt], or [ClassTruncated] where an object may have been cut
)

// OversizedPolicy says what to do with a record over MaxRecord.
type OversizedPolicy uint8

const (
	FailOversized     OversizedPolicy = iota // an error of the record
	SkipOversized                            // left out and counted
	TruncateOversized                        // cut to MaxRecord and counted
)

// Options says how a Backfill works. Nil means the zero value. A number below zero is
// fs.ErrInvalid.
type Options struct {
	// Read says how each object is read.
	Read ReadOptions

	// Lanes is how many objects are read at once. 0 means GOMAXPROCS for a
	// local store, else 4 × GOMAXPROCS and at least 16. Fewer run when Memory
	// is too small for all.
	Lanes int

	// Workers is how many goroutines may decode, frame or parse at once. 0
	// means GOMAXPROCS. Read.Pool overrules it.
	Workers int

	// Memory bounds fetch buffers, windows, slabs, spilled and retained
	// records, in bytes. 0 means 1 GiB, or a quarter of the memory limit of the
	// Go runtime if that is lower. Read.Pool overrules it.
	Memory int64

	// Checkpoint keeps the manifest, so that a later run goes on where this
	// one stopped. Nil keeps none. A later run lists on behind the manifest's
	// mark, the name that was listed last: objects that appeared since,
	// with names that sort before the mark, are not looked for. A new manifest
	// finds them.
	Checkpoint Checkpoint

	// CheckpointEvery is how often Writers are flushed and the manifest is
	// saved. 0 means 10 s. It is saved at the end in any case.
	CheckpointEvery time.Duration

	// Writes names what the program writes while the job runs and the source may
	// list, such as a quarantine or the output: paths, or names as
	// blob.Store.ObjectName has them. These are left out and counted, as what
	// the Checkpoint writes is ([ObjectKeeper]). Keys that a source names
	// (blob.Source.Named) are read whatever they are. Nil names nothing.
	Writes []string

	// OnRecordError decides about records that framer or parser refuse. Nil
	// fails the object.
	OnRecordError Policy

	// OnObjectError decides about objects that cannot be read. Nil ends the
	// job.
	OnObjectError Policy

	// Restore restores archived objects and reads each when it is readable; the
	// others go first. Nil leaves archived objects to OnObjectError.
	Restore *RestoreOptions

	// Trace observes the job. Nil observes nothing.
	Trace *Trace
}

const (
	defaultMemory     = 1 << 30
	defaultMaxRecord  = 16 << 20
	defaultRange      = 8 << 20
	leastRange        = 256 << 10
	defaultCheckpoint = 10 * time.Second
)

// memoryOrDefault is n, or the default under the runtime's memory limit.
func memoryOrDefault(n int64) int64 {
	if n > 0 {
		return n
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return min(defaultMemory, limit/4)
	}
	return defaultMemory
}

func workersOrDefault(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// lanesOrDefault is what design and machine suggest for a store.
func lanesOrDefault(n int, local bool) int {
	switch {
	case n > 0:
		return n
	case local:
		return runtime.GOMAXPROCS(0)
	}
	return max(16, 4*runtime.GOMAXPROCS(0))
}

// setting is a field of options that is not below zero.
type setting struct {
	field string
	value int64
}

// refuseNegative gives the error of the first number below zero.
func refuseNegative(settings ...setting) error {
	for _, n := range settings {
		if n.value < 0 {
			return fmt.Errorf("stream: %s is %d: %w", n.field, n.value, fs.ErrInvalid)
		}
	}
	return nil
}

func (o *Options) check() error {
	if o.Restore != nil {
		if err := o.Restore.check(); err != nil {
			return err
		}
	}
	return refuseNegative(
		setting{"Options.Lanes", int64(o.Lanes)},
		setting{"Options.Workers", int64(o.Workers)},
		setting{"Options.Memory", o.Memory},
		setting{"Options.CheckpointEvery", int64(o.CheckpointEvery)},
	)
}

func (o *ReadOptions) check() error {
	return refuseNegative(
		setting{"ReadOptions.MaxRecord", int64(o.MaxRecord)},
		setting{"ReadOptions.MaxWindow", o.MaxWindow},
		setting{"ReadOptions.MaxDecoded", o.MaxDecoded},
		setting{"ReadOptions.MaxRatio", o.MaxRatio},
		setting{"ReadOptions.RangeSize", o.RangeSize},
		setting{"ReadOptions.InFlight", int64(o.InFlight)},
	)
}

// read is ReadOptions made whole: defaults filled in, names looked up, limits
// brought under the pool's memory.
type read struct {
	ReadOptions
	framer *frame.Framer // nil: chosen for each object
	codec  codec.Options
	bytes  bool // are wanted, not records
}

func (o *ReadOptions) resolve(pool *Pool) (read, error) {
	var r read
	if o != nil {
		r.ReadOptions = *o
	}
	if err := r.check(); err != nil {
		return r, err
	}
	if r.Codecs == nil {
		r.Codecs = codec.Default()
	}
	if r.Framers == nil {
		r.Framers = frame.Default()
	}
	if r.Codec != "" {
		if _, err := r.Codecs.Detect(nil, true, codec.Hints{Codec: r.Codec}); err != nil {
			return r, fmt.Errorf("stream: %w", err)
		}
	}
	if _, _, indexed := r.Framers.FindIndexed(r.Frame, nil); r.Frame != "" && !indexed {
		f, err := r.Framers.Lookup(r.Frame)
		if err != nil {
			return r, fmt.Errorf("stream: %w: %w", codec.ErrUnsupported, err)
		}
		r.framer = &f
	}
	if r.MaxWindow == 0 {
		r.MaxWindow = codec.DefaultMaxWindow
	}
	r.MaxWindow = min(r.MaxWindow, pool.memory/2)
	if r.MaxRecord == 0 {
		r.MaxRecord = defaultMaxRecord
	}
	r.MaxRecord = int(min(int64(r.MaxRecord), pool.memory/8))
	if r.RangeSize == 0 {
		r.RangeSize = max(leastRange, min(defaultRange, pool.memory/64))
	}
	r.codec = codec.Options{
		MaxWindow: r.MaxWindow, MaxDecoded: r.MaxDecoded, MaxRatio: r.MaxRatio,
		IgnoreTrailing: r.IgnoreTrailing, SkipChecksums: r.SkipChecksums, Dictionaries: r.Dictionaries,
	}
	return r, nil
}
