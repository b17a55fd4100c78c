//go:build unix

package kills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	_ "github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/internal/testing/leak"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// childJob names, for a process that is to be killed, the job that it runs: a run in
// JSON.
const childJob = "THAW_KILLS_JOB"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childJob); ok {
		var r run
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.backfill(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	leak.Main(m)
}

// run is one run of a job.
type run struct {
	Source   string // URL of the objects
	Manifest string // path of the file, or key of the object in State
	State    string // URL of the store that keeps the manifest; empty for a file
	Output   string // path
	Frame    string
	Every    time.Duration
	Buffered bool // the sink is durable after Flush alone
	Seed     uint64
	After    string // what is done with an object that is done: "delete", the folder that it moves to, or nothing
}

// backfill is what the process does until it is killed.
func (r *run) backfill(ctx context.Context) error {
	retry := &blob.Retry{MaxAttempts: 12, MinBackoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond}
	src, err := blob.OpenSource(ctx, r.Source, &blob.SourceOptions{Open: blob.OpenOptions{Retry: retry}})
	if err != nil {
		return err
	}
	defer src.Store.Close()
	checkpoint := stream.FileCheckpoint(r.Manifest)
	if r.State != "" {
		state, err := blob.Open(ctx, r.State, &blob.OpenOptions{Retry: retry})
		if err != nil {
			return err
		}
		defer state.Close()
		checkpoint = stream.BlobCheckpoint(state, r.Manifest)
	}
	action, err := r.after(ctx)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	rep, err := stream.Backfill(ctx, src, &sink{path: r.Output, buffered: r.Buffered}, &stream.Options{
		Read:            stream.ReadOptions{Frame: r.Frame},
		Lanes:           1 + rng.IntN(6),
		Workers:         1 + rng.IntN(3),
		Memory:          []int64{24 << 20, 64 << 20, 0}[rng.IntN(3)],
		Checkpoint:      checkpoint,
		CheckpointEvery: r.Every,
		After:           action,
		// Faults that the retries of requests do not absorb: the object goes on from
		// its last record.
		OnObjectError: stream.RetryAtMost(50, stream.ClassTransient),
	})
	if err != nil {
		return err
	}
	if !rep.Complete() {
		return fmt.Errorf("not complete: %v", rep)
	}
	return nil
}

// after is the action of the run; nil is none.
func (r *run) after(ctx context.Context) (*stream.After, error) {
	switch r.After {
	case "":
		return nil, nil
	case "delete":
		return after.Delete(), nil
	}
	to, err := blob.Open(ctx, r.After, nil) // it holds nothing that Close frees
	if err != nil {
		return nil, err
	}
	return after.Move(to, "moved-"), nil
}

// sink appends rows to one file.
type sink struct {
	path     string
	buffered bool
	once     sync.Once
	file     *os.File
	err      error
}

// Open opens the file and cuts off a row that a kill has torn.
func (s *sink) Open(context.Context, int) (stream.Writer, error) {
	s.once.Do(func() {
		if s.file, s.err = os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666); s.err != nil {
			return
		}
		var end int64
		if end, s.err = s.file.Seek(0, io.SeekEnd); s.err == nil {
			s.err = s.file.Truncate(end - end%rowSize)
		}
	})
	return &writer{sink: s}, s.err
}

// writer is the Writer of a lane. The file is open for appending: what lanes write
// does not mix.
type writer struct {
	sink *sink
	rows []byte
}

func (w *writer) Write(ctx context.Context, b *stream.Batch) error {
	for rec := range b.All() {
		var object uint32
		if _, err := fmt.Sscanf(rec.Object().Key, "%d-", &object); err != nil {
			return err
		}
		w.rows = row{object, uint32(rec.Index), sum([]byte(rec.ID())), sum(rec.Data)}.append(w.rows)
	}
	if w.sink.buffered {
		return nil
	}
	return w.Flush(ctx)
}

func (w *writer) Flush(context.Context) error {
	n, err := w.sink.file.Write(w.rows)
	if err == nil && n < len(w.rows) {
		err = errors.New("short write")
	}
	w.rows = w.rows[:0]
	return err
}

func (w *writer) Close() error { return nil }
