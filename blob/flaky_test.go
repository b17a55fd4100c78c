package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// flaky is a remote driver of one object, which faults as a test says.
type flaky struct {
	driver.Driver
	data    []byte
	latency time.Duration // before a response
	piece   int           // most bytes a read of a body gives; 0: as many as fit

	// fault is what strikes request n, of those sent so far.
	fault func(n int, offset, length int64) fault

	mu      sync.Mutex
	sent    int
	served  int64 // bytes given by bodies
	open    int   // bodies not yet closed
	most    int   // bodies open at once
	zero    int   // requests for no bytes
	version int   // goes up when the object is replaced
}

// fault is what goes wrong with one request.
type fault struct {
	kind  string        // see serve
	after int64         // bytes of the body before it strikes
	wait  time.Duration // before the response
}

var (
	errReset = errors.New("connection reset by peer")
	errBusy  = fmt.Errorf("503 slow down: %w", driver.ErrTransient)
)

func (f *flaky) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	f.mu.Lock()
	n := f.sent
	f.sent++
	if length == 0 {
		f.zero++
	}
	f.mu.Unlock()
	var bad fault
	if f.fault != nil {
		bad = f.fault(n, offset, length)
	}
	if err := pause(ctx, f.latency+bad.wait); err != nil {
		return driver.Range{}, err
	}
	return f.serve(ctx, key, offset, length, version, bad)
}

// serve answers with the fault.
func (f *flaky) serve(ctx context.Context, key string, offset, length int64, version string, bad fault) (driver.Range, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if bad.kind == "replaced" {
		f.version++
	}
	now := fmt.Sprint("v", f.version)
	if version != "" && version != now {
		return driver.Range{}, driver.ErrChanged
	}
	size := int64(len(f.data))
	rng := driver.Range{Offset: offset, Object: driver.Object{Key: key, Size: size, Version: now}}
	from, to := min(offset, size), size
	if length >= 0 {
		to = min(size, offset+length)
	}
	b := &flakyBody{f: f, ctx: ctx, strikes: -1}
	switch bad.kind {
	case "", "replaced":
	case "busy":
		return driver.Range{}, errBusy
	case "hang":
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		return driver.Range{}, ctx.Err()
	case "whole": // a 200 for a 206
		rng.Offset, from, to = 0, 0, size
	case "shifted":
		rng.Offset = max(0, offset-4)
		from = min(rng.Offset, from)
	case "doubled":
		rng.Object.Size *= 2
	case "empty reads":
		b.empty = true
	case "reset", "short", "stall":
		b.strikes, b.kind = bad.after, bad.kind
	default:
		panic(bad.kind)
	}
	b.r = bytes.NewReader(f.data[from:max(from, to)])
	f.open++
	f.most = max(f.most, f.open)
	rng.Body = b
	return rng, nil
}

func (f *flaky) store(r *blob.Retry) *blob.Store {
	return blob.New(f, &blob.Options{Name: "flaky:", Retry: r})
}

type flakyBody struct {
	f       *flaky
	ctx     context.Context
	r       *bytes.Reader
	kind    string
	strikes int64 // bytes until kind; -1: never
	empty   bool
	turn    int
	closed  bool
}

func (b *flakyBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.turn++; b.empty && b.turn%3 != 0 {
		return 0, nil
	}
	if b.f.piece > 0 {
		p = p[:min(len(p), b.f.piece)]
	}
	if b.strikes >= 0 {
		if b.strikes == 0 {
			switch b.kind {
			case "reset":
				return 0, errReset
			case "short":
				return 0, io.EOF
			}
			<-b.ctx.Done()
			return 0, b.ctx.Err()
		}
		p = p[:min(int64(len(p)), b.strikes)]
	}
	n, err := b.r.Read(p)
	if b.strikes >= 0 {
		b.strikes -= int64(n)
	}
	b.f.mu.Lock()
	b.f.served += int64(n)
	b.f.mu.Unlock()
	return n, err
}

func (b *flakyBody) Close() error {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	if !b.closed {
		b.closed = true
		b.f.open--
	}
	return nil
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slowBodies makes every read of a body wait.
type slowBodies struct {
	*flaky
	wait time.Duration
}

func (s *slowBodies) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	rng, err := s.flaky.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		rng.Body = &slowBody{rng.Body, ctx, s.wait}
	}
	return rng, err
}

type slowBody struct {
	io.ReadCloser
	ctx  context.Context
	wait time.Duration
}

func (b *slowBody) Read(p []byte) (int, error) {
	if err := pause(b.ctx, b.wait); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// localFlaky is a flaky driver that is read like a local store.
type localFlaky struct{ *flaky }

func (localFlaky) Traits() driver.Traits { return driver.Traits{Local: true} }

// trickle gives the body of the first request 100 bytes each 10 ms, so that it goes
// on while a hedge is under way; others take 10 ms for each read.
type trickle struct{ *flaky }

func (s *trickle) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	s.mu.Lock()
	first := s.sent == 0
	s.mu.Unlock()
	rng, err := s.flaky.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		if first {
			rng.Body = &slowBody{limitReads{rng.Body}, ctx, 10 * time.Millisecond}
		} else {
			rng.Body = &slowBody{rng.Body, ctx, 10 * time.Millisecond}
		}
	}
	return rng, err
}

type limitReads struct{ io.ReadCloser }

func (l limitReads) Read(p []byte) (int, error) { return l.ReadCloser.Read(p[:min(len(p), 100)]) }
