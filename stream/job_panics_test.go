package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// trap leaves by a panic or by runtime.Goexit, at one place of a program's code.
type trap struct {
	at   string
	exit bool
	met  atomic.Bool
}

var errTrap = errors.New("of the trap")

func (t *trap) pass(at string) {
	if t.at != at {
		return
	}
	t.met.Store(true)
	switch {
	case t.exit:
		runtime.Goexit()
	default:
		panic(errTrap)
	}
}

// trapSink is a Sink and its Writers.
type trapSink struct{ *trap }

func (s trapSink) Open(context.Context, int) (stream.Writer, error) {
	s.pass("sink open")
	return s, nil
}
func (s trapSink) Write(_ context.Context, b *stream.Batch) error {
	s.pass("sink write")
	for range b.All() {
	}
	return nil
}
func (s trapSink) Flush(context.Context) error { s.pass("sink flush"); return nil }
func (s trapSink) Close() error                { s.pass("sink close"); return nil }

// trapCheckpoint is a Checkpoint.
type trapCheckpoint struct {
	*trap
}

func (c *trapCheckpoint) Load(ctx context.Context) ([]byte, error) {
	c.pass("checkpoint load")
	return nil, nil
}
func (c *trapCheckpoint) Save(context.Context, []byte) error { c.pass("checkpoint save"); return nil }
func (c *trapCheckpoint) Close() error                       { c.pass("checkpoint close"); return nil }

// trapDecoder is a Decoder around another.
type trapDecoder struct {
	codec.Decoder
	*trap
}

func (d trapDecoder) Read(p []byte) (int, error) { d.pass("codec read"); return d.Decoder.Read(p) }
func (d trapDecoder) Reset(src io.Reader) error  { d.pass("codec reset"); return d.Decoder.Reset(src) }
func (d trapDecoder) Close() error               { d.pass("codec close"); return d.Decoder.Close() }

// codecs has a codec of the trap's in place of gzip.
func (t *trap) codecs() *codec.Registry {
	all := codec.Default().Clone()
	c, _ := all.Lookup("gzip")
	open := c.NewReader
	c.Name, c.Restart = "trap", nil
	c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
		t.pass("codec open")
		d, err := open(src, opts)
		return trapDecoder{d, t}, err
	}
	c.Requires = func([]byte) (codec.Needs, error) {
		t.pass("codec requires")
		return codec.Needs{Memory: 1 << 20}, nil
	}
	all.Register(c)
	return all
}

// trapScanner is the Scanner of lines.
type trapScanner struct {
	frame.Scanner
	*trap
}

func (s trapScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	s.pass("framer scan")
	return s.Scanner.Scan(slab, eof, ends)
}

func (t *trap) framers() *frame.Registry {
	all := frame.Default().Clone()
	f, _ := all.Lookup("lines")
	open := f.New
	f.Name = "trap"
	f.New = func(o *frame.Options) (frame.Scanner, error) {
		t.pass("framer new")
		s, err := open(o)
		return trapScanner{s, t}, err
	}
	f.Body = func(raw []byte, _ int64) []byte { t.pass("framer body"); return raw }
	all.Register(f)
	return all
}

func (t *trap) after() *stream.After {
	return &stream.After{
		Do:     func(context.Context, *blob.Store, blob.Object) error { t.pass("after"); return nil },
		Check:  func(*blob.Store) error { t.pass("after check"); return nil },
		Writes: func(string) bool { t.pass("after writes"); return false },
	}
}

func (t *trap) trace() *stream.Trace {
	return &stream.Trace{
		JobStart:    func(stream.JobStart) { t.pass("hook JobStart") },
		JobEnd:      func(stream.JobEnd) { t.pass("hook JobEnd") },
		ObjectStart: func(stream.ObjectStart) { t.pass("hook ObjectStart") },
		ObjectEnd:   func(stream.ObjectEnd) { t.pass("hook ObjectEnd") },
		Request:     func(stream.Request) { t.pass("hook Request") },
		Failure:     func(stream.Failure) { t.pass("hook Failure") },
		Checkpoint:  func(stream.CheckpointSave) { t.pass("hook Checkpoint") },
		After:       func(stream.AfterEnd) { t.pass("hook After") },
	}
}

// outcome is how a call ended.
type outcome struct {
	err      error
	panicked any
	returned bool
}

// run calls f on a goroutine of its own, which f may end.
func run(f func() error) (o outcome) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { o.panicked = recover() }()
		o.err = f()
		o.returned = true
	}()
	<-done
	return o
}

// Code of the program may panic or end its goroutine anywhere in a job: the job ends,
// with a panic of Backfill or an error, and keeps nothing of the pool.
func TestTrapsInJobs(t *testing.T) {
	t.Parallel()
	// These are called on the goroutine of the caller, which Goexit ends.
	callers := map[string]bool{
		"hook JobStart": true, "hook JobEnd": true, "checkpoint load": true, "checkpoint save": true,
		"checkpoint close": true, "hook Checkpoint": true, "after check": true,
	}
	for _, at := range []string{
		"sink open", "sink write", "sink flush", "sink close", "parse", "deliver", "record policy", "object policy",
		"framer new", "framer scan", "framer body", "codec requires", "codec open", "codec read", "codec reset", "codec close",
		"hook JobStart", "hook JobEnd", "hook ObjectStart", "hook ObjectEnd", "hook Request", "hook Failure", "hook Checkpoint",
		"source", "checkpoint load", "checkpoint save", "checkpoint close", "after", "after check", "after writes", "hook After",
	} {
		for _, exit := range []bool{false, true} {
			for lanes, remote := range map[int]bool{1: false, 3: true} {
				name := fmt.Sprintf("%s, goexit %t, %d lanes, remote %t", at, exit, lanes, remote)
				synctest.Test(t, func(t *testing.T) { trapJob(t, name, &trap{at: at, exit: exit}, lanes, remote, callers[at]) })
			}
		}
	}
}

func trapJob(t *testing.T, name string, tr *trap, lanes int, remote, onCaller bool) {
	objects := map[string][]byte{}
	for i := range 20 {
		objects[fmt.Sprintf("%02d.log", i)] = encode(t, "gzip", []byte("a\nbad\nc\n"))
	}
	objects["99.log"] = encode(t, "gzip", []byte("cut"))[:15]
	s := store(t, objects)
	if remote {
		faults := faultstore.New(nil)
		for key, data := range objects {
			faults.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(data)})
		}
		s = blob.New(faults, &blob.Options{Name: "fault://test"})
		defer s.Close()
	}
	src := s.List(nil)
	list := src.Objects
	src.Objects = func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
		return func(yield func(blob.Object, error) bool) {
			for obj, err := range list(ctx, after) {
				if obj.Key == "10.log" {
					tr.pass("source")
				}
				if !yield(obj, err) {
					return
				}
			}
		}
	}
	var sink stream.Sink = trapSink{tr}
	if tr.at == "parse" || tr.at == "deliver" || tr.at == "record policy" {
		sink = stream.ParseTo(func(r stream.Record) (int, error) {
			tr.pass("parse")
			if string(r.Data) == "bad\n" {
				return 0, errors.New("bad")
			}
			return 0, nil
		}, func(context.Context, []int) error { tr.pass("deliver"); return nil })
	}
	policy := func(at string) stream.Policy {
		return func(*stream.Error, stream.Totals) (stream.Action, error) { tr.pass(at); return stream.Skip, nil }
	}
	pool := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 2})
	o := run(func() error {
		_, err := stream.Backfill(t.Context(), src, sink, &stream.Options{
			Lanes: lanes, Trace: tr.trace(), Checkpoint: &trapCheckpoint{trap: tr}, After: tr.after(),
			OnRecordError: policy("record policy"), OnObjectError: policy("object policy"),
			Read: stream.ReadOptions{Pool: pool, Codec: "trap", Codecs: tr.codecs(), Frame: "trap", Framers: tr.framers()},
		})
		return err
	})
	switch {
	case tr.at == "codec close" && !tr.met.Load(): // decoders were kept for reuse
	case tr.exit && onCaller:
		if o.returned || o.panicked != nil {
			t.Errorf("%s: got %v, %v, want the goroutine ended", name, o.err, o.panicked)
		}
	case tr.exit:
		if o.err == nil || o.panicked != nil {
			t.Errorf("%s: got %v, %v, want an error", name, o.err, o.panicked)
		}
	default:
		if err, ok := o.panicked.(error); !ok || !errors.Is(err, errTrap) {
			t.Errorf("%s: got %v, %v, want a panic with the value of the program's", name, o.err, o.panicked)
		}
	}
	held(t, pool)
	if tr.at == "codec close" {
		return // its memory is not known to be free
	}
	tr.at = "nowhere"
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
		Lanes: lanes, OnObjectError: stream.SkipClasses(), Read: stream.ReadOptions{Pool: pool, Codec: "trap", Codecs: tr.codecs()},
	})
	if err != nil || rep.Counts.Done.Objects != 20 {
		t.Errorf("%s: the next job of the pool: got %v and %d objects, want 20", name, err, rep.Counts.Done.Objects)
	}
}

// Open, Read and Records let a panic through and keep nothing either.
func TestTrapsInReads(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"codec requires", "codec open", "codec read", "codec reset", "codec close", "framer new", "framer scan", "framer body", "write"} {
		for _, exit := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				tr := &trap{at: at, exit: exit}
				s := store(t, map[string][]byte{"a": encode(t, "gzip", []byte("a\nb\n"))})
				pool := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 2})
				opts := &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool, Codec: "trap", Codecs: tr.codecs(), Frame: "trap", Framers: tr.framers()}}
				for what, f := range map[string]func() error{
					"Open": func() error {
						r, err := stream.Open(t.Context(), s, "a", opts)
						if err != nil {
							return err
						}
						defer r.Close()
						_, err = io.Copy(trapWriter{tr}, r)
						return err
					},
					"Records": func() error {
						for _, err := range stream.Records(t.Context(), s, "a", recordsOptions(opts)) {
							if err != nil {
								return err
							}
							tr.pass("write")
						}
						return nil
					},
				} {
					if o := run(f); o.err != nil || !exit && !o.returned && tr.met.Load() && o.panicked != any(errTrap) {
						t.Errorf("%s, %s, goexit %t: got %v, %v", what, at, exit, o.err, o.panicked)
					}
					held(t, pool)
				}
			})
		}
	}
}

type trapWriter struct{ *trap }

func (w trapWriter) Write(p []byte) (int, error) { w.pass("write"); return len(p), nil }
