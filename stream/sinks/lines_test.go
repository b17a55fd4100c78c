package sinks_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// byNUL cuts records at NUL, so that they may hold line ends.
func byNUL() *frame.Registry {
	framers := frame.Default().Clone()
	framers.Register(frame.FromSplitFunc("nul", func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	}))
	return framers
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		why     string
		opts    *sinks.LineOptions
		records []string
		want    string
		skipped int64
	}{
		{"as they are", nil, []string{`{ "a": 1 }`, "text", "", "a\rb", "\xff"}, "{ \"a\": 1 }\ntext\n\na\rb\n\xff\n", 0},
		{"JSON of several lines is compact", nil, []string{"{\n \"a\":\n1.0}", "[1,\r\n2]\r", "\"x\"\n"}, "{\"a\":1.0}\n[1,2]\n\"x\"\n", 0},
		{"other lines are refused", nil, []string{"a\nb", "ok", "a\r", "{\n", "1\n2"}, "ok\n", 4},
		{"what is not JSON is refused", &sinks.LineOptions{Check: true}, []string{"text", "1", "", "{}x", `{"a": 1}`}, "1\n{\"a\": 1}\n", 3},
		{"wrapped", &sinks.LineOptions{Wrap: true, Check: true}, []string{"a\nb", "", "\xff"},
			`{"key":"k\"é","index":0,"data":"YQpi"}` + "\n" + `{"key":"k\"é","index":1,"data":""}` + "\n" + `{"key":"k\"é","index":2,"data":"/w=="}` + "\n", 0},
	} {
		var to bytes.Buffer
		data := strings.Join(tt.records, "\x00") + "\x00"
		rep, err := backfill(t, map[string][]byte{`k"é`: []byte(data)}, sinks.NDJSON(&to, tt.opts), &stream.Options{
			Read: stream.ReadOptions{Frame: "nul", Framers: byNUL()}, OnRecordError: stream.SkipClasses()})
		if err != nil || to.String() != tt.want || rep.Counts.RecordsSkipped != tt.skipped {
			t.Errorf("%s: got %q, %d refused, %v, want %q, %d", tt.why, to.String(), rep.Counts.RecordsSkipped, err, tt.want, tt.skipped)
		}
	}
}

func TestWrapKeyOfAnyBytes(t *testing.T) {
	var to bytes.Buffer
	run(t, map[string][]byte{"\xff": []byte("x\n")}, sinks.NDJSON(&to, &sinks.LineOptions{Wrap: true}), nil)
	if want := `{"key_base64":"/w==","index":0,"data":"eA=="}` + "\n"; to.String() != want {
		t.Errorf("got %s, want %s", to.String(), want)
	}
}

// device is a writer that fails at one of its calls.
type device struct {
	mu      sync.Mutex
	calls   []string
	at      int // the call that fails
	short   bool
	written bytes.Buffer
}

var errDevice = errors.New("device fails")

func (d *device) call(name string) error {
	if !d.mu.TryLock() {
		return errors.New("two lanes at once")
	}
	defer d.mu.Unlock()
	d.calls = append(d.calls, name)
	if len(d.calls) == d.at {
		return errDevice
	}
	return nil
}

func (d *device) Write(p []byte) (int, error) {
	if err := d.call("write"); err != nil {
		n, _ := d.written.Write(p[:len(p)/2])
		if d.short {
			err = nil
		}
		return n, err
	}
	return d.written.Write(p)
}

func (d *device) Flush() error { return d.call("flush") }
func (d *device) Sync() error  { return d.call("sync") }

// Whatever call fails, the job fails, and it is the last call.
func TestNDJSONFails(t *testing.T) {
	source := map[string][]byte{}
	for _, key := range []string{"a", "b", "c", "d"} {
		source[key] = []byte(strings.Repeat(key+"\n", 50_000))
	}
	for _, short := range []bool{false, true} {
		for at := 1; ; at++ {
			d := &device{at: at, short: short}
			_, err := backfill(t, source, sinks.NDJSON(d, nil), nil)
			if len(d.calls) < at {
				if err != nil || d.written.Len() != 400_000 {
					t.Errorf("without a failure: got %d bytes, %v", d.written.Len(), err)
				}
				for line := range bytes.Lines(d.written.Bytes()) {
					if len(line) != 2 {
						t.Fatalf("lines are mixed: %q", line)
					}
				}
				break
			}
			want := errDevice
			if short && d.calls[at-1] == "write" {
				want = io.ErrShortWrite
			}
			if !errors.Is(err, want) || stream.ClassOf(err) != stream.ClassSinkFailed || len(d.calls) != at {
				t.Errorf("call %d of %d fails: got %v of class %v, want %v", at, len(d.calls), err, stream.ClassOf(err), want)
			}
		}
	}
}

// blocked is a writer that never returns before the test says so.
type blocked struct{ entered, leave chan struct{} }

func (b blocked) Write(p []byte) (int, error) {
	close(b.entered)
	<-b.leave
	return len(p), nil
}

// A lane that waits for another's write ends with its context.
func TestNDJSONWaitEndsWithContext(t *testing.T) {
	to := blocked{make(chan struct{}), make(chan struct{})}
	sink := sinks.NDJSON(to, nil)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := sink.Open(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		backfill(t, map[string][]byte{"a": []byte("x\n")}, sink, nil)
	}()
	<-to.entered
	cancel()
	if err := w.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	close(to.leave)
	<-done
	w.Close()
}

// A batch costs no allocation.
func TestAllocations(t *testing.T) {
	if racing {
		t.Skip("under the race detector, what is kept for reuse is dropped at random")
	}
	for name, opts := range map[string]*sinks.LineOptions{"plain": nil, "checked": {Check: true}, "wrapped": {Wrap: true}} {
		w, err := sinks.NDJSON(io.Discard, opts).Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var allocs float64
		run(t, map[string][]byte{"a": []byte(strings.Repeat("{\"number\": 1}\n", 1000))}, stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			if b.Len() > 1 {
				allocs = testing.AllocsPerRun(100, func() {
					if err := w.Write(ctx, b); err != nil {
						t.Error(err)
					}
				})
			}
			return nil
		}), &stream.Options{Lanes: 1})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a batch, want none", name, allocs)
		}
	}
}

// A pipe takes lines, though it cannot sync.
func TestNDJSONPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		data, _ := io.ReadAll(r)
		got <- data
	}()
	_, err = backfill(t, map[string][]byte{"a": []byte("one\ntwo\n")}, sinks.NDJSON(w, nil), nil)
	w.Close()
	if data := <-got; err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("got %q, %v, want both lines", data, err)
	}
	r.Close()
}
