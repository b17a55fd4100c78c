package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/blob"
)

// storedReader reads the stored bytes of one version of an object, in order:
//
//	blob.Reader ─▶ storedReader ─▶ codec.Input ─▶ decoder
//
// The first open completes what the listing said by what the response says. From then
// on the version is pinned: what is opened later has the same bytes or is an error.
//
// Bytes that have arrived are returned at once. A wait for others is reported to the
// driver, who accounts for the time; a storedReader knows neither stages nor permits.
//
// It belongs to one goroutine.
type storedReader struct {
	object *object
	opts   blob.ReaderOptions // of the last open
	driver fetchDriver        // accounts for waits and readers
	ctx    context.Context    // of rd
	rd     *blob.Reader       // nil before the first open and after close
	pinned bool               // object is completed
}

// fetchDriver is what a storedReader reports to.
type fetchDriver interface {
	// beginWait is called before a wait for stored bytes.
	beginWait()

	// endWait is called when the wait is over, whether bytes came or not. Its error
	// ends the read.
	endWait(ctx context.Context) error

	// reading is called with each reader that is opened, whose read-ahead can be
	// dropped from then on, and with nil once none is open.
	reading(rd *blob.Reader)
}

// open requests the stored bytes from offset on. ctx bounds the requests and waits up
// to the next open. A reader that is open is closed.
//
// open begins a wait and leaves its end to the caller, who may have to wait for the
// first bytes, too.
func (s *storedReader) open(ctx context.Context, offset int64) error {
	s.driver.beginWait()
	listed := s.object.info
	s.opts.Object, s.opts.Offset = &s.object.info, offset
	if listed.Version == "" && listed.Size >= 0 {
		known := listed
		known.Size = -1 // the object may be another one by now
		s.opts.Object = &known
	}
	rd, err := s.object.store.NewReader(ctx, listed.Key, &s.opts)
	if err != nil {
		return err
	}
	s.use(rd)
	s.ctx = ctx
	served := merge(listed, rd.Object())
	switch {
	case !s.pinned:
		s.object.info, s.pinned = served, true
	case served.Version != listed.Version || served.Size != listed.Size || !served.ModTime.Equal(listed.ModTime):
		return fmt.Errorf("%w: opened again, it is another version", blob.ErrChanged)
	}
	return nil
}

// use replaces the reader, by none if rd is nil.
func (s *storedReader) use(rd *blob.Reader) {
	s.driver.reading(rd)
	if s.rd != nil {
		s.rd.Close()
	}
	s.rd = rd
}

// Read implements [io.Reader]. It waits only if no byte has arrived.
func (s *storedReader) Read(p []byte) (int, error) {
	if n := s.rd.Buffered(); n > 0 {
		return s.rd.Read(p[:min(n, len(p))])
	}
	s.driver.beginWait()
	n, err := s.rd.Read(p)
	if werr := s.driver.endWait(s.ctx); werr != nil && n == 0 {
		return 0, werr
	}
	return n, err
}

// complete is an error if fewer bytes were read than the object has. It is called at
// the end of the bytes.
func (s *storedReader) complete() error {
	if at, size := s.rd.Offset(), s.object.info.Size; at != size {
		return fmt.Errorf("%d of %d stored bytes read: %w", at, size, io.ErrUnexpectedEOF)
	}
	return nil
}

// arrived reports whether bytes can be read without a wait.
func (s *storedReader) arrived() bool { return s.rd.Buffered() > 0 }

// changed returns an error if the object was written to while it was read, on a store
// where that can be: faults of its bytes then say nothing of it.
func (s *storedReader) changed() error {
	if s.rd == nil {
		return nil
	}
	return s.rd.Changed()
}

// stop ends the requests. changed still answers.
func (s *storedReader) stop() { s.rd.Close() }

// close ends the requests and releases what was fetched ahead. open may follow.
func (s *storedReader) close() { s.use(nil) }

// merge completes what a listing said by what the response carried.
func merge(listed, served blob.Object) blob.Object {
	m := served
	m.Key = listed.Key
	if m.ContentEncoding == "" {
		m.ContentEncoding = listed.ContentEncoding
	}
	if m.ContentType == "" {
		m.ContentType = listed.ContentType
	}
	if m.ModTime.IsZero() {
		m.ModTime = listed.ModTime
	}
	if m.StorageClass == "" {
		m.StorageClass = listed.StorageClass
	}
	if m.Version == "" {
		m.Version = listed.Version
	}
	return m
}
