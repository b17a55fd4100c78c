package codec

import (
	"cmp"
	"io"
	"iter"
)

// Codec is the recipe of one compression format. Name and NewReader are required. Its
// functions are safe for concurrent use.
type Codec struct {
	// Name identifies the codec in options, reports and manifests. It is lower case, such
	// as "zstd".
	Name string

	// Extensions are those of object names, lower case with the dot: ".zst".
	Extensions []string

	// ShortExtensions are extensions that stand for two, and the inner one: ".tgz" is
	// ".tar" inside gzip. Lower case with the dots. An extension of any codec goes first.
	ShortExtensions map[string]string

	// Member is what the format calls a member: "frame", "stream". Empty means "member".
	// [Inspect] uses it for the members that it finds by decoding, and in Info.Variants.
	Member string

	// Encodings are the Content-Encoding tokens of the format, lower case.
	Encodings []string

	// Magic reports whether head, the first bytes of the stored data, is of this format:
	// [Matched], [NoMatch], or [NeedMore] where more bytes must decide. final says that head
	// is all there is. Nil: the bytes do not identify the format, and only a hint chooses it.
	Magic func(head []byte, final bool) Match

	// Requires returns what a Decoder of the object that begins with head needs, before
	// anything is allocated. Callers pass up to 4096 bytes, or none for the need of any
	// object. It returns io.ErrUnexpectedEOF where head is too short to say, and other
	// causes of this package for data that a Decoder refuses. Nil: the need is small and
	// fixed.
	Requires func(head []byte) (Needs, error)

	// MaxMemory returns an upper bound on a Decoder's memory for a whole object, in bytes, where
	// no window is larger than maxWindow. Set it for formats whose later frames may need
	// more than the first, such as zstd. Nil: what Requires returns holds for all of the
	// object, and a Decoder that asks Options.Grow for more may be refused.
	MaxMemory func(maxWindow int64) (memory int64)

	// NewReader opens a Decoder over src, which begins at the first stored byte. It reads
	// nothing: errors of the data come from Read. A Registry never passes nil for opts. An
	// *[Input] is used as it is, so that the caller knows how much of it was consumed; the
	// built-in codecs wrap any other src in an Input.
	NewReader func(src io.Reader, opts *Options) (Decoder, error)

	// Scan returns a Scanner for one object. Nil: headers do not show where parts end.
	Scan func() Scanner

	// Split lists the units of an object of size stored bytes, in order and without gaps.
	// It yields at most one error, last. A Registry makes it of Scan where it is nil. Nil in
	// both: the object cannot be split.
	Split func(r io.ReaderAt, size int64) iter.Seq2[Unit, error]

	// Restart opens a Decoder at a Point that a Decoder of this Codec returned, in this
	// process or another: src begins at p.Stored, and the first byte that Read returns is
	// that at p.Decoded. Otherwise it is as NewReader. Nil: decoding begins at the start.
	Restart func(src io.Reader, p Point, opts *Options) (Decoder, error)

	// Plain says that the stored bytes are the data: decoding can begin at any of them,
	// and an object of no bytes is whole.
	Plain bool

	tail      tail   // lists the parts by an index at the end
	restarts  string // the places at which Restart can begin
	skippable bool   // has the skippable frames that several formats share

	// twin is a format that goes by the same Encodings. Data is of it where sign, which
	// is too weak to detect by, is not there.
	twin string
	sign func(head []byte) bool
}

// member is what the format calls a member.
func (c *Codec) member() string { return cmp.Or(c.Member, "member") }

// Match is the answer of Codec.Magic.
type Match uint8

const (
	NoMatch  Match = iota // not this format
	NeedMore              // too few bytes to decide
	Matched               // this format
)

// Decoder turns stored bytes into decoded bytes. It belongs to one goroutine. It may also be
// a [Positioned] and a [Restarter], and have the methods that [Trailing] and [Doubt] call.
type Decoder interface {
	// Read returns the data before a fault, then its error. io.EOF is the proven end of the
	// object. Later calls repeat the error.
	io.Reader

	// Reset begins again with another source and the same options, as if just opened, and
	// keeps buffers. It is allowed at any time before Close, also after an error.
	Reset(src io.Reader) error

	// Close frees what the Decoder holds. It does not close the source. A second call
	// returns nil, and a Read after it fails with fs.ErrClosed.
	Close() error
}

// Positioned is implemented by Decoders that know how many stored bytes were consumed for
// the data returned so far. All built-in ones do.
type Positioned interface {
	// StoredOffset returns how many stored bytes were consumed for the data returned so
	// far: exactly so many at the end of a member, a frame and the object, and no fewer in
	// between.
	StoredOffset() int64
}

// Restarter is implemented by Decoders that pass restart points.
type Restarter interface {
	// RestartPoint returns the last point passed at which decoding can begin for data that
	// Read did not return yet: its Decoded is at most what Read returned so far. It returns
	// false where there is none but the start. The State is not changed later.
	RestartPoint() (Point, bool)
}

// Point is a place where decoding can begin. The zero Point is the start of an object.
type Point struct {
	Stored  int64  // stored offset at which Restart's source begins
	Decoded int64  // decoded offset of the first byte that is returned
	State   []byte // opaque, at most 128 KiB; nil where none is needed
}

// Unit is a part of an object that decodes without the parts before it.
type Unit struct {
	Offset  int64 // stored offset
	Size    int64 // stored bytes
	Decoded int64 // decoded bytes; -1 where headers do not say

	// State opens the unit: pass Restart a [Point] of this State, with Offset as Stored and
	// the decoded offset of the unit's data as Decoded. Nil: NewReader opens it. Either way
	// the source must end where the unit does.
	State []byte
}

// Needs is what a format's header says a Decoder must have.
type Needs struct {
	Window int64 // history that the data may refer to, in bytes
	Memory int64 // what this package's Decoder allocates for it, in bytes
	Size   int64 // decoded bytes of the first member, as declared; -1 unknown
}

// Options limits and configures a Decoder. Nil means the zero value. A Decoder copies them.
type Options struct {
	// MaxWindow is the largest window or dictionary accepted, in bytes. A larger one is
	// [ErrLimit] before anything is allocated. 0 means [DefaultMaxWindow].
	MaxWindow int64

	// MaxDecoded is how many bytes Read may return in all. Data beyond it is [ErrLimit],
	// after the bytes up to the limit. 0 means no limit.
	MaxDecoded int64

	// MaxRatio is how many decoded bytes each stored byte may stand for, on average since
	// the start. Beyond it Read fails with [ErrLimit]. The first MiB is free, since a few
	// stored bytes may stand for much. 0 means no limit.
	MaxRatio int64

	// IgnoreTrailing ends cleanly before bytes that are no member, where Read would fail
	// with [ErrTrailing]. [Trailing] returns what was ignored.
	IgnoreTrailing bool

	// SkipChecksums leaves checksums unverified where the format allows it.
	SkipChecksums bool

	// Dictionaries are zstd dictionaries in zstd's own format; each states its id. A
	// dictionary in an object's first frame, as in .warc.zst, takes precedence; it may take
	// an eighth of MaxWindow.
	Dictionaries [][]byte

	// Grow is called before a Decoder holds more memory than was granted so far, with all
	// that it will hold, in bytes, as [Needs] counts it: for the first header, and where a
	// later frame, member or block needs more. An error ends the read: Read returns the
	// data before, then an [*Error] that wraps it. What was granted is held through Reset
	// until Close. A Decoder of small and fixed need does not call it. Read calls it, on
	// its goroutine, and [Registry.Open] for the sum of several layers. Nil grants all.
	Grow func(memory int64) error

	// saw is called with what MaxWindow must allow and what a Decoder takes, as far as
	// Grow is not asked for it. It may be nil.
	saw func(window, memory int64)
}

// DefaultMaxWindow is the largest window accepted where Options.MaxWindow is 0: 128 MiB,
// that of zstd --long=27.
const DefaultMaxWindow = 128 << 20

// maxWindow returns o.MaxWindow or its default. o may be nil.
func (o *Options) maxWindow() int64 {
	if o == nil || o.MaxWindow == 0 {
		return DefaultMaxWindow
	}
	return o.MaxWindow
}
