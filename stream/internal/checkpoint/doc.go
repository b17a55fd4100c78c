// Package checkpoint keeps a manifest, which it takes for bytes, in a file ([File]) or
// in objects of a store ([Blob]), so that one run at a time can save it.
//
// The contract of Load, Save and Close is that of stream.Checkpoint; the comments of
// stream.FileCheckpoint and stream.BlobCheckpoint say how each keeps it.
//
// # Errors
//
// Errors name the manifest. [ErrOwner] is another run's ownership.
//
// # Concurrency
//
// Methods may be called by several goroutines. A second Load before Close is
// ErrOwner.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrOwner says that another run has taken the manifest over, or holds it.
var ErrOwner = errors.New("manifest is owned by another run")

// maxManifest bounds a manifest in bytes. It is far beyond what lanes and kept
// failures need, and keeps a data file named by mistake out of memory.
const maxManifest = 1 << 30

func errManifestSize(size int64) error {
	return fmt.Errorf("%d bytes, a manifest has at most %d", size, maxManifest)
}

// readManifest reads all of r, within the bound.
func readManifest(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = errManifestSize(int64(len(data)))
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// tenancy is what a job holds between Load and Close. Several jobs may use a
// Checkpoint one after another; a second at a time holds nothing.
type tenancy[T any] struct {
	mu   sync.Mutex
	jobs int // between Load and Close
	held T   // the zero value when nothing is owned
}

// enter begins a job.
func (t *tenancy[T]) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.jobs++; t.jobs > 1 {
		return fmt.Errorf("%w: another job of this process uses the same Checkpoint", ErrOwner)
	}
	return nil
}

func (t *tenancy[T]) hold(held T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = held
}

func (t *tenancy[T]) holds() T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// leave ends a job and returns what is to be given up: nothing while another job
// is there.
func (t *tenancy[T]) leave() (held T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.jobs--; t.jobs > 0 {
		return held
	}
	var none T
	held, t.jobs, t.held = t.held, 0, none
	return held
}

// Pauses are the waits between tries of one request, as a blob.Store heals by
// default. The zero value is ready to use.
type Pauses struct {
	taken   int
	ceiling time.Duration
}

const (
	mostTries  = 6
	firstPause = 100 * time.Millisecond
	mostPause  = 20 * time.Second
)

// Wait waits before the next try. It returns false if there is none: after the
// sixth try, or when ctx ends.
func (p *Pauses) Wait(ctx context.Context) bool {
	if p.taken++; p.taken == mostTries {
		return false
	}
	p.ceiling = min(max(4*p.ceiling, firstPause), mostPause)
	wait := time.NewTimer(rand.N(p.ceiling) + 1)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-ctx.Done():
		return false
	}
}
