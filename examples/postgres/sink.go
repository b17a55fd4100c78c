package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/thaw-go/thaw/stream"
)

// positions is the table that says which records of which objects the table has. It is
// written in the transaction that writes the rows: so a record is in the table exactly if
// its index is below next. Objects that were replaced have another version, and are other
// objects.
const positions = `CREATE TABLE IF NOT EXISTS thaw_position (
	target  text NOT NULL,
	object  text NOT NULL,
	version text NOT NULL,
	next    bigint NOT NULL,
	PRIMARY KEY (target, object, version)
)`

// Sink is a stream.Sink that writes records into a table.
type Sink struct {
	pool  *pgxpool.Pool
	name  func(key string) string // of an object, whoever opened its store
	table pgx.Identifier
	cols  []column
	names []string
}

// NewSink connects to a database. name names the objects of the job for good, as
// blob.Store.ObjectName does. The table exists; its name may have a schema, with a dot. The
// caller closes the Sink.
func NewSink(ctx context.Context, dsn, table string, cols []column, name func(key string) string) (*Sink, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s := &Sink{pool: pool, name: name, table: strings.Split(table, "."), cols: cols}
	for _, c := range cols {
		s.names = append(s.names, c.name)
	}
	if _, err := pool.Exec(ctx, positions); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the connections.
func (s *Sink) Close() { s.pool.Close() }

// Open implements stream.Sink.
func (s *Sink) Open(context.Context, int) (stream.Writer, error) {
	return &writer{sink: s, moved: map[object]*position{}}, nil
}

// object is one version of an object.
type object struct{ name, version string }

// position is how far an object is in the table.
type position struct {
	committed int64 // index of the first record that the table does not have
	next      int64 // likewise, with the rows that are gathered
}

// writer gathers rows and commits them with the positions of their objects.
type writer struct {
	sink  *Sink
	rows  [][]any
	bytes int
	moved map[object]*position // with rows, and the object that is being written
	now   object
}

// mostBytes and mostRows are how much is gathered at most: a Flush comes at intervals only.
const (
	mostBytes = 8 << 20
	mostRows  = 20_000
)

// Write implements stream.Writer. Records that the table has already are dropped: the job
// delivers again what it had not saved when it was killed.
func (w *writer) Write(ctx context.Context, b *stream.Batch) error {
	p, err := w.position(ctx, object{w.sink.name(b.Object().Key), b.Object().Version})
	if err != nil {
		return err
	}
	for i := range b.Len() {
		r := b.Record(i)
		if r.Index < p.next {
			continue
		}
		values, err := row(w.sink.cols, r.Data)
		if err != nil {
			if err = b.Refuse(i, err); err != nil {
				return err
			}
		} else {
			w.rows = append(w.rows, values)
			w.bytes += len(r.Data)
		}
		p.next = r.Index + 1
	}
	if w.bytes >= mostBytes || len(w.rows) >= mostRows {
		return w.Flush(ctx)
	}
	return nil
}

// position returns how far o is.
func (w *writer) position(ctx context.Context, o object) (*position, error) {
	w.now = o
	if p := w.moved[o]; p != nil {
		return p, nil
	}
	p := &position{}
	err := w.sink.pool.QueryRow(ctx, `SELECT next FROM thaw_position WHERE target = $1 AND object = $2 AND version = $3`,
		w.sink.table.Sanitize(), o.name, o.version).Scan(&p.committed)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	p.next = p.committed
	w.moved[o] = p
	return p, nil
}

// Flush implements stream.Writer: rows and positions in one transaction.
func (w *writer) Flush(ctx context.Context) error {
	if !w.ahead() {
		return nil
	}
	err := pgx.BeginFunc(ctx, w.sink.pool, func(tx pgx.Tx) error {
		for o, p := range w.moved {
			if p.next > p.committed {
				if err := w.move(ctx, tx, o, p); err != nil {
					return err
				}
			}
		}
		_, err := tx.CopyFrom(ctx, w.sink.table, w.sink.names, pgx.CopyFromRows(w.rows))
		return err
	})
	if err != nil {
		return err
	}
	clear(w.rows)
	w.rows, w.bytes = w.rows[:0], 0
	for o, p := range w.moved {
		if p.committed = p.next; o != w.now {
			delete(w.moved, o)
		}
	}
	return nil
}

// ahead reports whether there is something to commit.
func (w *writer) ahead() bool {
	for _, p := range w.moved {
		if p.next > p.committed {
			return true
		}
	}
	return false
}

// move moves the position of an object. Where it is not what this run has seen, another run
// has written the same records: nothing is committed.
func (w *writer) move(ctx context.Context, tx pgx.Tx, o object, p *position) error {
	tag, err := tx.Exec(ctx, `INSERT INTO thaw_position AS p (target, object, version, next) VALUES ($1, $2, $3, $4)
		ON CONFLICT (target, object, version) DO UPDATE SET next = $4 WHERE p.next = $5`,
		w.sink.table.Sanitize(), o.name, o.version, p.next, p.committed)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("another run writes the records of %s", o.name)
	}
	return err
}

// Close implements stream.Writer. What was not committed is delivered again.
func (w *writer) Close() error { return nil }
