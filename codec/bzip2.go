package codec

import (
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
)

// bzip2Codec is the format that bzip2 1.0.8 reads, of which there is no specification but
// its source: any number of streams, as pbzip2 and lbzip2 write them, and the randomised
// blocks of old versions. Units are streams, and restart points blocks.
func bzip2Codec() Codec {
	return Codec{
		Name:            "bzip2",
		Member:          "stream",
		Extensions:      []string{".bz2", ".bzip2", ".bz"},
		ShortExtensions: map[string]string{".tbz": ".tar", ".tbz2": ".tar", ".tb2": ".tar"},
		Encodings:       []string{"bzip2", "x-bzip2"},
		Magic:           func(head []byte, _ bool) Match { return bzip2Head(head) },
		Requires:        bzip2Requires,
		MaxMemory:       func(maxWindow int64) int64 { return bzip2Memory(min(maxWindow, 900_000)) },
		NewReader:       opener("bzip2", newBzip2),
		Scan:            func() Scanner { return new(bzip2Scanner) },
		NextMember:      nextOf(bzip2Start, looksBzip2),
		Split:           bzip2Split,
		restarts:        "block",
		Restart:         restarter("bzip2", newBzip2),
	}
}

// Marks that follow the header of a stream: of its first block, or of its end where it
// has no block. Without them text that begins with BZh9 would be bzip2.
const (
	bzip2Start = "BZh" // and the level
	bzip2Block = "\x31\x41\x59\x26\x53\x59"
	bzip2End   = "\x17\x72\x45\x38\x50\x90"

	bzip2HeadSize = len(bzip2Start) + 1 + len(bzip2Block)
)

// bzip2Head reports whether head begins with a stream.
func bzip2Head(head []byte) Match {
	m := prefix(head, bzip2Start)
	if m != Matched {
		return m
	}
	head = head[len(bzip2Start):]
	if len(head) == 0 {
		return NeedMore
	}
	if head[0] < '1' || head[0] > '9' {
		return NoMatch
	}
	// NoMatch is the least of the answers. At most one mark answers Matched or, except
	// for no bytes at all, NeedMore.
	return max(prefix(head[1:], bzip2Block), prefix(head[1:], bzip2End))
}

// bzip2Window is how many bytes a block may have in the stream that head begins.
func bzip2Window(head []byte) int64 { return int64(head[len(bzip2Start)]-'0') * 100_000 }

// bzip2Requires knows a bound: a block takes memory as it turns out to be large.
func bzip2Requires(head []byte) (Needs, error) {
	switch bzip2Head(head) {
	case NoMatch:
		return Needs{}, fmt.Errorf("%w: not bzip2 data", ErrCorrupt)
	case NeedMore:
		return Needs{}, io.ErrUnexpectedEOF
	}
	if string(head[len(bzip2Start)+1:bzip2HeadSize]) == bzip2End {
		return Needs{Memory: bzip2Memory(0)}, nil
	}
	window := bzip2Window(head)
	return Needs{Window: window, Memory: bzip2Memory(window), Size: -1}, nil
}

func bzip2Memory(window int64) int64 { return 9*window + 128<<10 }

// bzip2Format decodes one stream after the other.
type bzip2Format struct {
	z      *bzip2.Reader
	opts   *Options
	in     *Input
	window int64 // to be asked for before the first block after a restart; 0 if it was
	given  int64 // bytes of the stream returned, without those before a restart
	mark   Point // after the last block, without State; no Stored: there is none
}

func newBzip2(o *Options) (format, error) {
	return &bzip2Format{z: &bzip2.Reader{Unverified: o.SkipChecksums}, opts: o}, nil
}

func (f *bzip2Format) begin(in *Input, _ bool) error {
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		if err != nil {
			in.Discard(len(b))
			if len(b) > 0 {
				err = noEOF(err)
			}
			return err
		}
		switch bzip2Head(b) {
		case NoMatch:
			return errNoMember
		case Matched:
			needs, err := bzip2Requires(b)
			if err == nil {
				err = f.opts.admit(needs.Window, needs.Memory)
			}
			if err != nil {
				return err
			}
			f.z.Reset(in.buf)
			f.start(in, 0)
			return nil
		}
	}
}

func (f *bzip2Format) start(in *Input, window int64) {
	f.in, f.window, f.given, f.mark = in, window, 0, Point{}
}

// read decodes a block when the data of the one before was returned. Until then the
// source stands after that block, which is where the next one begins.
func (f *bzip2Format) read(p []byte) (int, error) {
	if f.window > 0 {
		if err := f.opts.admit(f.window, bzip2Memory(f.window)); err != nil {
			return 0, err
		}
		f.window = 0
	}
	at, passed := f.in.Offset(), f.z.Passed()
	n, err := f.z.Read(p)
	if f.z.Passed() != passed {
		if f.z.SharesByte() {
			at--
		}
		f.mark = Point{Stored: at, Decoded: f.given}
	}
	f.given += int64(n)
	return n, cause(err)
}

// point implements pointer.
func (f *bzip2Format) point() (Point, bool) {
	p := f.mark
	if p.Stored == 0 {
		return p, false
	}
	p.State = f.z.State()
	return p, true
}

// resume implements resumer. The memory is asked for by the first read, which may wait.
func (f *bzip2Format) resume(in *Input, state []byte) error {
	level, err := f.z.Resume(in.buf, state)
	if err != nil {
		return cause(err)
	}
	f.start(in, int64(level)*100_000)
	return nil
}

func (f *bzip2Format) close() { f.z, f.in = nil, nil }

// bzip2Scanner reads the header of the first stream: no header says where the next one
// begins.
type bzip2Scanner struct{}

func (s *bzip2Scanner) Scan(b []byte, left int64) (Step, error) {
	if len(b) == 0 {
		return Step{}, atEnd(left)
	}
	n, err := bzip2Requires(b)
	if err == io.ErrUnexpectedEOF {
		err = short(b, left)
	}
	if err != nil {
		return Step{}, err
	}
	return Step{
		Role: StepRest, Part: Part{Size: -1, Window: n.Window, Checksum: "crc32", Blocks: -1}, Memory: n.Memory,
		Notes: []string{fmt.Sprintf("the first stream has blocks of %d bytes", bzip2Window(b))},
	}, nil
}
