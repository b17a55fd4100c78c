package blob

import (
	"context"
	"time"
)

// ReaderOptions configures [Store.NewReader]. Nil means the zero value.
type ReaderOptions struct {
	// Version pins the read to one version: another one is [ErrChanged].
	// Empty means whatever the first response carries, pinned from then on.
	Version string

	// Offset is the first stored byte to read. 0 means the start. An offset
	// at the object's end gives an empty read, one behind it an error.
	Offset int64

	// RangeSize is how many bytes one request asks for. 0 means 8 MiB.
	// Ignored for local stores, which are read by one range to the end.
	RangeSize int64

	// ReadAhead is how many bytes may be held that were fetched and not yet
	// read. 0 means one RangeSize; a local store reads none ahead.
	ReadAhead int64

	// Budget is asked for memory beyond the first 256 KiB of read-ahead. Nil
	// means that ReadAhead alone is the bound.
	Budget Budget

	// OnRequest is called when a request ends. Nil means not. It may be called
	// from another goroutine than the reader's, one call at a time.
	OnRequest func(Request)
}

// Budget grants memory. Both methods are safe for concurrent use and do not
// block.
type Budget interface {
	TryAcquire(n int64) bool // whether n more bytes may be held
	Release(n int64)         // gives n bytes back
}

// Request describes one request of a Reader that ended.
type Request struct {
	Key       string
	Offset    int64         // first byte asked for
	Asked     int64         // bytes asked for; -1 means to the end
	Got       int64         // bytes received
	Attempt   int           // 1 for the first try
	FirstByte time.Duration // from sending until the response was there
	Total     time.Duration // from sending until the body ended
	Err       error         // nil when everything asked for was received
}

// Reader reads the stored bytes of one version of one object in order. It
// belongs to one goroutine.
type Reader struct{ obj Object }

// NewReader opens one object and returns when the first response is there, so
// that Object is known. ctx bounds the Reader's whole life. The first request is
// a read, not a look-up. The caller closes the Reader.
func (s *Store) NewReader(ctx context.Context, key string, opts *ReaderOptions) (*Reader, error) {
	return nil, errTODO
}

// Object describes what is read: size and version as served.
func (r *Reader) Object() Object { return r.obj }

// Offset is the stored offset of the next byte.
func (r *Reader) Offset() int64 { return 0 }

// Buffered is how many bytes Read can give without waiting for the store. It is
// always 0 for local stores.
func (r *Reader) Buffered() int { return 0 }

// Read reads the next stored bytes. It gives [io.EOF] only when as many bytes
// were read as the object has; a body that ends early is io.ErrUnexpectedEOF.
func (r *Reader) Read(p []byte) (int, error) { return 0, errTODO }

// Close ends requests under way and returns when no goroutine of the Reader is
// left. Closing twice is no error.
func (r *Reader) Close() error { return nil }
