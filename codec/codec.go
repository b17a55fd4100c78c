package codec

import (
	"cmp"
	"io"
	"iter"
)

// Codec describes one compression format. Name and NewReader are required; the zero value of
// every other field means that the format has no such thing. All functions of a Codec must be
// safe for concurrent use.
type Codec struct {
	// Name identifies the codec in options, reports and manifests, in lower case: "zstd".
	Name string

	// Extensions are the extensions of object names, in lower case and with the dot: ".zst".
	Extensions []string

	// ShortExtensions are extensions that stand for two, each with the inner one: ".tgz" with
	// ".tar", since a.tgz is short for a.tar.gz. In lower case and with the dots. They count
	// only where no codec has the extension in Extensions.
	ShortExtensions map[string]string

	// Member is what the format calls a member: "frame", "stream". Empty means "member".
	// [Inspect] uses it for members that only decoding finds, and in Info.Variants. A Scanner
	// of the format ends the Kind of each StepBegin with the same word.
	Member string

	// Encodings are the tokens of Content-Encoding that stand for the format, in lower case.
	Encodings []string

	// Magic reports whether head, the first stored bytes of an object, is of this format.
	// It returns [NeedMore] for a head that is too short to tell, also if final is true, which
	// says that head is the whole object: the object may have been cut, and a hint then decides.
	// Nil means that the first bytes do not show the format: then only a hint does.
	Magic func(head []byte, final bool) Match

	// Requires returns what a Decoder needs for the object that begins with head, and allocates
	// nothing. head has up to 4096 bytes. For an empty head it returns what any object may need
	// at first. It returns io.ErrUnexpectedEOF if head is too short to answer, and another cause
	// of this package if a Decoder would refuse the object. Nil means that the need is small
	// and always the same.
	Requires func(head []byte) (Needs, error)

	// MaxMemory returns the most memory, in bytes, that a Decoder may come to hold for one
	// object if no window is larger than maxWindow. Set it for formats whose later members or
	// blocks may need more than the first, such as zstd. Nil means that Requires answers for
	// the whole object; then a Decoder that calls Options.Grow for more may be refused.
	MaxMemory func(maxWindow int64) (memory int64)

	// NewReader returns a Decoder of src, which begins with the first stored byte. It reads
	// nothing, so that errors of the data come from Read; options that cannot be used are an
	// error here. A Registry never passes nil for opts; the built-in codecs take nil for the
	// zero Options. If src is an *[Input], the Decoder reads from that Input itself, so that
	// the caller can see how much it consumed. The caller closes the Decoder, which does not
	// close src.
	NewReader func(src io.Reader, opts *Options) (Decoder, error)

	// Scan returns a new Scanner for one object. Nil means that headers do not show where
	// members or blocks end.
	Scan func() Scanner

	// NextMember returns the index of the first place in b where the bytes look like the start
	// of a member, or -1. Set it for formats whose headers do not say where a member ends. Such
	// a place is a guess, which only decoding proves: a few among random data may be wrong. It
	// need not find places in the last [MemberLook] - 1 bytes of b. What begins there decodes
	// with a new Decoder, unless it was guessed wrong. Nil means that members are not searched.
	NextMember func(b []byte) int

	// Split returns the units of an object of size stored bytes, in order and without gaps. An
	// error comes last, once, after the units before it. A Registry sets Split to a function
	// that uses Scan if it is nil. Nil in both means that the object is one piece.
	Split func(r io.ReaderAt, size int64) iter.Seq2[Unit, error]

	// Restart returns a Decoder that begins at p, a Point that a Decoder of this Codec returned,
	// in this process or another. src begins at the stored offset p.Stored, and the first byte
	// of Read is the one at the decoded offset p.Decoded. Everything else is as for NewReader;
	// offsets count from the start of the object. A State that the Codec does not know is
	// [ErrCorrupt] or [ErrUnsupported], from Restart or from Read. Nil means that decoding begins
	// at the start only.
	Restart func(src io.Reader, p Point, opts *Options) (Decoder, error)

	// Plain says that stored and decoded bytes are the same: decoding can begin at any of them,
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

// MemberLook is how many bytes Codec.NextMember needs to see of a member at most.
const MemberLook = 32

// member is what the format calls a member.
func (c *Codec) member() string { return cmp.Or(c.Member, "member") }

// Match is the answer of Codec.Magic. The zero value is [NoMatch].
type Match uint8

// The answers of Codec.Magic.
const (
	NoMatch  Match = iota // another format, or none
	NeedMore              // too few bytes to decide
	Matched               // this format
)

// Decoder decodes one object. It belongs to one goroutine. NewReader or Restart of a [Codec]
// returns it, or [Registry.Open].
//
// A Decoder may also implement [Positioned] and [Restarter], and have the methods that
// [Trailing] and [Doubt] call. Those of this package do.
type Decoder interface {
	// Read returns decoded bytes. An error comes after all data before it, with 0 bytes, and
	// again from every later call. io.EOF says that the object is proven whole; any other error
	// is an [*Error]. A call with an empty p has no effect.
	io.Reader

	// Reset begins again with another object and the same options, as if the Decoder were new.
	// It keeps buffers. It is allowed at any time before Close, also after an error. After
	// Close it fails with fs.ErrClosed.
	Reset(src io.Reader) error

	// Close releases what the Decoder holds. It does not close the source. A second call
	// returns nil, and Read fails with fs.ErrClosed from then on.
	Close() error
}

// Positioned is implemented by Decoders that know how many stored bytes they have consumed.
// All Decoders of this package do.
type Positioned interface {
	// StoredOffset returns how many stored bytes were consumed for the data returned so far.
	// At the end of a member and of the object it is exact. Inside a member it may be larger
	// than needed, since a block may be decoded before its first byte is returned.
	StoredOffset() int64
}

// Restarter is implemented by Decoders that pass restart points.
type Restarter interface {
	// RestartPoint returns the last restart point at or before the next byte that Read returns.
	// It returns false if there is none except the start of the object. It may be called after
	// an error. A call may copy up to 128 KiB; nobody changes the State later.
	RestartPoint() (Point, bool)
}

// ResetterAt is implemented by Decoders that can be used again in the middle of an object.
type ResetterAt interface {
	// ResetAt begins again at p, as the Restart of the Codec does, with the same options. It
	// keeps buffers. After an error, call Reset or Close.
	ResetAt(src io.Reader, p Point) error
}

// Point is a restart point: a place in an object at which decoding can begin. The zero Point
// is the start of an object.
type Point struct {
	Stored  int64  // stored offset at which the source of Restart begins
	Decoded int64  // decoded offset of the first byte that Read returns
	State   []byte // what the Decoder needs to know, at most 128 KiB; nil: nothing
}

// Unit is a part of an object that decodes without what lies before it.
type Unit struct {
	Offset  int64 // stored offset at which it begins
	Size    int64 // stored bytes that it takes
	Decoded int64 // decoded bytes that it has; -1: headers do not say

	// State is what a Decoder of the unit needs. To decode the unit, call Restart with a [Point]
	// of this State, with Offset as Stored and the decoded offset of the unit as Decoded. If
	// State is nil, call NewReader. In both cases the source must end where the unit ends.
	State []byte
}

// Needs is what the header of an object says that a Decoder needs.
type Needs struct {
	Window int64 // the window, in bytes
	Memory int64 // all memory that the Decoder takes, window included, in bytes
	Size   int64 // decoded bytes of the first member; -1: the header does not say
}

// Options limits and configures a Decoder. Nil means the zero value. A Decoder copies it.
type Options struct {
	// MaxWindow is the largest window that a header may ask for, in bytes. A larger one is
	// [ErrLimit], before anything is allocated. 0 means [DefaultMaxWindow].
	MaxWindow int64

	// MaxDecoded is how many bytes Read may return in all. If the object has more, Read returns
	// [ErrLimit] after them. 0 means no limit.
	MaxDecoded int64

	// MaxRatio is the largest ratio of decoded to stored bytes, on average since the start.
	// Beyond it Read returns [ErrLimit]. The first MiB of data is not counted, because a few
	// stored bytes may decode to much. 0 means no limit.
	MaxRatio int64

	// IgnoreTrailing makes Read return io.EOF instead of [ErrTrailing] if bytes follow the
	// last member. Read still reads the source to its end. [Trailing] returns what was ignored.
	IgnoreTrailing bool

	// SkipChecksums leaves checksums unverified in formats in which that saves time.
	SkipChecksums bool

	// Dictionaries are dictionaries of zstd in zstd's own format, each of which states its id.
	// Frames choose by the id. A dictionary in the first frame of an object, as in .warc.zst,
	// takes precedence over them; it may take an eighth of MaxWindow. The Decoder refers to the slices
	// until Close: do not change them.
	Dictionaries [][]byte

	// Grow is called before a Decoder holds more memory than it was granted so far. memory is
	// all that it will hold, in bytes, as [Needs] counts it. If Grow returns an error, Read
	// returns the data before, and then an [*Error] that wraps this error. What was granted
	// stays granted until Close, also after Reset.
	//
	// Read calls it on its own goroutine: for the first header, and for each later member or
	// block that needs more. [Registry.Open] calls it for the sum of several layers. A Decoder
	// that needs little, and always the same, does not call it. Nil grants everything.
	Grow func(memory int64) error

	// saw is called with what MaxWindow must allow and what a Decoder takes, as far as
	// Grow is not asked for it. It may be nil.
	saw func(window, memory int64)
}

// DefaultMaxWindow is the largest window allowed if Options.MaxWindow is 0: 128 MiB, the
// window of zstd --long=27.
const DefaultMaxWindow = 128 << 20

// maxWindow returns o.MaxWindow or its default. o may be nil.
func (o *Options) maxWindow() int64 {
	if o == nil || o.MaxWindow == 0 {
		return DefaultMaxWindow
	}
	return o.MaxWindow
}
