package seek

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
)

// IndexerOptions configures an [Indexer]. Nil means the zero value.
type IndexerOptions struct {
	// Version is the version of the object, as its store names it, at most 4 KiB. If it is
	// empty, [Index.Check] compares sizes only.
	Version string

	// Spacing is the least distance between two restart points, in decoded bytes. 0 means
	// 4 MiB: to decode so much takes some milliseconds, and the states take about a
	// hundredth of the stored bytes. A codec may have fewer restart points.
	Spacing int64

	// MaxSize is the largest size of the stored index, in bytes, at most 64 MiB. 0 means a
	// 64th of the object's stored bytes, but 64 KiB at least. If the restart points take
	// more, Spacing doubles, and those that are then too close are dropped.
	MaxSize int64
}

const (
	defaultSpacing = 4 << 20
	maxSize        = 64 << 20
	leastSize      = 64 << 10
	sizeShare      = 64
	maxPoints      = 1 << 16
	maxName        = 64
	maxVersion     = 4 << 10
)

// Indexer decodes an object and collects its restart points. It belongs to one goroutine. Its
// memory is little more than the size of the stored index. There is nothing to close.
type Indexer struct {
	d       codec.Decoder
	x       Index
	maxSize int64 // 0 is the default
	held    int64 // bytes that the points take in the stored index
	next    int64 // decoded offset at which to look for a point
	err     error // sticky
	pack    *flate.Writer
	buf     bytes.Buffer
}

// NewIndexer returns an Indexer that reads d, a Decoder of the codec called name. d must be at
// the start of the object, and nothing may have been read from it. The caller closes d. opts
// may be nil.
//
// A Decoder without restart points, or of several layers, is [codec.ErrUnsupported]. A name, a
// version or options out of range are an error.
func NewIndexer(d codec.Decoder, name string, opts *IndexerOptions) (*Indexer, error) {
	o := IndexerOptions{}
	if opts != nil {
		o = *opts
	}
	_, restarts := d.(codec.Restarter)
	_, positioned := d.(codec.Positioned)
	switch {
	case !restarts || !positioned:
		return nil, &codec.Error{Codec: name, Err: fmt.Errorf("%w: no restart points to index", codec.ErrUnsupported)}
	case name == "" || len(name) > maxName || len(o.Version) > maxVersion:
		return nil, fmt.Errorf("seek: index: the name of the codec has %d bytes, the version %d: 1 to %d and at most %d are allowed",
			len(name), len(o.Version), maxName, maxVersion)
	case o.Spacing < 0 || o.MaxSize < 0 || o.MaxSize > maxSize:
		return nil, fmt.Errorf("seek: index: Spacing %d or MaxSize %d out of range", o.Spacing, o.MaxSize)
	}
	if o.Spacing == 0 {
		o.Spacing = defaultSpacing
	}
	pack, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	return &Indexer{
		d: d, x: Index{Codec: name, Version: o.Version, Spacing: o.Spacing}, maxSize: o.MaxSize, next: o.Spacing, pack: pack,
	}, nil
}

// How much is read between two looks for a point, and from a look in vain to the
// next one: making a point costs up to 128 KiB of copying.
const (
	mostStep  = 256 << 10
	leastStep = 4 << 10
)

func (i *Indexer) step() int64 { return max(leastStep, min(mostStep, i.x.Spacing/2)) }

// Read implements io.Reader. It returns the data and the errors of the Decoder.
func (i *Indexer) Read(p []byte) (int, error) {
	if i.err != nil {
		return 0, i.err
	}
	n, err := i.d.Read(p[:min(int64(len(p)), i.step())])
	i.x.Decoded += int64(n)
	if i.x.Decoded >= i.next {
		i.look()
	}
	i.err = err
	return n, err
}

// look takes the last point passed if it is far enough from the one before.
func (i *Indexer) look() {
	var last int64
	if n := len(i.x.points); n > 0 {
		last = i.x.points[n-1].decoded
	}
	p, ok := i.d.(codec.Restarter).RestartPoint()
	if !ok || p.Decoded-last < i.x.Spacing || len(p.State) > limits.State {
		i.next = i.x.Decoded + i.step()
		return
	}
	i.add(p)
	i.fit()
	i.next = p.Decoded + i.x.Spacing
}

// limit is what the points may take. While the object's size is not known, that is
// the most that any may.
func (i *Indexer) limit() int64 {
	limit := i.maxSize
	switch {
	case limit == 0 && i.err == io.EOF:
		limit = max(leastSize, min(maxSize, i.x.Stored/sizeShare))
	case limit == 0:
		limit = maxSize
	}
	return limit - headSize - int64(len(i.x.Codec)+len(i.x.Version))
}

func (i *Indexer) add(p codec.Point) {
	q := point{stored: p.Stored, decoded: p.Decoded, size: len(p.State), packed: p.State}
	if q.size > 0 {
		i.buf.Reset()
		i.pack.Reset(&i.buf)
		i.pack.Write(p.State) // a bytes.Buffer does not fail
		i.pack.Close()
		if i.buf.Len() < q.size {
			q.packed = i.buf.Bytes()
		}
		q.packed = bytes.Clone(q.packed)
	}
	i.x.points = append(i.x.points, q)
	i.held += q.most()
}

// fit thins the points until they take no more than they may.
func (i *Indexer) fit() {
	for len(i.x.points) > maxPoints || i.held > i.limit() && len(i.x.points) > 0 {
		i.thin()
	}
}

// thin doubles the spacing and drops the points that are too close then.
func (i *Indexer) thin() {
	i.x.Spacing *= 2
	kept := i.x.points[:0]
	var last int64
	i.held = 0
	for _, p := range i.x.points {
		if p.decoded-last >= i.x.Spacing {
			kept = append(kept, p)
			last = p.decoded
			i.held += p.most()
		}
	}
	clear(i.x.points[len(kept):])
	i.x.points = kept
}

// Index returns the index of the object after Read has returned io.EOF. Before that it returns
// an error: that of the Decoder, if there was one.
func (i *Indexer) Index() (*Index, error) {
	switch i.err {
	case io.EOF:
	case nil:
		return nil, errors.New("seek: index asked for before the object was read to its end")
	default:
		return nil, i.err
	}
	i.x.Stored = i.d.(codec.Positioned).StoredOffset()
	i.fit()
	x := i.x
	return &x, nil
}
