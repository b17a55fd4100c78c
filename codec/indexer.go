package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// IndexOptions configures an [Indexer]. Nil means the zero value.
type IndexOptions struct {
	// Version of the object, as its store names it. Empty: a later read can only
	// compare sizes. At most 4 KiB.
	Version string

	// Spacing is the least distance of two points in decoded bytes. 0 means 4 MiB:
	// decoding that much takes some milliseconds, and the window kept for it is
	// about a hundredth of the stored bytes. A codec may pass points less often.
	Spacing int64

	// MaxSize is how large the stored index may become, at most 64 MiB. 0 means a
	// 64th of the object's stored size, and no less than 64 KiB. When the points
	// take more, Spacing doubles and the points too close to each other go.
	MaxSize int64
}

const (
	defaultIndexSpacing = 4 << 20
	maxIndexSize        = 64 << 20
	leastIndexSize      = 64 << 10
	indexShare          = 64
	maxIndexPoints      = 1 << 16
	maxIndexName        = 64
	maxIndexVersion     = 4 << 10
)

// Indexer is a reader of decoded bytes that remembers where decoding can begin
// again. It belongs to one goroutine, and holds no more than the index does.
type Indexer struct {
	d       Decoder
	x       Index
	maxSize int64 // 0 is the default
	held    int64 // bytes that the points take in the stored index
	next    int64 // decoded offset at which to look for a point
	err     error // sticky
	pack    *flate.Writer
	buf     bytes.Buffer
}

// NewIndexer reads from d, which was opened just now by the codec of this name at
// the start of the object, and which the caller closes. A Decoder without restart
// points, which one of several layers is too, is [ErrUnsupported].
func NewIndexer(d Decoder, name string, opts *IndexOptions) (*Indexer, error) {
	o := IndexOptions{}
	if opts != nil {
		o = *opts
	}
	_, restarts := d.(Restarter)
	_, positioned := d.(Positioned)
	switch {
	case !restarts || !positioned:
		return nil, &Error{Codec: name, Err: fmt.Errorf("%w: no restart points to index", ErrUnsupported)}
	case name == "" || len(name) > maxIndexName || len(o.Version) > maxIndexVersion:
		return nil, fmt.Errorf("codec: index: the name of the codec has %d bytes, the version %d: 1 to %d and at most %d are allowed",
			len(name), len(o.Version), maxIndexName, maxIndexVersion)
	case o.Spacing < 0 || o.MaxSize < 0 || o.MaxSize > maxIndexSize:
		return nil, fmt.Errorf("codec: index: Spacing %d or MaxSize %d out of range", o.Spacing, o.MaxSize)
	}
	if o.Spacing == 0 {
		o.Spacing = defaultIndexSpacing
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
	indexStep      = 256 << 10
	leastIndexStep = 4 << 10
)

func (i *Indexer) step() int64 { return max(leastIndexStep, min(indexStep, i.x.Spacing/2)) }

// Read gives what the Decoder gives.
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
	p, ok := i.d.(Restarter).RestartPoint()
	if !ok || p.Decoded-last < i.x.Spacing || len(p.State) > maxState {
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
		limit = max(leastIndexSize, min(maxIndexSize, i.x.Stored/indexShare))
	case limit == 0:
		limit = maxIndexSize
	}
	return limit - indexHeadSize - int64(len(i.x.Codec)+len(i.x.Version))
}

func (i *Indexer) add(p Point) {
	q := indexPoint{stored: p.Stored, decoded: p.Decoded, size: len(p.State), packed: p.State}
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
	for len(i.x.points) > maxIndexPoints || i.held > i.limit() && len(i.x.points) > 0 {
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

// Index is the index of the whole object. Before the Decoder came to its clean end
// it is an error: the Decoder's, if there was one.
func (i *Indexer) Index() (*Index, error) {
	switch i.err {
	case io.EOF:
	case nil:
		return nil, errors.New("codec: index asked for before the object was read to its end")
	default:
		return nil, i.err
	}
	i.x.Stored = i.d.(Positioned).StoredOffset()
	i.fit()
	x := i.x
	return &x, nil
}
