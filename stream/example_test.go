package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// exampleStore holds three small objects in three codecs.
func exampleStore(ctx context.Context) *blob.Store {
	store := blob.New(memstore.New(), nil)
	for _, o := range []struct{ key, codec, data string }{
		{"01/a.ndjson.zst", "zstd", `{"id":1}` + "\n" + `{"id":2}` + "\n"},
		{"01/b.ndjson.gz", "gzip", `{"id":3}` + "\n"},
		{"02/c.ndjson", "none", `{"id":4}` + "\n" + `{"id":5`},
	} {
		data, err := corpus.Encode(o.codec, []byte(o.data))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := store.Put(ctx, o.key, strings.NewReader(string(data)), int64(len(data)), nil); err != nil {
			log.Fatal(err)
		}
	}
	return store
}

// A store is opened by URL. The package of the scheme is imported for it.
func Example() {
	ctx := context.Background()
	store, err := blob.Open(ctx, "file:///srv/logs/", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	report, err := stream.Backfill(ctx, store.List(nil), stream.Discard, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
}

// The decoded bytes of one object.
func ExampleOpen() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	rd, err := stream.Open(ctx, store, "01/a.ndjson.zst", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rd.Close()
	fmt.Println(rd.Detection().Codec, "by", rd.Detection().Evidence)
	if _, err := io.Copy(os.Stdout, rd); err != nil {
		log.Fatal(err)
	}
	// Output:
	// zstd by magic
	// {"id":1}
	// {"id":2}
}

// A missing object is an error of Open, before anything was read.
func ExampleOpen_missing() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	_, err := stream.Open(ctx, store, "01/nope", nil)
	fmt.Println(errors.Is(err, fs.ErrNotExist), stream.ClassOf(err))
	// Output: true missing
}

// The records of one object.
func ExampleRecords() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	for rec, err := range stream.Records(ctx, store, "01/a.ndjson.zst", nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d at %d: %s\n", rec.Index, rec.Offset, rec.Data) // Data is valid until the next step
	}
	// Output:
	// 0 at 0: {"id":1}
	// 1 at 9: {"id":2}
}

// Every record of many objects, in batches, on several lanes.
func ExampleBackfill() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	var records atomic.Int64
	sink := stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			records.Add(1)
			_ = rec.Data // valid until the function returns
		}
		return nil // the batch is delivered
	})
	src := store.List(&blob.ListOptions{Glob: "**/*.ndjson*"})
	report, err := stream.Backfill(ctx, src, sink, &stream.Options{Lanes: 2, Memory: 256 << 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(records.Load(), report.Complete())
	// Output: 5 true
}

// A signal ends the job gracefully, by Options.Drain. What was
// written before is durable and in the manifest, and the next run continues after it.
func ExampleBackfill_graceful() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	signaled, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	// The job itself runs under ctx, which the signal leaves alone.
	report, err := stream.Backfill(ctx, store.List(nil), stream.Discard, &stream.Options{
		Drain: signaled.Done(),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Stopped, report.Complete())
}

// Typed values: a batch is parsed into one slice and delivered as a whole. Records
// that do not parse are for a policy to decide.
func ExampleParseTo() {
	type event struct{ ID int }
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	var sum atomic.Int64
	sink := stream.ParseTo(
		func(rec stream.Record) (e event, err error) { return e, json.Unmarshal(rec.Data, &e) },
		func(ctx context.Context, events []event) error { // nil means durable
			for _, e := range events {
				sum.Add(int64(e.ID))
			}
			return nil
		})
	report, err := stream.Backfill(ctx, store.List(nil), sink, &stream.Options{
		OnRecordError: stream.SkipAtMost(100),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Load(), report.Counts.RecordsSkipped, report.Complete())
	// Output: 10 1 false
}

// A job with a checkpoint goes on where the run before it stopped.
func ExampleFileCheckpoint() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()
	dir, err := os.MkdirTemp("", "manifest-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "manifest.json")

	objects := 0
	sink := stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		if objects == 2 {
			return stream.Stop // not delivered; the job ends cleanly
		}
		if b.EndsObject() {
			objects++
		}
		return nil
	})
	for range 2 {
		report, err := stream.Backfill(ctx, store.List(nil), sink, &stream.Options{
			Lanes: 1, Checkpoint: stream.FileCheckpoint(path),
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Resumed, report.Counts.Delivered(), "of", report.Counts.Delivered()+report.Earlier.Delivered(), report.Complete())
		objects = 0
	}
	// Output:
	// false 3 of 3 false
	// true 2 of 5 true
}

// The manifest may be an object of a store as well.
func ExampleBlobCheckpoint() {
	ctx := context.Background()
	store, state := exampleStore(ctx), blob.New(memstore.New(), nil)
	defer store.Close()
	defer state.Close()

	for range 2 {
		report, err := stream.Backfill(ctx, store.List(nil), stream.Discard, &stream.Options{
			Checkpoint: stream.BlobCheckpoint(state, "backfill/manifest.json"),
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Counts.Delivered(), report.Complete())
	}
	// Output:
	// 5 true
	// 0 true
}

// What cannot be read is put on record and left out.
func ExampleQuarantine() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()
	src := blob.Keys(store, "01/a.ndjson.zst", "03/gone.ndjson.gz", "01/b.ndjson.gz")

	report, err := stream.Backfill(ctx, src, stream.Discard, &stream.Options{
		OnObjectError: stream.Quarantine(os.Stdout,
			stream.ClassMissing, stream.ClassTruncated, stream.ClassCorrupt, stream.ClassChecksum, stream.ClassTrailing),
		OnRecordError: stream.AllOf(stream.SkipWithin(stream.Within{Count: 100}), stream.Quarantine(os.Stdout)),
	})
	fmt.Println(err, report.Counts.Delivered(), report.Complete())
	// Output:
	// {"key":"03/gone.ndjson.gz","class":"missing","stage":"open","stored_offset":0,"decoded_offset":0,"next_record":0,"error":"file does not exist"}
	// <nil> 3 false
}

// What a parser has refused is delivered once the parser is corrected, and nothing else.
func ExampleRedrive() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	sink := func(known string) stream.Sink {
		return stream.ParseTo(func(rec stream.Record) (string, error) {
			if !strings.Contains(known, string(rec.Data)) {
				return "", errors.New("unknown")
			}
			return string(rec.Data), nil
		}, func(_ context.Context, values []string) error {
			fmt.Println(values)
			return nil
		})
	}
	src := blob.Keys(store, "01/a.ndjson.zst")
	var quarantine bytes.Buffer
	if _, err := stream.Backfill(ctx, src, sink(`{"id":1}`), &stream.Options{OnRecordError: stream.Quarantine(&quarantine)}); err != nil {
		log.Fatal(err)
	}
	report, err := stream.Redrive(ctx, store, stream.ReadQuarantine(&quarantine), sink(`{"id":1} {"id":2}`), nil)
	fmt.Println(err, report.Counts.Delivered(), report.Complete())
	// Output:
	// [{"id":1}]
	// [{"id":2}]
	// <nil> 1 true
}

// At most 100 records are left out, by all runs of the job, and each is recorded.
func ExampleAllOf() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()

	report, err := stream.Backfill(ctx, store.List(nil), stream.Discard, &stream.Options{
		Read:          stream.ReadOptions{Frame: "json"},
		OnRecordError: stream.AllOf(stream.SkipWithin(stream.Within{Count: 100}), stream.Quarantine(os.Stdout)),
	})
	fmt.Println(err, report.Counts.RecordsSkipped)
	// Output:
	// {"key":"02/c.ndjson","version":"3","class":"bad_record","stage":"frame","stored_offset":8,"stored_end_offset":8,"decoded_offset":8,"record":1,"error":"json: unexpected EOF"}
	// <nil> 1
}

// A codec and a framer of one's own are values, registered in clones. The codec
// turns every byte around; the records lie between semicolons.
func ExampleRecordsOptions() {
	turned := codec.Codec{
		Name: "turned", Extensions: []string{".turned"},
		NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			return codec.NewDecoder("turned", src, opts, openTurned)
		},
	}
	semicolons := frame.FromSplitFunc("semicolons", splitSemicolons)
	ctx := context.Background()
	store := blob.New(memstore.New(), nil)
	defer store.Close()
	data := []byte("one;two;three")
	for i := range data {
		data[i] = ^data[i]
	}
	if _, err := store.Put(ctx, "a.turned", bytes.NewReader(data), int64(len(data)), nil); err != nil {
		log.Fatal(err)
	}

	codecs, framers := codec.Default().Clone(), frame.Default().Clone()
	codecs.Register(turned)      // a codec.Codec: found by Magic, Extensions or Name
	framers.Register(semicolons) // a frame.Framer, here frame.FromSplitFunc of a bufio.SplitFunc
	opts := &stream.RecordsOptions{Read: stream.ReadOptions{Codecs: codecs, Framers: framers, Frame: "semicolons"}}
	for rec, err := range stream.Records(ctx, store, "a.turned", opts) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", rec.Data)
	}
	// Output:
	// one
	// two
	// three
}

// openTurned opens the only member: everything.
func openTurned(in *codec.Input, first bool) (io.Reader, error) {
	if !first {
		return nil, io.EOF
	}
	return turnedReader{in}, nil
}

type turnedReader struct{ in *codec.Input }

func (r turnedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for i := range p[:n] {
		p[i] = ^p[i]
	}
	return n, err
}

func splitSemicolons(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, ';'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
