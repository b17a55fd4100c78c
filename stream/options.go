package stream

import (
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
)

// ReadOptions configures how objects are read: detected, decoded, split into records
// and fetched. Open, Records and every lane of a Backfill take the same. Nil means the
// zero value. A number below zero is fs.ErrInvalid.
type ReadOptions struct {
	// Codec names the codec, or several layers, outermost first, joined by commas:
	// "zstd", "gzip,zstd". Empty means that it is detected.
	Codec string

	// Codecs are the codecs to choose from. Nil means [codec.Default].
	Codecs *codec.Registry

	// OnConflict decides about objects whose evidence about the codec disagrees.
	// The zero value trusts their content.
	OnConflict ConflictPolicy

	// Decode configures the decoders. MaxWindow is lowered to half of the Memory.
	// MaxDecoded and MaxRatio hold for each object; one that exceeds them fails with
	// [ClassLimit]. Grow must be nil: the Pool answers.
	Decode codec.Options

	// Frame names the framer: "lines", "csv:header". Empty means that the
	// extension left after those of codecs chooses, or lines if it is unknown. Open
	// returns bytes and ignores Frame, Framers and Oversized.
	Frame string

	// Framers are the framers to choose from. Nil means [frame.Default].
	Framers *frame.Registry

	// MaxRecord bounds a record, its framing included, in bytes: a line of MaxRecord
	// bytes is too long, because its line end counts. 0 means 16 MiB. It is lowered to
	// an eighth of the Memory.
	MaxRecord int

	// Oversized decides about records over MaxRecord. The zero value is an error
	// of class [ClassOversized].
	Oversized OversizedPolicy

	// RangeSize is how many stored bytes one request asks for at most; see
	// [blob.ReaderOptions]. 0 means 8 MiB, less under a small Memory. Local stores
	// are read in one range.
	RangeSize int64

	// InFlight bounds the requests of one object that are under way at once. 0
	// means up to 16, as the reader has to wait and the memory allows. Local
	// stores are read in one range.
	InFlight int

	// Pool is memory and workers shared with other readers. Nil means one for this
	// Open, Records or Backfill alone: of Options.Memory and Options.Workers in a
	// Backfill, else of the defaults.
	Pool *Pool

	// NoWait makes Open, Records and the reads that follow fail with [ErrPoolBusy]
	// where they would wait for memory that others of the Pool hold, and a
	// Backfill where not even one lane can start.
	NoWait bool

	indexed []indexed.Format // read by their index; only tests have some so far
}

// OpenOptions configures [Open]. Nil means the zero value.
type OpenOptions struct {
	// Read configures how the object is read.
	Read ReadOptions

	// Object is what a listing or Stat returned for the key. If it has a Version, that
	// and its Size, unless it is -1, must be those of
	// the object that is read: another is [ClassChanged]. A Size without a Version is
	// not checked, because it may be that of an older version. Its Key must be the key
	// or empty. Nil means the current version.
	Object *blob.Object

	// Offset is the decoded offset of the first byte that the Reader returns. It
	// may be the end of the object; beyond it is fs.ErrInvalid. What lies before
	// is decoded too, from the last point of Index before it or from the start.
	Offset int64

	// Index is an index of the object, as package codec/seek makes it. It chooses the codec and, unless Object has
	// a Version, the version. That Object is another one is
	// [seek.ErrOtherVersion]. Nil is none.
	Index *seek.Index
}

// ConflictPolicy decides about an object whose magic bytes, Content-Encoding and
// extension name different codecs.
type ConflictPolicy uint8

const (
	TrustContent   ConflictPolicy = iota // the stronger evidence wins; the conflict is reported
	FailOnConflict                       // an error of class [ClassCorrupt], or [ClassTruncated] if the object may be truncated
)

// OversizedPolicy decides about a record larger than MaxRecord. Counts are in the Report
// of a [Backfill], and in [RecordsOptions].Report.
type OversizedPolicy uint8

const (
	FailOversized     OversizedPolicy = iota // an error of the record
	SkipOversized                            // left out, and counted in Counts.RecordsSkipped
	TruncateOversized                        // shortened to MaxRecord, and counted in Counts.RecordsTruncated
)

// Options configures [Backfill]. Nil means the zero value. A number below zero is
// fs.ErrInvalid.
type Options struct {
	// Read configures how each object is read.
	Read ReadOptions

	// Lanes is how many objects are read at once. 0 means GOMAXPROCS for a local
	// store; for others 4 × GOMAXPROCS, and at least 16. Fewer run where Memory
	// has no room for all.
	Lanes int

	// Workers bounds the goroutines that decode, frame or parse at once. Workers
	// that no lane needs decode units of large objects ahead of the lanes. 0 means
	// GOMAXPROCS. It must be 0 if Read.Pool, which has its own, is set: fs.ErrInvalid.
	Workers int

	// Memory bounds fetch buffers, windows, slabs, spilled and retained records
	// together, in bytes. 0 means 1 GiB, or a quarter of the memory limit of the Go
	// runtime if that is lower. It must be 0 if Read.Pool, which has its own, is set:
	// fs.ErrInvalid.
	Memory int64

	// Checkpoint keeps the manifest, so that a later run goes on where this one
	// stopped. Nil keeps none. A later run lists from the last name that was
	// listed: it does not look for objects that appeared since with names before
	// that one. A run with a new manifest finds them.
	Checkpoint Checkpoint

	// CheckpointEvery is the interval at which Writers are flushed and the manifest
	// is saved. 0 means 10 s. The end of the job saves it in any case.
	CheckpointEvery time.Duration

	// Output names where the sink puts records, for the manifest: one of a job with
	// another Output is refused with [ErrOtherJob], since that job has delivered its
	// records elsewhere. Empty is a name like others.
	Output string

	// Writes names files and objects that the program writes while the job runs
	// and that the source may list, such as a quarantine or the output: paths, or
	// names as blob.Store.ObjectName returns them. The job skips and counts them,
	// like those that the Checkpoint and the Sink write ([ObjectKeeper]). It reads keys that a
	// source names (blob.Source.Named) whatever they are.
	Writes []string

	// OnRecordError decides about records that the framer or the parser refuses. Fail
	// fails the object, and OnObjectError then decides about that: to end the job at a
	// bad record, let OnObjectError fail too. Nil means Fail.
	OnRecordError Policy

	// OnObjectError decides about objects that cannot be read. Nil means Fail: it ends
	// the job.
	OnObjectError Policy

	// Restore restores archived objects and reads each once it is readable, after
	// the others. Nil leaves archived objects to OnObjectError.
	Restore *RestoreOptions

	// After acts upon each object that is done, once its records are durable and the
	// manifest says so. Nil does nothing.
	After *After

	// Follow lists the source again and again once it was listed, and reads what is new,
	// until the job drains, is stopped or its context ends. The source must list: one that
	// names its objects is fs.ErrInvalid, and an object without a time of modification
	// blob.ErrUnsupported. A manifest of a job that does not follow is that of another job,
	// and the other way round. Nil ends the job with the source.
	Follow *FollowOptions

	// Drain ends the job early and gracefully once it is closed: the job lists and
	// reads no more, running calls of the sink finish, what was written is flushed, and
	// the manifest is saved. The next run repeats nothing, with one exception: an
	// [ObjectWriter] delivers objects that were begun and not ended again from their
	// start, and policies see their bad records again. The Report is Stopped, not
	// Finished, and the error is nil. To end without waiting for the sink, end the
	// context. The channel may be the Done of another context, such as that of
	// signal.NotifyContext. Nil never ends the job.
	Drain <-chan struct{}

	// Trace observes the job. Nil observes nothing.
	Trace *Trace
}
