package stream_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// JoinTraces and LogTrace know every hook, also those added later.
func TestTracesForgetNoHook(t *testing.T) {
	var fired [2][]string
	mark := func(n int) *stream.Trace {
		tr := new(stream.Trace)
		v := reflect.ValueOf(tr).Elem()
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			v.Field(i).Set(reflect.MakeFunc(v.Field(i).Type(), func([]reflect.Value) []reflect.Value {
				fired[n] = append(fired[n], name)
				return nil
			}))
		}
		return tr
	}
	joined := reflect.ValueOf(stream.JoinTraces(mark(0), nil, mark(1))).Elem()
	logged := reflect.ValueOf(stream.LogTrace(slog.New(slog.DiscardHandler))).Elem()
	for i := range joined.NumField() {
		name := joined.Type().Field(i).Name
		if joined.Field(i).IsNil() {
			t.Errorf("JoinTraces forgets %s", name)
			continue
		}
		joined.Field(i).Call([]reflect.Value{reflect.Zero(joined.Field(i).Type().In(0))})
		if logged.Field(i).IsNil() {
			t.Errorf("LogTrace forgets %s", name)
		}
	}
	for n := range fired {
		if len(fired[n]) != joined.NumField() {
			t.Errorf("trace %d was called for %v only", n, fired[n])
		}
	}
}

// Hooks change nothing, and see what happened.
func TestHooksObserve(t *testing.T) {
	s, data := mixed(t)
	run := func(tr *stream.Trace) (*collector, *stream.Report) {
		c := newCollector()
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{
			Lanes: 3, OnObjectError: stream.SkipClasses(), Trace: tr, Checkpoint: &memCheckpoint{},
		})
		if err != nil {
			t.Fatal(err)
		}
		return c, rep
	}
	bare, bareRep := run(nil)
	var log bytes.Buffer
	var starts, ends, failures, requests, saves atomic.Int64
	hooked, rep := run(stream.JoinTraces(
		stream.LogTrace(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		&stream.Trace{
			ObjectStart: func(stream.ObjectStart) { starts.Add(1) },
			ObjectEnd:   func(stream.ObjectEnd) { ends.Add(1) },
			Failure:     func(stream.Failure) { failures.Add(1) },
			Request:     func(stream.Request) { requests.Add(1) },
			Checkpoint:  func(stream.CheckpointSave) { saves.Add(1) },
		}))
	if !reflect.DeepEqual(bare.records, hooked.records) || bareRep.Counts != rep.Counts {
		t.Error("hooks change the result")
	}
	if starts.Load() != 5 || ends.Load() != 5 || failures.Load() != 2 || requests.Load() < 5 || saves.Load() == 0 {
		t.Errorf("saw %d starts, %d ends, %d failures, %d requests, %d saves",
			starts.Load(), ends.Load(), failures.Load(), requests.Load(), saves.Load())
	}
	if rep.Requests.Count != requests.Load() || rep.Requests.Received == 0 {
		t.Errorf("report counts %+v, hooks saw %d", rep.Requests, requests.Load())
	}
	for _, want := range []string{"backfill starts", "object starts", "codec=gzip", "failure", "class=truncated", "backfill ends"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %q", want)
		}
	}
	_ = data
}

// Cancellation at any moment ends the job promptly, with the context's error, and
// leaves no goroutine (TestMain looks).
func TestCancel(t *testing.T) {
	s := store(t, map[string][]byte{
		"a.gz": encode(t, "gzip", corpus.NDJSONBytes(1, 5000)), "b.zst": encode(t, "zstd", corpus.NDJSONBytes(2, 5000)),
		"c": corpus.NDJSONBytes(3, 5000), "d.lz4": encode(t, "lz4", corpus.NDJSONBytes(4, 5000)),
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(rng.IntN(6000))*time.Microsecond, cancel)
		rep, err := stream.Backfill(ctx, s.List(nil), stream.Discard, &stream.Options{Lanes: 4, Workers: 1 + rng.IntN(2), Checkpoint: &memCheckpoint{}})
		if err == nil && !rep.Complete() || err != nil && (context.Cause(ctx) == nil || stream.ClassOf(err) != stream.ClassCanceled) {
			t.Fatalf("got %v of class %v, context %v", err, stream.ClassOf(err), ctx.Err())
		}
		if err != nil && rep.Complete() {
			t.Fatal("canceled and complete")
		}
		timer.Stop()
		cancel()
	}
}

// A context that is over before the call.
func TestCanceledBefore(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\n")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep, err := stream.Backfill(ctx, s.List(nil), stream.Discard, nil)
	if stream.ClassOf(err) != stream.ClassCanceled || rep == nil {
		t.Errorf("Backfill: %v", err)
	}
	if _, err := stream.Open(ctx, s, "a", nil); stream.ClassOf(err) != stream.ClassCanceled {
		t.Errorf("Open: %v", err)
	}
	for _, err := range stream.Records(ctx, s, "a", nil) {
		if stream.ClassOf(err) != stream.ClassCanceled {
			t.Errorf("Records: %v", err)
		}
	}
}
