package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

var errShutdown = errors.New("shutdown")

// faulty are objects that begin well and then fail, by the class of the fault.
func faulty(t *testing.T) map[stream.Class]faultstore.Item {
	data := bytes.Repeat([]byte("a line of an object that goes on for a while\n"), 1000)
	bad := append(bytes.Clone(data), "x,y\n"...)
	long := append(bytes.Clone(data), bytes.Repeat([]byte("x"), 70<<10)...)
	gz := encode(t, "gzip", data)
	sum := bytes.Clone(gz)
	sum[len(sum)-7] ^= 1
	of := func(key string, b []byte) faultstore.Item {
		return faultstore.Item{Key: key, Content: faultstore.Bytes(b)}
	}
	return map[stream.Class]faultstore.Item{
		stream.ClassTruncated: of("b.csv.gz", gz[:len(gz)-5]),
		stream.ClassChecksum:  of("b.csv.gz", sum),
		stream.ClassTrailing:  of("b.csv.gz", append(bytes.Clone(gz), "junk"...)),
		stream.ClassBadRecord: of("b.csv", bad),
		stream.ClassOversized: of("b.csv", long),
		stream.ClassTransient: of("b.csv", data), // by the plan
		stream.ClassDenied:    of("b.csv", data), // likewise
	}
}

// A fault that one lane meets once the job is over by another lane's Stop, or by the
// end of the context, is not what ends the job, whatever its class and whatever a
// policy would make of it.
func TestFaultAfterTheEnd(t *testing.T) {
	policies := map[string]stream.Policy{
		"none": nil, "skip": stream.SkipClasses(), "retry": stream.RetryAtMost(3),
		"its own error": func(*stream.Error, stream.Totals) (stream.Action, error) {
			return stream.Fail, errors.New("asked after the end")
		},
	}
	for class, item := range faulty(t) {
		for _, how := range []string{"stop", "cancel", "deadline"} {
			for name, policy := range policies {
				synctest.Test(t, func(t *testing.T) {
					fs := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
						if c.Op == faultstore.Read && c.Key == item.Key && c.Offset > 0 {
							switch class {
							case stream.ClassTransient:
								return faultstore.Fault{Kind: faultstore.SlowDown}
							case stream.ClassDenied:
								return faultstore.Fault{Kind: faultstore.Denied}
							}
						}
						return faultstore.Fault{}
					}})
					fs.Add(faultstore.Item{Key: "a.csv", Content: faultstore.Bytes([]byte("one\ntwo\n"))})
					fs.Add(item)
					// Of a local store all is there, and the fault known, before the first batch.
					s := blob.New(driverOf{fs, class != stream.ClassTransient && class != stream.ClassDenied}, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1, NoHedge: true}})
					defer s.Close()
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					want := error(errShutdown)
					switch how {
					case "stop":
						want = nil
					case "deadline":
						var end func()
						ctx, end = context.WithTimeout(ctx, time.Hour)
						defer end()
						want = context.DeadlineExceeded
					}
					there := make(chan struct{})
					var once sync.Once
					rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
						if b.Object().Key == item.Key {
							once.Do(func() {
								close(there)
								<-ctx.Done()
							})
							return nil // taken
						}
						<-there
						switch how {
						case "cancel":
							cancel(errShutdown)
						case "deadline":
							<-ctx.Done()
						default:
							return stream.Stop
						}
						return nil
					}), &stream.Options{Lanes: 2, Workers: 2, OnObjectError: policy, OnRecordError: policy,
						Read: stream.ReadOptions{Frame: "csv:ragged=error", MaxRecord: 2000, RangeSize: 16 << 10}})
					switch {
					case !errors.Is(err, want) || err != nil && stream.ClassOf(err) != stream.ClassCanceled:
						t.Errorf("%s, %v, policy %s: got %v of class %v, want %v", how, class, name, err, stream.ClassOf(err), want)
					case rep.Stopped != (how == "stop") || rep.Complete() || len(rep.Failures) > 0 || rep.Counts.Failed.Objects+rep.Counts.Skipped.Objects > 0:
						t.Errorf("%s, %v, policy %s: stopped %v, complete %v, failures %v, counts %+v", how, class, name, rep.Stopped, rep.Complete(), rep.Failures, rep.Counts)
					}
				})
			}
		}
	}
}

// driverOf is a driver that says of itself whether it is local.
type driverOf struct {
	driver.Driver
	local bool
}

func (d driverOf) Traits() driver.Traits { return driver.Traits{Local: d.local} }

// What a sink says once it is interrupted is the interruption, in whatever words,
// but for what it could not make durable.
func TestSinkInterrupted(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\n"), "b": []byte("y\n")})
	words := errors.New("canceling statement due to user request")
	for _, how := range []string{"stop", "cancel"} {
		for _, where := range []string{"write", "flush"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			there := make(chan struct{})
			sink := interrupted{where: where, words: words, there: there, end: func() error {
				if how == "cancel" {
					cancel(errShutdown)
					return nil
				}
				return stream.Stop
			}}
			rep, err := stream.Backfill(ctx, s.List(nil), sink, &stream.Options{Lanes: 2})
			cancel(nil)
			switch {
			case where == "flush" && !(errors.Is(err, words) || how == "cancel" && errors.Is(err, errShutdown)):
				t.Errorf("%s, %s: got %v, want what the flush said", how, where, err)
			case where == "write" && how == "stop" && (err != nil || !rep.Stopped):
				t.Errorf("%s, %s: got %v, stopped %v, want nil", how, where, err, rep.Stopped)
			case where == "write" && how == "cancel" && (!errors.Is(err, errShutdown) || stream.ClassOf(err) != stream.ClassCanceled):
				t.Errorf("%s, %s: got %v of class %v, want the end of the context", how, where, err, stream.ClassOf(err))
			}
		}
	}
}

type interrupted struct {
	where string
	words error
	there chan struct{}
	end   func() error
}

type interruptedWriter struct {
	interrupted
	b bool // has object b
}

func (s interrupted) Open(context.Context, int) (stream.Writer, error) {
	return &interruptedWriter{interrupted: s}, nil
}

func (w *interruptedWriter) Write(ctx context.Context, b *stream.Batch) error {
	if b.Object().Key == "a" {
		<-w.there
		return w.end()
	}
	w.b = true
	close(w.there)
	<-ctx.Done()
	if w.where == "write" {
		return w.words
	}
	return nil
}

func (w *interruptedWriter) Flush(context.Context) error {
	if w.b && w.where == "flush" {
		return w.words
	}
	return nil
}

func (w *interruptedWriter) Close() error { return nil }

// Errors of Open, Read and Records are *Error, also when the context is over, before
// or after anything was read, and when an option cannot be.
func TestOpenErrors(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte(strings.Repeat("some text\n", 100000))})
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errShutdown)
	full := stream.NewPool(&stream.PoolOptions{Memory: 8 << 20, Workers: 1})
	for _, tt := range []struct {
		why   string
		ctx   context.Context
		opts  *stream.OpenOptions
		class stream.Class
		is    error
	}{
		{"the context is over", ended, nil, stream.ClassCanceled, errShutdown},
		{"the context is over, and a pool is shared", ended, &stream.OpenOptions{Read: stream.ReadOptions{Pool: full}}, stream.ClassCanceled, errShutdown},
		{"an unknown codec", t.Context(), &stream.OpenOptions{Read: stream.ReadOptions{Codec: "nope"}}, stream.ClassUnsupported, nil},
		{"an unknown codec in layers", t.Context(), &stream.OpenOptions{Read: stream.ReadOptions{Codec: "gzip,nope"}}, stream.ClassUnsupported, nil},
		{"an unknown framer", t.Context(), &stream.OpenOptions{Read: stream.ReadOptions{Frame: "nope"}}, stream.ClassUnsupported, nil},
	} {
		var errs []error
		r, err := stream.Open(tt.ctx, s, "a", tt.opts)
		if err == nil {
			r.Close()
		}
		errs = append(errs, err)
		for _, err = range stream.Records(tt.ctx, s, "a", recordsOptions(tt.opts)) {
			break
		}
		_, berr := stream.Backfill(tt.ctx, s.List(nil), stream.Discard, &stream.Options{Read: opts(tt.opts)})
		if stream.ClassOf(berr) != tt.class || tt.is != nil && !errors.Is(berr, tt.is) {
			t.Errorf("%s: a job ends with %v of class %v", tt.why, berr, stream.ClassOf(berr))
		}
		for _, err := range append(errs, err) {
			var e *stream.Error
			if !errors.As(err, &e) || e.Class != tt.class || e.Key != "a" || isOfRecord(err) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%s: got %T %v, want an *Error of class %v", tt.why, err, err, tt.class)
			}
		}
	}
	ctx, cancel2 := context.WithCancelCause(t.Context())
	r, err := stream.Open(ctx, s, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel2(errShutdown)
	_, err = io.Copy(io.Discard, r)
	var e *stream.Error
	if !errors.As(err, &e) || e.Class != stream.ClassCanceled || !errors.Is(err, errShutdown) {
		t.Errorf("Read: got %T %v, want an *Error that the context is over", err, err)
	}
}

func opts(o *stream.OpenOptions) stream.ReadOptions {
	if o == nil {
		return stream.ReadOptions{}
	}
	return o.Read
}
