package blob

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"time"
)

// ReaderOptions configures [Store.NewReader]. Nil means the zero value.
type ReaderOptions struct {
	// Object is what a listing or Stat returned for the key. Its Version, unless
	// empty, and its Size, unless -1, must be those of the object that is read,
	// else the error is [ErrChanged]. Where the Size is known, a second range may
	// be requested before the first is answered. Its Key must be the key or
	// empty; other fields are not looked at. Nil means that nothing is known: the
	// read is of the version that the first response has.
	Object *Object

	// Offset is the first stored byte to read. 0 means the start. At the
	// object's end the read is empty; an offset beyond it is an error.
	Offset int64

	// RangeSize is how many bytes one request asks for. 0 means 8 MiB.
	// Ignored for local stores, which are read by one range to the end.
	RangeSize int64

	// InFlight is how many ranges may be under way at once; beyond one, a
	// range in its last quarter does not count. The Reader begins with one
	// and doubles their number when it has to wait. 0 means 16. Local stores
	// have one.
	InFlight int

	// ReadAhead is how many bytes may be held that were fetched and not yet
	// read. 0 means one and a half times InFlight ranges; less than 128 KiB
	// counts as that. A local store reads none ahead.
	ReadAhead int64

	// Budget is asked for memory beyond the first 256 KiB of read-ahead.
	// Where it refuses, fewer ranges are in flight. Nil means that ReadAhead
	// alone is the bound.
	Budget Budget

	// OnRequest is called once for each request that ended. Nil means not. It
	// may be called from other goroutines than the reader's, one call at a
	// time, and does not use the Reader.
	OnRequest func(Request)
}

// Budget grants memory. Both methods are safe for concurrent use and do not
// block.
type Budget interface {
	TryAcquire(n int64) bool // whether n more bytes may be held
	Release(n int64)         // gives n bytes back
}

// Request describes one request of a Reader or a ReaderAt that ended.
type Request struct {
	Key       string
	Offset    int64         // first byte asked for
	Asked     int64         // bytes asked for; -1 means to the end
	Got       int64         // bytes received
	Attempt   int           // 1 for the first try; counted anew after 64 KiB
	Hedged    bool          // sent since another one was late
	FirstByte time.Duration // from sending until the response was there
	Total     time.Duration // from sending until the body ended
	Err       error         // nil when everything asked for was received
}

// rangeSize is the default of RangeSize: long enough for the rate of a
// connection to outweigh the wait for the first byte.
const rangeSize = 8 << 20

// inFlight is the default of InFlight: 16 connections of 85 MB/s, which is what
// one of S3 gives, are more than 10 Gbit/s.
const inFlight = 16

// pin fills in the defaults of o and makes the pin of a read.
func (s *Store) pin(ctx context.Context, key string, o *ReaderOptions) (*pin, error) {
	p := &pin{store: s, key: key, size: -1, onRequest: o.OnRequest}
	if o.Offset < 0 || o.RangeSize < 0 || o.ReadAhead < 0 || o.InFlight < 0 {
		return nil, p.fail(ctx, -1, fmt.Errorf("negative offset %d, range size %d, ranges in flight %d or read-ahead %d: %w",
			o.Offset, o.RangeSize, o.InFlight, o.ReadAhead, fs.ErrInvalid))
	}
	if known := o.Object; known != nil {
		if known.Key != "" && known.Key != key || known.Size < -1 {
			return nil, p.fail(ctx, -1, fmt.Errorf("read with an Object of key %q and size %d: %w", known.Key, known.Size, fs.ErrInvalid))
		}
		p.version, p.size = known.Version, known.Size
	}
	if err := cmp.Or(ctx.Err(), s.named(key)); err != nil {
		return nil, p.fail(ctx, -1, err)
	}
	o.RangeSize = cmp.Or(o.RangeSize, rangeSize)
	o.InFlight = cmp.Or(o.InFlight, inFlight)
	if o.ReadAhead == 0 {
		parts := min(int64(o.InFlight), 1<<20)
		parts += parts / 2
		o.ReadAhead = min(o.RangeSize, math.MaxInt64/parts) * parts
	}
	return p, nil
}
