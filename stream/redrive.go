package stream

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/thaw-go/thaw/blob"
)

// Redrive delivers to sink what the entries of a quarantine say was not delivered: the
// record of an entry of a record, and of an entry of an object its records from NextRecord
// on and those of Records. It reads them from the objects of store, in the version that
// the entry names, whose records keep their indices and their [Record.ID]. Entries may
// repeat and overlap: each record is delivered once. Read the objects with the framer and
// the codec with which they were read before.
//
// A Redrive is a Backfill of these objects: it has lanes, policies, a Checkpoint and a
// Report. It decodes the other records and passes over them. An object of which single
// records alone are delivered is read up to the last of them: [Batch.EndsObject] says
// then that no selected record follows, and the object is done. Any other is read to its
// proven end. What fails again goes to the policies again, so that another Quarantine
// holds what is still to be delivered. An [ObjectWriter] receives the selected records as
// if they were all of the object, and replaces what a Backfill wrote to the same place.
//
// An object of another version fails with [ClassChanged], a record that begins at another
// decoded offset than its entry says likewise, and an object that has fewer records
// than its entries name fails with [ClassMissing]. An entry without a version is of the
// current one.
//
// Redrive reads all entries before it begins, and keeps 16 bytes for each record and some
// hundred for each object. An error of entries ends it. The entries are part of the
// job's identity: a manifest is refused with [ErrOtherJob] for others. Options.After is
// fs.ErrInvalid. store stays the caller's to close.
func Redrive(ctx context.Context, store *blob.Store, entries iter.Seq2[QuarantineEntry, error], sink Sink, opts *Options) (*Report, error) {
	src, chosen, err := redriveSource(store, entries)
	j := newJob(src, sink, opts)
	j.chosen, j.unready = chosen, err
	return j.result(ctx)
}

// redriveSource returns a source of the objects that entries name, in the order of their
// keys and versions, and what to deliver of each.
func redriveSource(store *blob.Store, entries iter.Seq2[QuarantineEntry, error]) (blob.Source, selections, error) {
	type version struct{ key, version string }
	found := map[version]*selection{}
	if entries != nil {
		for q, err := range entries {
			if err != nil {
				return blob.Source{}, selections{}, err
			}
			v := version{q.Key, q.Version}
			if found[v] == nil {
				found[v] = &selection{from: none}
			}
			found[v].add(&q)
		}
	}
	var objects []blob.Object
	for v := range found {
		objects = append(objects, blob.Object{Key: v.key, Version: v.version, Size: -1})
	}
	slices.SortFunc(objects, func(a, b blob.Object) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Version, b.Version))
	})
	chosen := make(selections, 0, len(objects))
	for _, o := range objects {
		s := found[version{o.Key, o.Version}]
		s.order()
		chosen = append(chosen, s)
	}
	src := blob.Source{Store: store, Named: true, Objects: func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
		return func(yield func(blob.Object, error) bool) {
			for _, o := range objects[min(after.Ordinal, int64(len(objects))):] {
				if err := ctx.Err(); err != nil {
					yield(blob.Object{}, err)
					return
				}
				if !yield(o, nil) {
					return
				}
			}
		}
	}}
	if store != nil {
		src.Name = fmt.Sprintf("%s redrive of %d objects %016x", store.Name(), len(objects), hashOf(objects, chosen))
	}
	return src, chosen, nil
}

// hashOf is a hash of what is to be delivered.
func hashOf(objects []blob.Object, chosen selections) uint64 {
	h := fnv.New64a()
	for i, o := range objects {
		for _, s := range []string{o.Key, o.Version} {
			io.WriteString(h, strconv.Itoa(len(s))+":"+s)
		}
		s := chosen[i]
		binary.Write(h, binary.LittleEndian, []int64{s.from, int64(len(s.records))})
		for _, r := range s.records {
			binary.Write(h, binary.LittleEndian, r.index)
		}
	}
	return h.Sum64()
}
