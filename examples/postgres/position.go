package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// positions is the table that says which records of which objects the table has. It is
// written in the transaction that writes the rows: so a record is in the table, or was
// refused, exactly if its index is below next. An object that was replaced has another
// version, and is another object.
const positions = `CREATE TABLE IF NOT EXISTS thaw_position (
	target  text NOT NULL,    -- the table
	object  text NOT NULL,
	version text NOT NULL,
	next    bigint NOT NULL,  -- index of the first record that the table does not have
	done    boolean NOT NULL, -- the object has no more records
	header  text[],           -- of CSV
	PRIMARY KEY (target, object, version)
)`

// createPositions makes the table of positions. Two runs that begin at once would both make
// it, and one fail: the lock lets one wait for the other.
func createPositions(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('thaw_position'))`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, positions)
		return err
	})
}

// object is one version of an object.
type object struct{ name, version string }

// position is how far an object is in the table.
type position struct {
	committed int64 // next in the table
	next      int64 // with the rows that are gathered
	done      bool
	header    []string
	changed   bool // the table does not say so yet
}

// load reads the position of an object; that of a new one is zero.
func load(ctx context.Context, pool *pgxpool.Pool, target string, o object) (*position, error) {
	p := &position{}
	err := pool.QueryRow(ctx, `SELECT next, done, header FROM thaw_position WHERE target = $1 AND object = $2 AND version = $3`,
		target, o.name, o.version).Scan(&p.committed, &p.done, &p.header)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	p.next = p.committed
	return p, nil
}

// save writes the positions that have changed. Where one is not what this run has loaded,
// another run has written the same records: the error rolls the transaction back. All
// runs lock positions in one order, so that none waits for one that waits for it.
func save(ctx context.Context, tx pgx.Tx, target string, all map[object]*position) error {
	order := func(a, b object) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	}
	var batch pgx.Batch
	for _, o := range slices.SortedFunc(maps.Keys(all), order) {
		p := all[o]
		if !p.changed {
			continue
		}
		batch.Queue(`INSERT INTO thaw_position AS p (target, object, version, next, done, header) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (target, object, version) DO UPDATE SET next = $4, done = $5, header = $6 WHERE p.next = $7`,
			target, o.name, o.version, p.next, p.done, p.header, p.committed).Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() == 0 {
				return fmt.Errorf("another run writes the records of %s", o.name)
			}
			return nil
		})
	}
	return tx.SendBatch(ctx, &batch).Close()
}
