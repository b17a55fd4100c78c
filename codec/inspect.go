package codec

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/limits"
)

// InspectOptions configures [Inspect]. Nil means the zero value.
type InspectOptions struct {
	// Codecs has the codecs to choose from. Nil means [Default].
	Codecs *Registry

	// Codec, Key and ContentEncoding are those of [Hints].
	Codec, Key, ContentEncoding string

	// Decode says that Inspect decodes the whole object after it has read the headers, and
	// drops the data. That verifies the object, and finds members whose ends no header shows.
	Decode bool

	// MaxWindow and Dictionaries are those of [Options], for Decode.
	MaxWindow    int64
	Dictionaries [][]byte

	// MaxRead is how many stored bytes Inspect may read. If they are not enough, that is no
	// error: Info.Unknown lists what Inspect could not find out. 0 means no limit.
	MaxRead int64

	// Range is how many bytes Inspect may read to save one request. Headers that lie closer
	// together are read by one call of ReadAt, of so many bytes. Set it if each call costs
	// a request to a store; Inspect then takes that much memory, at most 8 MiB. 0 is for
	// files: it reads 32 bytes, and more at once as headers prove to lie close together.
	Range int64

	// List is how many entries each list of the Info has at most. 0 means 1,000.
	List int
}

// Inspect describes an object of size stored bytes: how it is compressed, what it consists of,
// and what a Decoder of it needs. opts may be nil.
//
// Inspect reads headers, trailers and indexes, not the data between them. Info.Unknown lists
// what they do not show. With InspectOptions.Decode, Inspect finds that out too. How many
// calls of ReadAt it makes depends on InspectOptions.Range.
//
// The Info is never nil. If the object is truncated or damaged, the Info has what was found before
// the fault, and the error is an [*Error] or that of [Registry.Detect]. A window larger than
// MaxWindow is an error only with Decode. Memory depends neither on what headers claim nor on
// how many members there are.
func Inspect(r io.ReaderAt, size int64, opts *InspectOptions) (*Info, error) {
	if opts == nil {
		opts = new(InspectOptions)
	}
	i := &inspection{
		headers: headers{r: r, size: size, limit: opts.MaxRead, worth: opts.Range},
		opts:    opts,
		codecs:  opts.Codecs,
		most:    opts.List,
		Info: Info{
			Size: size, Declared: -1, Decoded: -1,
			Members: Parts{Count: -1}, Blocks: Parts{Count: -1}, Units: Parts{Count: -1},
		},
	}
	if i.codecs == nil {
		i.codecs = Default()
	}
	if i.most <= 0 {
		i.most = 1000
	}
	if i.limit <= 0 {
		i.limit = math.MaxInt64
	}
	err := i.run()
	i.Info.Read, i.Info.Requests = i.read, i.requests
	return &i.Info, err
}

// inspection is an Inspect under way.
type inspection struct {
	headers
	Info
	opts   *InspectOptions
	codecs *Registry
	most   int

	at      int64 // stored offset up to which the object was gone through
	limited bool  // it may not be read further
	needed  bool  // needs was called
	framing bool  // members are only framing: several are no variant
}

func (i *inspection) run() error {
	head := make([]byte, min(limits.Head, max(i.size, 0)))
	if _, err := i.headers.ReadAt(head, 0); err != nil && err != io.EOF {
		return i.fail("", err)
	}
	var err error
	hints := Hints{
		Codec: i.opts.Codec, Key: i.opts.Key, ContentEncoding: i.opts.ContentEncoding, Stored: &i.headers,
	}
	final := int64(len(head)) == i.size
	if i.Detection, err = i.codecs.Detect(head, final, hints); errors.Is(err, errReadLimit) {
		hints.Stored = nil
		i.Detection, err = i.codecs.Detect(head, final, hints)
	}
	if err != nil {
		return err
	}
	c, ok := i.codecs.find(i.Detection.Codec)
	if !ok {
		c = noneCodec()
	}
	if !c.Plain {
		i.codecs.Examine(&i.Detection, i.codecs.decodeStart(head, &i.Detection), true)
	}
	i.layers(head)
	i.How = "headers"
	if c.Restart != nil {
		i.Restart = cmp.Or(c.restarts, "point")
	}
	if i.size == 0 && !c.Plain {
		return i.fail(c.Name, io.ErrUnexpectedEOF)
	}
	err = i.fail(c.Name, i.walk(c))
	if i.opts.Decode && !i.limited {
		err = i.fail(c.Name, i.decode(c)) // it has the last word
	}
	i.conclude(c)
	return err
}

// fail returns the error of Inspect for a cause.
func (i *inspection) fail(name string, err error) error {
	if errors.Is(err, errReadLimit) {
		i.limited = true
		i.unknown("what follows offset %d: %d bytes were read, no more are allowed", i.at, i.read)
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		return err
	}
	return &Error{Codec: name, StoredOffset: i.at, Err: err}
}

func (i *inspection) unknown(format string, args ...any) {
	i.Unknown = once(i.Unknown, fmt.Sprintf(format, args...), i.most)
}

func (i *inspection) note(format string, args ...any) {
	i.Notes = once(i.Notes, fmt.Sprintf(format, args...), i.most)
}

func (i *inspection) variant(name string) { i.Variants = once(i.Variants, name, i.most) }

func (i *inspection) checksum(kind string) { i.Checksums = once(i.Checksums, kind, i.most) }

// restart begins the lists of parts again.
func (i *inspection) restart() {
	i.Members, i.Blocks, i.Skipped, i.Units = Parts{}, Parts{}, Parts{}, Parts{}
	i.Declared, i.Claimed = 0, 0
	i.Checksums, i.Dictionaries = nil, nil
}

// needs raises what the outermost layer needs to that of one of its parts. The first call
// replaces what the head of the object says.
func (i *inspection) needs(n Needs) {
	l := &i.Layers[0]
	if !i.needed {
		l.Window, l.Memory = 0, 0
	}
	i.needed = true
	l.Window = max(l.Window, n.Window)
	l.Memory = max(l.Memory, n.Memory)
}

// layers finds out from the head of each layer what its Decoder needs. Heads of inner layers
// are decoded.
func (i *inspection) layers(head []byte) {
	d := i.Detection
	for k, name := range d.layers() {
		l := Layer{Codec: name}
		if c, ok := i.codecs.find(name); ok && c.Requires != nil && len(head) > 0 {
			head := head
			if k > 0 {
				head = i.codecs.decodeStart(head, &Detection{Codec: d.Codec, Inner: d.Inner[:k-1]})
			}
			if n, err := c.Requires(head); err == nil {
				l.Window, l.Memory = n.Window, n.Memory
			} else if k > 0 {
				i.unknown("what a reader of %s, layer %d, needs: %v", name, k+1, err)
			}
		}
		i.Layers = append(i.Layers, l)
	}
}

// conclude sums up what the parts say.
func (i *inspection) conclude(c Codec) {
	for _, l := range i.Layers {
		i.Window = max(i.Window, l.Window)
		i.Memory += l.Memory
	}
	if i.Claimed <= i.Window {
		i.Claimed = 0
	}
	if len(i.Layers) > 1 {
		i.Declared = -1 // it is that of another layer
	}
	if i.Members.Count > 1 && !i.framing {
		i.variant("multi-" + c.member())
	}
	if i.Members.Count < 0 && !i.opts.Decode {
		i.unknown("how many members there are, and what a reader of later ones needs: only decoding shows that")
	}
}
