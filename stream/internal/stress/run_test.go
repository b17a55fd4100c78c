package stress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// patience is how long a schedule may take, in virtual time. None needs it: what
// is not done then hangs.
const patience = 40 * time.Minute

// scene is a schedule that runs.
type scene struct {
	*schedule
	storage *storage
	store   *blob.Store
	saves   *storage // of checkpoints
	pool    *stream.Pool
	others  sync.WaitGroup // goroutines of sinks

	found sync.Mutex
	wrong []string
}

// problem notes what is not as it should be.
func (s *scene) problem(format string, args ...any) {
	s.found.Lock()
	defer s.found.Unlock()
	if len(s.wrong) < 20 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// play runs a schedule in a bubble of its own and returns what was wrong.
func play(t *testing.T, s *schedule) (wrong []string) {
	sc := &scene{schedule: s}
	defer func() {
		if p := recover(); p != nil { // of synctest: a deadlock, or goroutines left
			wrong = append(sc.wrong, fmt.Sprint(p))
		}
	}()
	synctest.Test(t, func(t *testing.T) { sc.play(t.Context()) })
	return sc.wrong
}

func (s *scene) play(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.storage = newStorage(s.schedule)
	retry := &blob.Retry{BudgetBurst: 10000}
	if s.spent {
		retry.MaxAttempts = 1
	}
	s.store = blob.New(s.storage, &blob.Options{Name: "stress", Retry: retry})
	s.saves = newStorage(&schedule{seed: s.seed, faults: s.puts, slow: s.slow})
	if !s.own {
		s.pool = stream.NewPool(&stream.PoolOptions{Memory: s.memory, Workers: s.workers})
	}
	var all sync.WaitGroup
	for n := range s.jobs {
		all.Go(func() { s.newLedger(n).play(ctx) })
	}
	for n := range s.readers {
		all.Go(func() { s.read(ctx, n) })
	}
	all.Wait()
	s.others.Wait()
	if ctx.Err() != nil {
		s.problem("not done after %v: it hangs", patience)
	}
	if s.pool != nil {
		if n := s.pool.InUse(); n != 0 {
			s.problem("%d bytes of the pool are in use at the end", n)
		}
	}
	for key, n := range s.storage.asked {
		if n > 60 {
			s.problem("%q was asked to be restored %d times", key, n)
		}
	}
}

func (s *scene) newLedger(n int) *ledger {
	l := &ledger{
		scene: s, job: s.jobs[n], n: n, truth: map[version]*outcome{}, refused: map[version]int{}, durable: map[version][]bool{},
		ids: map[string]place{}, places: map[place]string{}, failing: map[string]stream.Class{},
	}
	for _, o := range s.objects {
		if o.job == n && l.holds(o) {
			want := l.reading.expect(o.stored(), o.damage)
			if o.denied {
				want = &outcome{ends: classesOf(stream.ClassDenied)}
			}
			l.truth[version{o.key, s.storage.versions[o]}] = want
		}
	}
	return l
}

// holds says that an object is of the job's source.
func (l *ledger) holds(o *object) bool {
	if l.shard[1] == 0 {
		return true
	}
	mine := false
	one := blob.Keys(l.store, o.key)
	for range blob.Shard(one, l.shard[0], l.shard[1]).Objects(context.Background(), blob.Mark{}) {
		mine = true
	}
	return mine
}

// from is the job's source.
func (l *ledger) from() blob.Source {
	src := l.store.List(&blob.ListOptions{Prefix: fmt.Sprintf("j%d/", l.n)})
	switch l.source {
	case keys:
		var names []string
		for _, o := range l.objects {
			if o.job == l.n {
				names = append(names, o.key)
			}
		}
		r := rand.New(rand.NewPCG(l.seed, 7))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		src = blob.Keys(l.store, names...)
	case breaking:
		src = l.breaking(src)
	}
	if l.shard[1] > 0 {
		src = blob.Shard(src, l.shard[0], l.shard[1])
	}
	return src
}

var errListing = errors.New("the listing broke off")

// breaking is a source that fails once in a while, until the storage is healed.
func (l *ledger) breaking(src blob.Source) blob.Source {
	whole := src.Objects
	src.Objects = func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
		return func(yield func(blob.Object, error) bool) {
			n := after.Ordinal
			for obj, err := range whole(ctx, after) {
				if n++; (uint64(n)*0x9e3779b9+l.seed)%7 == 0 && l.storage.troubled() && n > after.Ordinal+1 {
					yield(blob.Object{}, errListing)
					return
				}
				if !yield(obj, err) || err != nil {
					return
				}
			}
		}
	}
	return src
}

// play runs the job until it drains, or fails as it must.
func (l *ledger) play(ctx context.Context) {
	c := &checkpoint{ledger: l}
	if l.blob {
		c.Checkpoint = stream.BlobCheckpoint(blob.New(l.saves, &blob.Options{Retry: &blob.Retry{BudgetBurst: 1000}}), fmt.Sprintf("m%d", l.n))
	}
	extra := 0
	for i := 0; ; {
		u := l.runs[min(i, len(l.runs)-1)]
		saved := c.saved
		if u.end.kind == spoil && len(saved) > 0 {
			c.saved = bytes.Clone(saved)
			c.saved[u.end.batch*7919%len(saved)] ^= 1 << (u.end.batch & 7)
		}
		rep, err := l.once(ctx, c, &u)
		if u.end.kind == spoil && len(saved) > 0 {
			c.saved = saved
			if err == nil {
				l.problem("job %d: a damaged manifest is taken", l.n)
			}
			i++
			continue
		}
		l.checkReport(&u, rep, err)
		switch {
		case ctx.Err() != nil:
			l.problem("job %d, run %d (%v): hangs: %v", l.n, i, u.end, err)
			return
		case err == nil && !rep.Stopped:
			l.checkEnd(rep)
			return
		case !l.ended && l.fatal(err):
			l.checkFailed(rep, err)
			return
		case i < len(l.runs)-1:
			i++
			continue
		}
		if extra++; extra == 4 {
			l.storage.heal()
			l.saves.heal()
		} else if extra > 12 {
			l.problem("job %d does not drain: %v", l.n, err)
			return
		}
	}
}

// once is one Backfill.
func (l *ledger) once(ctx context.Context, c *checkpoint, u *run) (*stream.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.mu.Lock()
	l.run, l.cancel, l.batches, l.dead, l.ended = u, cancel, 0, false, false
	l.next, l.started = map[laneKey]int64{}, map[string]bool{}
	l.mu.Unlock()
	if u.end.after > 0 {
		defer time.AfterFunc(u.end.after, l.strike).Stop()
	}
	opts := &stream.Options{
		Read:  l.options(u),
		Lanes: u.lanes, CheckpointEvery: u.every, Checkpoint: c,
		OnRecordError: l.recordPolicy, OnObjectError: l.objectPolicy(),
		Trace: &stream.Trace{ObjectStart: func(o stream.ObjectStart) {
			l.mu.Lock()
			l.started[o.Object.Key] = true
			l.mu.Unlock()
			l.replace(o.Object.Key)
		}, ObjectEnd: l.objectEnd},
	}
	switch {
	case l.pool != nil:
	case l.sink == nesting:
		l.nested = stream.NewPool(&stream.PoolOptions{Memory: u.memory, Workers: u.workers})
		opts.Read.Pool = l.nested
	default:
		opts.Memory, opts.Workers = u.memory, u.workers
	}
	if l.restore > 0 {
		opts.Restore = &stream.RestoreOptions{Poll: l.restore}
	}
	return l.backfill(ctx, opts)
}

// backfill is Backfill; a panic is an error.
func (l *ledger) backfill(ctx context.Context, opts *stream.Options) (rep *stream.Report, err error) {
	defer func() {
		if p, ok := recover().(*stream.PanicError); ok {
			rep, err = &stream.Report{}, p
			if p.Unwrap() != errSink {
				l.problem("job %d: %v", l.n, p)
			}
		}
	}()
	return stream.Backfill(ctx, l.from(), l.open(), opts)
}

func (l *ledger) options(u *run) stream.ReadOptions {
	r := &l.reading
	return stream.ReadOptions{
		Frame: l.frame, Codec: l.codec, MaxRecord: r.maxRecord, Oversized: r.oversized,
		Decode:    codec.Options{MaxDecoded: r.maxDecoded, IgnoreTrailing: r.ignoreTrailing},
		RangeSize: u.rangeSize, InFlight: u.inFlight, Pool: l.pool,
	}
}

// replace puts the next version of an object in its place once it is read.
func (l *ledger) replace(key string) {
	for _, o := range l.objects {
		if o.key == key && o.next != nil {
			want := l.reading.expect(o.next.stored(), damage{})
			l.mu.Lock()
			l.truth[version{key, l.storage.replaceOnce(o)}] = want
			l.mu.Unlock()
		}
	}
}

// read is one reader beside the jobs.
func (s *scene) read(ctx context.Context, n int) {
	rd := s.readers[n]
	o := s.objects[rd.object%len(s.objects)]
	j := s.jobs[o.job]
	r := reading{maxRecord: 640 << 10}
	opts := &stream.ReadOptions{Frame: j.frame, Codec: j.codec, MaxRecord: r.maxRecord, Pool: s.pool}
	if opts.Pool == nil {
		opts.Pool = stream.NewPool(&stream.PoolOptions{Memory: s.memory, Workers: s.workers})
	}
	var err error
	var want classes
	if rd.records {
		w := r.expect(o.stored(), o.damage)
		want, err = w.ends, s.readRecords(ctx, rd, o, w, opts)
	} else {
		x := r.decode(o.stored(), o.damage)
		want, err = x.ends, s.readBytes(ctx, rd, o, x, opts)
	}
	if err == nil || o.next != nil || o.denied || o.archived || o.lapses > 0 || o.refused || errors.Is(err, stream.ErrPoolBusy) {
		return
	}
	var e *stream.Error
	if !errors.As(err, &e) {
		s.problem("reader of %v: %T %v is no *Error", o, err, err)
	}
	if c := stream.ClassOf(err); !want.has(c) && !(c == stream.ClassTransient && s.faults != nil) && !(c == stream.ClassLimit && (unmended["limits"] || s.limited(o, *opts, s.memory, ""))) {
		s.problem("reader of %v: %s: %v, want %v", o, c, err, want)
	}
}

func (s *scene) readRecords(ctx context.Context, rd reader, o *object, want *outcome, opts *stream.ReadOptions) error {
	n := 0
	for rec, err := range stream.Records(ctx, s.store, o.key, &stream.RecordsOptions{Read: *opts}) {
		if err != nil {
			return err
		}
		if i := rec.Index; o.next == nil && !want.wild && (i >= int64(len(want.records)) || !want.records[i].maybe && string(rec.Data) != string(want.records[i].body)) {
			s.problem("reader of %v: record %d is %.80q", o, rec.Index, rec.Data)
			return nil
		}
		if n++; n == rd.until {
			return nil
		}
		if n%200 == 0 {
			time.Sleep(rd.pause)
		}
	}
	if o.next == nil && n < want.least {
		s.problem("reader of %v: %d records, want %v", o, n, want)
	}
	return nil
}

func (s *scene) readBytes(ctx context.Context, rd reader, o *object, want extent, opts *stream.ReadOptions) error {
	r, err := stream.Open(ctx, s.store, o.key, &stream.OpenOptions{Read: *opts})
	if err != nil {
		return err
	}
	defer r.Close()
	data := o.stored().plain.data
	buf := make([]byte, 10000)
	for at := 0; ; {
		n, err := r.Read(buf)
		if o.next == nil && !want.wild && (at+n > want.most || string(buf[:n]) != string(data[at:at+n])) {
			s.problem("reader of %v: other bytes at %d", o, at)
			return nil
		}
		switch at += n; {
		case err == io.EOF && o.next == nil && at < want.sure:
			s.problem("reader of %v: %d bytes, want %d", o, at, want.sure)
			return nil
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case rd.until > 0 && at >= rd.until:
			return nil
		}
		time.Sleep(rd.pause)
	}
}

// limited says that an object needs more memory than there is, whoever else reads.
func (s *scene) limited(o *object, opts stream.ReadOptions, memory int64, v string) bool {
	opts.Pool = stream.NewPool(&stream.PoolOptions{Memory: memory, Workers: 1})
	one := memstore.New()
	key := o.key
	if v != "" && v == s.storage.successor(key) {
		o = o.next
	}
	data, _ := o.damage.apply(o.stored())
	must(one.Put(context.Background(), key, bytes.NewReader(data), int64(len(data)), driver.Condition{}))
	for _, err := range stream.Records(context.Background(), blob.New(one, nil), key, &stream.RecordsOptions{Read: opts}) {
		if stream.ClassOf(err) == stream.ClassLimit && err != nil {
			return true
		}
	}
	return false
}
