package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// Bounds of count and share stop a job at the right record, whoever refuses records,
// over all runs of the job, for the whole of it or for each object.
func TestSkipWithin(t *testing.T) {
	t.Parallel()
	// Objects of 100 records of 4 bytes, of which every tenth is bad, from 9 on.
	object := func() []byte {
		var b bytes.Buffer
		for i := range 100 {
			if i%10 == 9 {
				fmt.Fprintf(&b, "!%02d\n", i)
			} else {
				fmt.Fprintf(&b, "%03d\n", i)
			}
		}
		return b.Bytes()
	}
	objects := map[string][]byte{"a": object(), "b": object(), "c": object()}
	const all = 3 * 10
	for _, tt := range []struct {
		reason string
		within stream.Within
		left   int64 // bad records that are left out before the one that is not
	}{
		{"no bound", stream.Within{}, all},
		{"a count of all", stream.Within{Count: all}, all},
		{"a count", stream.Within{Count: 7}, 7},
		{"a count that a later object reaches", stream.Within{Count: 25}, 25},
		{"a count for each object", stream.Within{Count: 10, PerObject: true}, all},
		{"a count for each object that is reached", stream.Within{Count: 3, PerObject: true}, 3},
		{"a share that holds", stream.Within{Share: 0.1}, all},
		{"a share below", stream.Within{Share: 0.099}, 0},
		{"a share below that waits", stream.Within{Share: 0.09, After: 50}, 4}, // the 5th at record 49: 5 > 4.5
		{"a share for each object", stream.Within{Share: 0.1, PerObject: true}, all},
		{"both", stream.Within{Share: 0.1, Count: 12}, 12},
	} {
		for _, how := range []string{"one run", "runs of one batch"} {
			cp := &memCheckpoint{}
			var left int64
			var err error
			for range 40 {
				var rep *stream.Report
				batches := 0
				rep, err = stream.Backfill(t.Context(), store(t, objects).List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
					if batches++; batches == 2 && how != "one run" {
						return stream.Stop
					}
					for i := range b.Len() {
						if b.Record(i).Data[0] != '!' {
							continue
						}
						if err := b.Refuse(i, errors.New("bad")); err != nil {
							return err
						}
					}
					return nil
				}), &stream.Options{Lanes: 1, Checkpoint: cp, OnRecordError: stream.SkipWithin(tt.within)})
				left = rep.Counts.RecordsSkipped + rep.Earlier.RecordsSkipped
				if err != nil || rep.Finished {
					break
				}
			}
			if left != tt.left || (err == nil) != (tt.left == all) || err != nil && stream.ClassOf(err) != stream.ClassBadRecord {
				t.Errorf("%s, %s: got %d records left out and %v, want %d", tt.reason, how, left, err, tt.left)
			}
		}
	}
}

// Objects are bounded alike.
func TestSkipWithinObjects(t *testing.T) {
	t.Parallel()
	objects := map[string][]byte{}
	for i := range 20 {
		objects[fmt.Sprintf("%02d.gz", i)] = encode(t, "gzip", []byte("a\n"))
		if i%5 == 4 {
			objects[fmt.Sprintf("%02d.gz", i)] = []byte("\x1f\x8b\x08 damaged")
		}
	}
	for _, tt := range []struct {
		reason string
		within stream.Within
		left   int64
	}{
		{"all", stream.Within{Share: 0.2}, 4},
		{"a count", stream.Within{Count: 2}, 2},
		{"a share", stream.Within{Share: 0.19}, 0},
		{"a share after some", stream.Within{Share: 0.19, After: 10}, 1}, // the 2nd at object 9: 2 > 1.9
	} {
		rep, err := stream.Backfill(t.Context(), store(t, objects).List(nil), stream.Discard,
			&stream.Options{Lanes: 1, OnObjectError: stream.SkipWithin(tt.within)})
		if got := rep.Counts.Skipped.Objects; got != tt.left || (err == nil) != (tt.left == 4) {
			t.Errorf("%s: got %d objects left out and %v, want %d", tt.reason, got, err, tt.left)
		}
	}
}

// An object that failed with a record is an object to a bound of objects.
func TestSkipWithinOfFailedRecords(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("bad\n"), "b": []byte("bad\n"), "c": []byte("bad\n")})
	rep, err := stream.Backfill(t.Context(), s.List(nil), refuse(newCollector(), false, isBad), &stream.Options{
		Lanes: 1, OnObjectError: stream.SkipWithin(stream.Within{Count: 2})})
	if stream.ClassOf(err) != stream.ClassBadRecord || rep.Counts.Skipped.Objects != 2 || rep.Counts.Failed.Objects != 1 {
		t.Errorf("got %v, counts %+v, want two objects skipped and the third failed", err, rep.Counts)
	}
}
