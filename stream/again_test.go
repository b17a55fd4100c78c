package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// What is read again counts once: records delivered, cut and left out, failures,
// and the objects of codecs and framers, whatever the reason to read again.
func TestReadAgainCountsOnce(t *testing.T) {
	const rows = 20
	row := func(i int) string { return fmt.Sprintf("%d,x\n", i) }
	var ragged strings.Builder // the oversized row is in the middle of a slab
	for i := range rows {
		if i == 5 {
			ragged.WriteString(long(5000) + ",x\n")
		}
		ragged.WriteString(row(i))
	}
	for _, tt := range []struct {
		why          string
		frame, data  string
		at           []int64 // where bodies break off
		over         stream.OversizedPolicy
		cancelAt     int64 // index of the record whose batch is taken, and ends the context; 0: none
		refuse       int64 // index of a record that the parser refuses once; 0: none
		delivered    int64
		skipped, cut int64
	}{
		{why: "canceled while the end of a cut record is looked for", frame: "lines",
			data: "one\n" + long(4<<20) + "\nthree\n", over: stream.TruncateOversized, cancelAt: 1, delivered: 3, cut: 1},
		{why: "a fault in the rest of a cut record", frame: "lines", at: []int64{1 << 20, 2 << 20},
			data: "one\n" + long(4<<20) + "\nthree\n", over: stream.TruncateOversized, delivered: 3, cut: 1},
		{why: "a fault in the rest of a record left out", frame: "lines", at: []int64{1 << 20, 2 << 20},
			data: "one\n" + long(4<<20) + "\nthree\n", over: stream.SkipOversized, delivered: 2, skipped: 1},
		{why: "a fault in the rest of a record refused", frame: "lines", at: []int64{1 << 20, 2 << 20},
			data: "one\n" + long(4<<20) + "\nthree\n", delivered: 2, skipped: 1},
		{why: "refused where the framer's state is not known", frame: "csv:ragged=error",
			data: ragged.String(), over: stream.TruncateOversized, refuse: 7, delivered: rows + 1, cut: 1},
		{why: "canceled behind a record left out at the end", frame: "tar",
			data: tarOf(3)[:700] + "", cancelAt: -1, skipped: 1},
	} {
		t.Run(tt.why, func(t *testing.T) {
			mem := memstore.New()
			put(t, blob.New(mem, nil), "a", []byte(tt.data))
			s := blob.New(&flaky{mem, tt.at}, once)
			cp := &memCheckpoint{}
			var all stream.Counts
			var failures int
			for run := 0; ; run++ {
				if run > 5 {
					t.Fatal("no end")
				}
				ctx, cancel := context.WithCancel(t.Context())
				refused := false
				sink := stream.ParseTo(func(r stream.Record) (int64, error) {
					if r.Index == tt.refuse && r.Index > 0 && !refused {
						refused = true
						return 0, errors.New("not yet")
					}
					return r.Index, nil
				}, func(_ context.Context, got []int64) error {
					if run == 0 && tt.cancelAt > 0 && got[len(got)-1] >= tt.cancelAt {
						cancel()
					}
					return nil
				})
				rep, err := stream.Backfill(ctx, s.List(nil), sink, &stream.Options{
					Lanes: 1, Checkpoint: cp,
					Read: stream.ReadOptions{Frame: tt.frame, Codec: "none", MaxRecord: 1000, Oversized: tt.over},
					OnRecordError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
						if tt.refuse > 0 {
							return stream.Fail, nil
						}
						if run == 0 && tt.cancelAt < 0 {
							cancel()
						}
						return stream.Skip, nil
					},
					OnObjectError: stream.RetryAtMost(3, stream.ClassTransient, stream.ClassBadRecord),
				})
				cancel()
				if all = sum(rep.Earlier, rep.Counts); err == nil {
					if rep.Codecs[0].Objects != 1 || rep.Framers[0].Objects != 1 {
						t.Errorf("got %+v, %+v, want one object", rep.Codecs, rep.Framers)
					}
					m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
					if err != nil {
						t.Fatal(err)
					}
					failures = len(m.Failures)
					break
				} else if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			if all.Listed.Delivered != tt.delivered || all.Done.Delivered != tt.delivered || all.RecordsSkipped != tt.skipped || all.RecordsTruncated != tt.cut ||
				all.Remaining() != (stream.Tally{}) || failures > int(tt.skipped) {
				t.Errorf("got %+v and %d failures, want %d delivered, %d left out, %d cut", all, failures, tt.delivered, tt.skipped, tt.cut)
			}
		})
	}
}
