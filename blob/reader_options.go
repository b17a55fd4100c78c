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

	// RangeSize is how many bytes one request asks for at most. An object of a known
	// Size may be read in smaller ranges, of at least 1 MiB, so that it is read by
	// as many requests at once as the last large object needed. 0 means 8 MiB.
	// Local stores ignore it: one request reads to the end.
	RangeSize int64

	// InFlight bounds the requests under way at once. Where more than one may be, a
	// request that has received three quarters of its range no longer counts. A Reader begins with as many requests as the
	// last large object that the Store read needed, or with one, and sends up to
	// four times as many each time it has to wait. 0 means 16. Local stores have
	// one.
	InFlight int

	// ReadAhead bounds the bytes that are fetched and not yet read. 0 means one
	// and a half times InFlight ranges; smaller values than 128 KiB are raised to that.
	// Local stores read nothing ahead.
	ReadAhead int64

	// Budget is asked for the memory of read-ahead beyond the first 256 KiB.
	// While it refuses, fewer ranges are under way. Nil means that ReadAhead
	// alone is the bound.
	Budget Budget

	// OnRequest is called once for each request, when it has ended: its body was
	// read to the end, it failed, or it was canceled, by Close included. It may
	// run on any goroutine, one call at a time, and must not use the Reader;
	// reading and Close wait for it. Nil means no call.
	OnRequest func(Request)
}

// Budget grants memory to Readers. Its methods must be safe for concurrent use and must
// not block.
type Budget interface {
	// TryAcquire reports whether the caller may hold n more bytes, and counts
	// them if so.
	TryAcquire(n int64) bool

	// Release returns n bytes that TryAcquire has granted.
	Release(n int64)
}

// Request describes one request of a Reader or a ReaderAt that has ended.
type Request struct {
	// Key is the key of the object.
	Key string

	// Offset is the first byte that was requested.
	Offset int64

	// Asked is the number of bytes that were requested. -1 means all up to the
	// end.
	Asked int64

	// Got is the number of bytes that were received.
	Got int64

	// Attempt counts the attempts at this range, from 1. It starts over after
	// 64 KiB without a fault.
	Attempt int

	// Hedged reports that the request is a hedge: it was sent because another
	// one was late. See [Retry].NoHedge.
	Hedged bool

	// FirstByte is the time from sending until the response had arrived, or
	// until the request failed.
	FirstByte time.Duration

	// Total is the time from sending until the request ended. It includes the
	// time in which nobody wanted its bytes.
	Total time.Duration

	// Err is nil if all bytes that were requested were received. It is set too
	// when the request was canceled because its bytes were no longer wanted.
	Err error
}

// rangeSize is the default of RangeSize. The time for its bytes outweighs the wait for
// the first one.
const rangeSize = 8 << 20

// inFlight is the default of InFlight: 16 connections of 85 MB/s, the rate of one to S3,
// exceed 10 Gbit/s.
const inFlight = 16

// pin fills in the defaults of o and returns the pin of a read.
func (s *Store) pin(ctx context.Context, key string, o *ReaderOptions) (*pin, error) {
	p := &pin{store: s, key: key, size: -1, onRequest: o.OnRequest}
	if o.Offset < 0 || o.RangeSize < 0 || o.ReadAhead < 0 || o.InFlight < 0 {
		return nil, p.fail(ctx, 0, fmt.Errorf("negative offset %d, range size %d, ranges in flight %d or read-ahead %d: %w",
			o.Offset, o.RangeSize, o.InFlight, o.ReadAhead, fs.ErrInvalid))
	}
	if known := o.Object; known != nil {
		if known.Key != "" && known.Key != key || known.Size < -1 {
			return nil, p.fail(ctx, 0, fmt.Errorf("read with an Object of key %q and size %d: %w", known.Key, known.Size, fs.ErrInvalid))
		}
		p.version, p.size = known.Version, known.Size
	}
	if err := cmp.Or(ctx.Err(), s.named(key)); err != nil {
		return nil, p.fail(ctx, 0, err)
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
