package codec

import (
	"io"
	"iter"
)

// Codec is the recipe of one compression format. Name and NewReader are
// required; nil elsewhere means that the format has no such thing.
type Codec struct {
	// Name is how options, reports and manifests call the codec: lower case,
	// such as "zstd".
	Name string

	// Extensions of object names, lower case with the dot: ".zst".
	Extensions []string

	// Encodings are the Content-Encoding tokens of the format, lower case.
	Encodings []string

	// Magic looks at the first bytes of the stored data and answers [Matched],
	// [NeedMore] when they are too few to tell, or [NoMatch]. final means that head is
	// all there is. Nil: the format has no magic.
	Magic func(head []byte, final bool) Match

	// Requires tells from the first stored bytes what a reader needs, before
	// anything is allocated. io.ErrUnexpectedEOF asks for more bytes. Nil: the
	// need is small and fixed.
	Requires func(head []byte) (Needs, error)

	// Grows tells how much memory a reader may come to hold at most, in bytes,
	// where later headers ask for more than the first, and no window is over
	// maxWindow. Nil: what Requires says of the first header holds to the end.
	// A Decoder that asks Options.Grow for more may be refused.
	Grows func(maxWindow int64) (memory int64)

	// NewReader opens a Decoder over src, which begins at the first stored
	// byte. opts is never nil when a Registry or this project's code calls. It
	// reads nothing: errors of the data come from Read. The built-in codecs use
	// an *[Input] as it is and wrap any other src in one of their own.
	NewReader func(src io.Reader, opts *Options) (Decoder, error)

	// Scan makes a Scanner, which finds the parts of an object by headers alone.
	// [Inspect] lists them. Nil: headers do not tell where parts end.
	Scan func() Scanner

	// Split lists units that decode on their own, in order and without gaps. Where it
	// is nil and Scan is not, a Registry makes it of Scan. Nil: cannot be split.
	Split func(r io.ReaderAt, size int64) iter.Seq2[Unit, error]

	// Restart opens a Decoder in the middle: src begins at p.Stored. Nil: a
	// reader must decode from the start and skip.
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

// Match is the answer of a magic test.
type Match uint8

const (
	NoMatch  Match = iota // not this format
	NeedMore              // cannot be told from so few bytes
	Matched               // this format
)

// Decoder turns stored bytes into decoded bytes. It belongs to one goroutine.
//
// Reset begins anew on another source with the same options, as if just opened,
// and keeps buffers; it is allowed at any time before Close. Close frees what
// is held, does not close the source, and may be called twice.
type Decoder interface {
	io.Reader
	Reset(src io.Reader) error
	Close() error
}

// Positioned is implemented by Decoders that know how many stored bytes the data
// given so far took: exact at member and frame borders and at the end, never
// behind what was decoded in between. All built-in Decoders do.
type Positioned interface{ StoredOffset() int64 }

// Restarter is implemented by Decoders that pass restart points.
type Restarter interface {
	// RestartPoint is the last point passed at which decoding can begin again
	// for data not yet given. Point's Decoded is never past what Read gave.
	RestartPoint() (Point, bool)
}

// Point is a place where decoding can begin again.
type Point struct {
	Stored  int64  // stored offset at which Restart's source begins
	Decoded int64  // decoded offset of the first byte that it gives
	State   []byte // opaque, at most 128 KiB; nil where none is needed
}

// Unit is a part of an object that decodes on its own.
type Unit struct {
	Offset  int64 // stored offset
	Size    int64 // stored bytes
	Decoded int64 // decoded bytes; -1 when the headers do not say

	// State opens the unit: Restart with a [Point] of this State, Offset as
	// Stored and where its data belongs as Decoded. Nil: NewReader opens it. The
	// source must end at the unit's end either way.
	State []byte
}

// Needs is what a format's header says a reader must have.
type Needs struct {
	Window int64 // history that the data may refer to, in bytes
	Memory int64 // what this package's reader allocates for it, in bytes
	Size   int64 // decoded bytes of the first member as declared; -1 unknown
}

// Options limits and configures a Decoder. Nil means the zero value.
type Options struct {
	// MaxWindow is the largest window or dictionary accepted, in bytes. A
	// larger one is [ErrLimit] before anything is allocated. 0 means 128 MiB.
	MaxWindow int64

	// MaxDecoded is how many bytes may come out; one more is ErrLimit, after
	// the bytes up to the limit were given. 0 means no limit.
	MaxDecoded int64

	// MaxRatio is how many decoded bytes one stored byte may give, looked at
	// once more than 1 MiB came out. Beyond it Read fails with ErrLimit. 0
	// means no limit.
	MaxRatio int64

	// IgnoreTrailing ends cleanly before bytes that are no member, instead of
	// [ErrTrailing]. What was left out is told by [Trailing].
	IgnoreTrailing bool

	// SkipChecksums leaves checksums unverified where the format allows it.
	SkipChecksums bool

	// Dictionaries are zstd dictionaries in zstd's own format; each names its id.
	// One that an object holds in its first frame, as .warc.zst does, goes before
	// them; it may take an eighth of MaxWindow.
	Dictionaries [][]byte

	// Grow is asked before a Decoder holds more memory than it was granted so
	// far, with all that it holds then, in bytes, as [Needs] counts it: by the
	// first header, and where a later frame, member or block needs more. An
	// error ends the read: the data before is given, then an [*Error] around it.
	// What was granted is held through Reset until Close. A Decoder of small and
	// fixed need does not ask. Read calls it, on its goroutine, and
	// [Registry.Open], which adds several layers up. Nil: nobody is asked.
	Grow func(memory int64) error

	// saw is called with what MaxWindow must allow and what a reader takes, as far as
	// Grow is not asked for it. Nil: nobody wants to know.
	saw func(window, memory int64)
}

// DefaultMaxWindow is the largest window accepted when Options.MaxWindow is 0:
// zstd's --long=27.
const DefaultMaxWindow = 128 << 20

// maxWindow is o.MaxWindow or its default. o may be nil.
func (o *Options) maxWindow() int64 {
	if o == nil || o.MaxWindow == 0 {
		return DefaultMaxWindow
	}
	return o.MaxWindow
}
