package stream

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/kept"
)

// RecordsOptions configures [Records]. Nil means the zero value.
type RecordsOptions struct {
	// Read configures how the object is read.
	Read ReadOptions

	// Object is as in [OpenOptions].
	Object *blob.Object

	// Report, unless nil, is set when the iteration ends: Counts.RecordsSkipped and
	// RecordsTruncated are what Oversized left out or shortened. It must not be used
	// before, nor by two iterations at once. If the read could not begin, it has Source
	// and the error alone.
	Report *Report
}

// Records yields the records of one object in order, then its error if it has one, as
// the last pair. nil opts mean the zero value. A record's Data is valid until the next
// step. Errors are those of [Open], and a *[RecordError] in an *[Error] for a record that
// cannot be framed: it ends the iteration. Use [Backfill] to go on after bad records.
func Records(ctx context.Context, store *blob.Store, key string, opts *RecordsOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if opts == nil {
			opts = &RecordsOptions{}
		}
		var s directRead
		obj, err := knownObject(key, opts.Object)
		if err != nil {
			err = &Error{Source: store.Name(), Key: key, Class: classOf(err), Err: err}
		} else {
			err = s.begin(ctx, store, key, &opts.Read)
		}
		if err != nil {
			if opts.Report != nil {
				*opts.Report = Report{Source: shown(store.Name()), Error: kept.Text(err.Error()), Class: ClassOf(err).String()}
			}
			yield(Record{}, err)
			return
		}
		defer func() {
			s.end()
			if opts.Report != nil {
				*opts.Report = *s.report()
			}
		}()
		if err := s.records(ctx, store, obj, yield); err != nil {
			yield(Record{}, err)
		}
	}
}

// records yields the records of obj and counts them. The error is nil also if yield
// wants no more.
func (r *directRead) records(ctx context.Context, store *blob.Store, obj blob.Object, yield func(Record, error) bool) error {
	r.ledger.listedOne(max(obj.Size, 0))
	b, err := r.lane.newBatcher(ctx, &r.read, store, store.Name(), obj, nil)
	if err != nil {
		r.ledger.endedUnread(err)
		return err
	}
	defer b.close()
	r.ledger.listedOne(max(b.reader.facts().object.info.Size, 0))
	var n int64 // yielded
	var ended error
	defer func() {
		r.ledger.countRecords(b.reader.facts(), framerReport(b), recordCounts(n, b.skipped, b.truncated))
		r.account(b.reader, ended)
	}()
	for {
		batch, err := b.next(ctx)
		if err != nil {
			ended = err
			if err == io.EOF {
				err = nil
			}
			return err
		}
		r.ledger.firstRecord(time.Now(), &r.lane.meter)
		r.lane.enterLending(meter.Sink)
		for i := range batch.Len() {
			n++
			if !yield(batch.Record(i), nil) {
				return nil
			}
		}
	}
}
