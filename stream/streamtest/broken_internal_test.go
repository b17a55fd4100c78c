package streamtest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// flawed is a Sink, buffered or of whole objects, with one flaw.
type flawed struct {
	flaw string
	to   *flawedTable
}

type flawedTable struct {
	mu   sync.Mutex
	rows []Row
}

func (t *flawedTable) all() ([]Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.rows), nil
}

func (f flawed) Open(context.Context, int) (stream.Writer, error) {
	return &flawedWriter{flawed: f}, nil
}

type flawedWriter struct {
	flawed
	rows []Row
	data [][]byte
}

func (w *flawedWriter) Write(_ context.Context, b *stream.Batch) error {
	var refused error
	for i := range b.Len() {
		data := b.Record(i).Data
		if w.flaw == "keeps memory" {
			w.data = append(w.data, data)
			continue
		}
		r, err := ParseRow(data)
		switch {
		case err == nil:
			w.rows = append(w.rows, r)
		case w.flaw == "fails instead of refusing":
			return err
		case w.flaw == "drops what it should refuse":
		case w.flaw == "refuses and goes on":
			b.Refuse(i, err)
		default:
			refused = b.Refuse(i, err)
		}
		if refused != nil {
			break
		}
		if w.flaw == "changes data" {
			data[0] = 'x'
		}
	}
	switch {
	case w.flaw == "loses what is before a refusal" && refused != nil:
		w.rows = w.rows[:0]
	case w.flaw == "retains and forgets":
		b.Retain()
	case w.flaw == "loses the first record" && b.StartsObject() && len(w.rows) > 0:
		w.rows = w.rows[1:]
	case w.flaw == "hides the answer" && refused != nil:
		return errors.New("a record was refused")
	}
	return refused
}

func (w *flawedWriter) Flush(context.Context) error {
	for _, data := range w.data {
		r, err := ParseRow(data)
		if err != nil {
			return err
		}
		w.rows = append(w.rows, r)
	}
	w.data = nil
	if w.flaw == "flushes late" {
		return nil
	}
	w.commit()
	return nil
}

func (w *flawedWriter) commit() {
	if w.flaw == "mixes the order" {
		slices.Reverse(w.rows)
	}
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	w.to.rows = append(w.to.rows, w.rows...)
	w.rows = nil
}

func (w *flawedWriter) Close() error {
	if w.flaw == "flushes late" {
		w.commit()
	}
	return nil
}

// The suite finds each flaw, by the cases that are there for it.
func TestFlawsAreFound(t *testing.T) {
	if racing {
		t.Skip("some flaws are data races, which fail the test in another way")
	}
	for flaw, want := range map[string][]string{
		"":                               nil,
		"keeps memory":                   {"complete"},
		"changes data":                   {"complete", "flush", "stop", "error", "cancel", "retry", "failed object", "refused records", "refused objects", "refused job"},
		"retains and forgets":            {"complete"},
		"loses the first record":         {"complete", "flush", "stop", "error", "cancel", "retry"},
		"flushes late":                   {"flush", "stop", "error"},
		"mixes the order":                {"complete", "flush"},
		"fails instead of refusing":      {"refused records", "refused objects", "refused job"},
		"drops what it should refuse":    {"refused records", "refused objects", "refused job"},
		"refuses and goes on":            {"refused objects", "refused job"},
		"loses what is before a refusal": {"refused objects", "refused job"},
		"hides the answer":               {"refused objects", "refused job"},
	} {
		found := map[string]bool{}
		for _, c := range sinkCases {
			to := &flawedTable{}
			p := Place{Open: func() stream.Sink { return flawed{flaw, to} }, Rows: to.all, Refuses: true}
			if err := c.check(t.Context(), p); err != nil {
				found[c.name] = true
				if flaw == "" {
					t.Errorf("%s finds a fault where none is: %v", c.name, err)
				}
			}
		}
		for _, name := range want {
			if !found[name] {
				t.Errorf("a Sink that %s: %q does not find it, only %q do", flaw, name, slices.Sorted(maps.Keys(found)))
			}
		}
	}
}

// Parts of objects are found where a Sink promises whole ones.
func TestPartsAreFound(t *testing.T) {
	found := false
	for _, c := range sinkCases {
		to := &flawedTable{}
		if err := c.check(t.Context(), Place{Open: func() stream.Sink { return flawed{to: to} }, Rows: to.all, Refuses: true, Whole: true}); err != nil {
			found = true
		}
	}
	if !found {
		t.Error("no case finds that rows of failed objects are durable")
	}
}

// flawedCheckpoint is one in memory with a flaw.
type flawedCheckpoint struct {
	flaw  string
	at    *flawedPlace
	owner int
}

type flawedPlace struct {
	mu    sync.Mutex
	saved []byte
	owner int // the run that may save; 0 for none
	runs  int
}

func (c *flawedCheckpoint) Load(ctx context.Context) ([]byte, error) {
	c.at.mu.Lock()
	defer c.at.mu.Unlock()
	if c.owner != 0 && c.flaw != "serves two jobs" {
		c.owner = -c.owner // busy: Close ends the second job
		return nil, stream.ErrOwner
	}
	c.at.runs++
	c.owner, c.at.owner = c.at.runs, c.at.runs
	if c.flaw == "trims" {
		return bytes.TrimSpace(c.at.saved), nil
	}
	return bytes.Clone(c.at.saved), nil
}

func (c *flawedCheckpoint) Save(ctx context.Context, manifest []byte) error {
	c.at.mu.Lock()
	defer c.at.mu.Unlock()
	switch {
	case c.owner == 0 && c.flaw != "never closes":
		return errors.New("closed")
	case c.at.owner != c.owner && c.at.owner != -c.owner && c.flaw != "shares" && c.flaw != "never closes":
		return stream.ErrOwner
	case ctx.Err() != nil && c.flaw == "tears":
		c.at.saved = bytes.Clone(manifest[:len(manifest)/2])
		return ctx.Err()
	case ctx.Err() != nil:
		return ctx.Err()
	case c.flaw == "keeps the slice":
		c.at.saved = manifest
	case c.flaw == "writes over":
		c.at.saved = append(bytes.Clone(manifest), c.at.saved[min(len(c.at.saved), len(manifest)):]...)
	case c.flaw == "loses keys":
		c.at.saved = bytes.ToValidUTF8(bytes.ReplaceAll(manifest, []byte("_base64"), nil), nil)
	default:
		c.at.saved = bytes.Clone(manifest)
	}
	return nil
}

func (c *flawedCheckpoint) Close() error {
	c.at.mu.Lock()
	defer c.at.mu.Unlock()
	if c.owner < 0 {
		c.owner = -c.owner
		return nil
	}
	c.owner = 0
	return nil
}

func TestFlawsOfCheckpointsAreFound(t *testing.T) {
	for flaw, want := range map[string][]string{
		"":                nil,
		"trims":           {"kept"},
		"keeps the slice": {"kept"},
		"writes over":     {"kept"},
		"loses keys":      {"kept"},
		"never closes":    {"use"},
		"shares":          {"two runs", "at once"},
		"serves two jobs": {"one value"},
		"tears":           {"canceled"},
	} {
		found := map[string]bool{}
		for _, c := range checkpointCases {
			at := &flawedPlace{}
			if err := c.check(t.Context(), func() stream.Checkpoint { return &flawedCheckpoint{flaw: flaw, at: at} }); err != nil {
				found[c.name] = true
				if flaw == "" {
					t.Errorf("%s finds a fault where none is: %v", c.name, err)
				}
			}
		}
		for _, name := range want {
			if !found[name] {
				t.Errorf("a Checkpoint that %s: %q does not find it, only %q do", flaw, name, slices.Sorted(maps.Keys(found)))
			}
		}
	}
}
