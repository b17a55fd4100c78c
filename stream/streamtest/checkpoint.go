package streamtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/stream"
)

// RunCheckpoint holds Checkpoints to the contract of [stream.Checkpoint]:
//
//   - what was saved last is loaded, byte for byte, and nothing before the first Save;
//   - a Save is there whole or not at all, also where its context ends;
//   - one run at a time can save: the other one has [stream.ErrOwner], whether Load
//     refuses it or takes over;
//   - a job can be continued by it, with keys of any bytes.
//
// open makes the place of one case, which is empty, and returns what makes a
// Checkpoint in it. Every manifest that the suite saves is one that
// [stream.ParseManifest] reads. Cleanups are for t.Cleanup.
func RunCheckpoint(t *testing.T, open func(t *testing.T) func() stream.Checkpoint) {
	for _, c := range checkpointCases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(t.Context(), open(t)); err != nil {
				t.Errorf("%s: %v", c.rule, err)
			}
		})
	}
}

var checkpointCases = []struct {
	name, rule string
	check      func(ctx context.Context, open func() stream.Checkpoint) error
}{
	{"kept", "what was saved last is loaded, byte for byte", kept},
	{"use", "Save wants ownership, and Close ends it", use},
	{"two runs", "one run at a time can save", twoRuns},
	{"one value", "a Checkpoint serves one job at a time", oneValue},
	{"at once", "of runs that start at once the last one to own it saves", atOnce},
	{"canceled", "a Save whose context ends is there whole or not at all", canceled},
	{"job", "a job that was broken off is continued", continued},
}

// manifest makes a manifest with the number n and a key.
func manifest(n int, key string) []byte {
	data, err := (&stream.Manifest{Ordinal: int64(n), Key: key}).Encode()
	if err != nil {
		panic(err)
	}
	return data
}

// loads checks that c loads want; nil is nothing.
func loads(ctx context.Context, c stream.Checkpoint, want []byte) error {
	got, err := c.Load(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("Load: %w", err)
	case want == nil && len(bytes.TrimSpace(got)) > 0:
		return fmt.Errorf("Load returned %.100q before the first Save", got)
	case want != nil && !bytes.Equal(got, want):
		return fmt.Errorf("Load returned %d bytes %.100q, want %d bytes %.100q", len(got), got, len(want), want)
	}
	return nil
}

func kept(ctx context.Context, open func() stream.Checkpoint) error {
	var want []byte
	c := open()
	for i, m := range [][]byte{
		manifest(1, "short"), manifest(2, strings.Repeat("long ", 1<<16)), manifest(3, "short again"),
		manifest(4, "not UTF-8 \xff\xfe\x00 \n\r\t\" \u2028"), manifest(5, ""), append(manifest(6, "white space at the end"), " \t\n\n"...),
	} {
		if i%2 == 0 {
			c = open()
		}
		if err := loads(ctx, c, want); err != nil {
			return err
		}
		for range 3 {
			if err := c.Save(ctx, []byte(manifest(0, "before"))); err != nil {
				return fmt.Errorf("Save: %w", err)
			}
		}
		if err := c.Save(ctx, m); err != nil {
			return fmt.Errorf("Save: %w", err)
		}
		want = bytes.Clone(m)
		clear(m) // it is the job's again
		if err := c.Close(); err != nil {
			return fmt.Errorf("Close: %w", err)
		}
	}
	c = open()
	return errors.Join(loads(ctx, c, want), c.Close())
}

func use(ctx context.Context, open func() stream.Checkpoint) error {
	c := open()
	if err := c.Save(ctx, manifest(1, "")); err == nil {
		return errors.New("a Save before Load succeeds")
	}
	if err := loads(ctx, c, nil); err != nil {
		return err
	}
	if err := errors.Join(c.Save(ctx, manifest(2, "")), c.Close()); err != nil {
		return err
	}
	if err := c.Save(ctx, manifest(3, "")); err == nil {
		return errors.New("a Save after Close succeeds")
	}
	return errors.Join(loads(ctx, c, manifest(2, "")), c.Close())
}

func twoRuns(ctx context.Context, open func() stream.Checkpoint) error {
	older, newer := open(), open()
	if err := loads(ctx, older, nil); err != nil {
		return err
	}
	if err := older.Save(ctx, manifest(1, "")); err != nil {
		return fmt.Errorf("Save: %w", err)
	}
	data, err := newer.Load(ctx)
	last := manifest(2, "")
	switch {
	case err == nil: // it takes over
		if !bytes.Equal(data, manifest(1, "")) {
			return fmt.Errorf("the run that takes over loads %.100q", data)
		}
		for range 2 {
			if err := older.Save(ctx, manifest(3, "")); !errors.Is(err, stream.ErrOwner) {
				return fmt.Errorf("Save of the run taken over returns %v, want ErrOwner", err)
			}
		}
		if err := newer.Save(ctx, last); err != nil {
			return fmt.Errorf("Save of the run that has taken over: %w", err)
		}
	case errors.Is(err, stream.ErrOwner): // it is refused
		if err := newer.Close(); err != nil {
			return fmt.Errorf("Close after a Load that was refused: %w", err)
		}
		if err := older.Save(ctx, last); err != nil {
			return fmt.Errorf("Save after another run was refused: %w", err)
		}
		newer = open()
	default:
		return fmt.Errorf("Load of a second run returns %v, want nil or ErrOwner", err)
	}
	if err := older.Close(); err != nil {
		return fmt.Errorf("Close of the older run: %w", err)
	}
	newer.Close()
	c := open()
	return errors.Join(loads(ctx, c, last), c.Close())
}

func oneValue(ctx context.Context, open func() stream.Checkpoint) error {
	c := open()
	if err := loads(ctx, c, nil); err != nil {
		return err
	}
	if _, err := c.Load(ctx); !errors.Is(err, stream.ErrOwner) {
		return fmt.Errorf("a second Load before Close returns %v, want ErrOwner", err)
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("Close of the second job: %w", err)
	}
	if err := c.Save(ctx, manifest(1, "")); err != nil {
		return fmt.Errorf("Save of the first job after Close of the second: %w", err)
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("Close of the first job: %w", err)
	}
	return errors.Join(loads(ctx, c, manifest(1, "")), c.Close())
}

func atOnce(ctx context.Context, open func() stream.Checkpoint) error {
	last := 0
	for round := range 5 {
		runs := make([]stream.Checkpoint, 4)
		errs := make([]error, len(runs))
		var wg sync.WaitGroup
		for i := range runs {
			runs[i] = open()
			wg.Go(func() { _, errs[i] = runs[i].Load(ctx) })
		}
		wg.Wait()
		for i := range runs {
			if errs[i] == nil {
				wg.Go(func() { errs[i] = runs[i].Save(ctx, manifest(10*round+i+1, "")) })
			}
		}
		wg.Wait()
		won := 0
		for i, err := range errs {
			switch {
			case err == nil:
				won++
				last = 10*round + i + 1
			case !errors.Is(err, stream.ErrOwner):
				return fmt.Errorf("a run at once with others: %w", err)
			}
		}
		if won != 1 {
			return fmt.Errorf("%d of %d runs at once could save, want one", won, len(runs))
		}
		for _, c := range runs {
			if err := c.Close(); err != nil {
				return fmt.Errorf("Close: %w", err)
			}
		}
		c := open()
		if err := errors.Join(loads(ctx, c, manifest(last, "")), c.Close()); err != nil {
			return err
		}
	}
	return nil
}

func canceled(ctx context.Context, open func() stream.Checkpoint) error {
	over, cancel := context.WithCancel(ctx)
	cancel()
	c := open()
	if data, err := c.Load(over); err == nil && len(bytes.TrimSpace(data)) > 0 {
		return fmt.Errorf("Load returned %.100q before the first Save", data)
	} else if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("Load with a context that has ended: %w", err)
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	want := [][]byte{nil}
	for n := range 8 {
		if n%4 == 0 {
			data, err := c.Load(ctx)
			if err != nil {
				return fmt.Errorf("Load: %w", err)
			}
			if !holds(want, data) {
				return fmt.Errorf("loaded %.100q, which no Save has left whole", data)
			}
		}
		m := manifest(n+1, strings.Repeat("x", 1<<16))
		sctx, cancel := over, context.CancelFunc(func() {})
		if n%2 == 0 {
			sctx, cancel = context.WithTimeout(ctx, time.Duration(1+n)*50*time.Microsecond)
		}
		err := c.Save(sctx, m)
		cancel()
		switch {
		case err == nil:
			want = [][]byte{m}
		case errors.Is(err, stream.ErrOwner):
			return fmt.Errorf("Save whose context has ended: %w", err)
		default:
			want = append(want, m) // it may be there
		}
		if n%4 == 3 {
			if err := c.Close(); err != nil {
				return fmt.Errorf("Close: %w", err)
			}
		}
	}
	c = open()
	data, err := c.Load(ctx)
	if err == nil && !holds(want, data) {
		err = fmt.Errorf("loaded %.100q, which no Save has left whole", data)
	}
	return errors.Join(err, c.Save(ctx, manifest(100, "")), c.Close())
}

// holds reports whether data is one of want, of which nil is nothing.
func holds(want [][]byte, data []byte) bool {
	for _, w := range want {
		if bytes.Equal(w, data) || w == nil && len(bytes.TrimSpace(data)) == 0 {
			return true
		}
	}
	return false
}

func continued(ctx context.Context, open func() stream.Checkpoint) error {
	var objects []*object
	for i, key := range []string{"a", "b \xff\xfe", "c \u00e9", "d \"\n\\", "e"} {
		objects = append(objects, newObject(key, 100*i, 0, 100))
	}
	var got []Row
	place := Place{Rows: func() ([]Row, error) { return got, nil }, Open: func() stream.Sink {
		return stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			for rec := range b.All() {
				r, err := ParseRow(rec.Data)
				if err != nil {
					return err
				}
				r.Object = b.Object().Key // which JSON cannot hold
				got = append(got, r)
			}
			return nil
		})
	}}
	for run := range 6 {
		j := job{Place: place, objects: objects, opts: stream.Options{Lanes: 1, Checkpoint: open(), CheckpointEvery: time.Nanosecond}}
		j.before = func(n int) error {
			if n == 1 && run < 5 {
				return stream.Stop
			}
			return nil
		}
		rep, err, broken := j.run(ctx)
		if err := errors.Join(err, broken); err != nil {
			return err
		}
		if rep.Resumed != (run > 0) {
			return fmt.Errorf("run %d continues the one before: %v", run, rep.Resumed)
		}
		if rep.Stopped {
			continue
		}
		if all := rep.Counts.Done.Objects + rep.Earlier.Done.Objects; all != int64(len(objects)) {
			return fmt.Errorf("%d objects are done after all runs, not %d", all, len(objects))
		}
		return j.durable(nil, true)
	}
	return errors.New("the job does not end")
}
