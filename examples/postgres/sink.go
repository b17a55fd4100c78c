package main

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/thaw-go/thaw/stream"
)

// Sink is a stream.Sink of a Backfill that writes records into a table, each once. It takes
// the records before one that is delivered for written: it is none for stream.Redrive.
type Sink struct {
	opts     SinkOptions
	pool     *pgxpool.Pool
	table    pgx.Identifier // with its schema, however the user named it
	cols     []column
	repeated atomic.Int64
}

// SinkOptions says what a Sink writes. All fields but DSN and CSV are required.
type SinkOptions struct {
	DSN     string   // the database, as pgxpool.New takes it
	Table   string   // exists; as in SQL: the name may have a schema, and quotes
	Columns []string // those to write
	CSV     bool     // records are rows of CSV, the first of each object its header; else JSON
	Lanes   int      // of the job: each has a connection

	// ObjectName names the objects of the job in every run: that of the blob.Store they are in.
	ObjectName func(key string) string
}

// NewSink connects to the database. The caller closes the Sink after the job.
func NewSink(ctx context.Context, opts SinkOptions) (*Sink, error) {
	config, err := pgxpool.ParseConfig(opts.DSN)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(opts.Lanes)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Sink{opts: opts, pool: pool}
	if s.table, err = tableOf(ctx, pool, opts.Table); err == nil {
		s.cols, err = columnsOf(ctx, pool, s.table, opts.Columns)
	}
	if err == nil {
		err = createPositions(ctx, pool)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the connections.
func (s *Sink) Close() { s.pool.Close() }

// Output names the table in its database, for stream.Options.Output: the manifest of another
// table would leave out what this one does not have.
func (s *Sink) Output() string {
	return "postgres:" + s.pool.Config().ConnConfig.Database + "/" + s.table.Sanitize()
}

// Repeated is how many records were delivered that the table had already.
func (s *Sink) Repeated() int64 { return s.repeated.Load() }

// Open implements stream.Sink.
func (s *Sink) Open(context.Context, int) (stream.Writer, error) {
	return &writer{Sink: s, positions: map[object]*position{}}, nil
}

// writer gathers rows and commits them with the positions of their objects.
type writer struct {
	*Sink
	rows      [][]any
	bytes     int                  // of their records
	now       object               // that is being written
	positions map[object]*position // of now and of objects since the last Flush
}

// mostBytes and mostRows are how much is gathered, and a batch more: Flush is called at
// intervals only.
const (
	mostBytes = 8 << 20
	mostRows  = 20_000
)

// Write implements stream.Writer.
func (w *writer) Write(ctx context.Context, b *stream.Batch) error {
	w.now = object{w.opts.ObjectName(b.Object().Key), b.Object().Version}
	p := w.positions[w.now]
	if p == nil {
		var err error
		if p, err = load(ctx, w.pool, w.table.Sanitize(), w.now); err != nil {
			return err
		}
		w.positions[w.now] = p
	}
	if err := b.Parse(ctx, func() error { return w.gather(b, p) }); err != nil {
		return err
	}
	if b.EndsObject() && !p.done {
		p.done, p.changed = true, true
	}
	if w.bytes >= mostBytes || len(w.rows) >= mostRows {
		return w.Flush(ctx)
	}
	return nil
}

// gather makes rows of the records that the table does not have. The others are looked at
// too: the policy hears again of those that were refused, which a run that was killed may
// not have saved.
func (w *writer) gather(b *stream.Batch, p *position) error {
	for i := range b.Len() {
		r := b.Record(i)
		row, err := w.row(r, p)
		if err != nil {
			if err := b.Refuse(i, err); err != nil {
				return err
			}
		}
		if r.Index < p.next {
			w.repeated.Add(1)
			continue
		}
		if row != nil {
			w.rows = append(w.rows, row)
			w.bytes += len(r.Data)
		}
		p.next, p.changed = r.Index+1, true
	}
	return nil
}

// row makes the values of a record. A header has none, and is kept for the rows after it:
// a job that goes on in the middle of an object does not deliver it again.
func (w *writer) row(r stream.Record, p *position) (row []any, err error) {
	switch {
	case !w.opts.CSV:
		return jsonRow(w.cols, r.Data)
	case r.Index == 0:
		p.header, err = csvFields(r.Data)
		return nil, err
	}
	return csvRow(w.cols, p.header, r.Data)
}

// Flush implements stream.Writer: rows and positions in one transaction.
func (w *writer) Flush(ctx context.Context) error {
	changed := false
	for _, p := range w.positions {
		changed = changed || p.changed
	}
	if changed {
		if err := pgx.BeginFunc(ctx, w.pool, w.commit(ctx)); err != nil {
			return err
		}
	}
	clear(w.rows)
	w.rows, w.bytes = w.rows[:0], 0
	for o, p := range w.positions {
		if p.committed, p.changed = p.next, false; o != w.now {
			delete(w.positions, o)
		}
	}
	return nil
}

// commit returns what a transaction does. Positions come first: another run that writes the
// same records waits for the end of it, and then fails.
func (w *writer) commit(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		if err := save(ctx, tx, w.table.Sanitize(), w.positions); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, w.table, w.opts.Columns, pgx.CopyFromRows(w.rows))
		return err
	}
}

// Close implements stream.Writer. What was not committed is delivered again.
func (w *writer) Close() error { return nil }
