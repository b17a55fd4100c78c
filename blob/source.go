package blob

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"slices"
)

// Source is a named sequence of objects in a stable order, which can resume after a
// [Mark]. [Store.List], [Shard] and [Keys] return Sources; a program may make its own.
// It is safe for concurrent use if Objects is.
type Source struct {
	// Store holds the objects. Who opened it closes it, after the Source was
	// used.
	Store *Store

	// Name identifies the source in manifests, and so the job: a manifest is
	// refused for a source of another name. It must state everything that
	// decides which objects there are and in which order: the store as it is
	// reached, the prefix or glob, the shard, the version of a list. If one name
	// stands for other objects, a resumed job leaves objects out. Record ids
	// depend on [Store.ObjectName] instead. Name must hold no credentials.
	Name string

	// Named reports that the source names its objects one by one, as [Keys] does,
	// and does not list whatever is there. Each of them is then data, also one
	// whose key is that of a folder marker or of an index.
	Named bool

	// Objects yields the objects after a mark, in the source's order. The zero
	// Mark means from the start. Size is -1 and Version empty where the source
	// does not know them. An error ends the sequence: it is the last pair, with a
	// zero Object. If ctx ends, that is its error. Objects may be called several
	// times, for one loop each.
	Objects func(ctx context.Context, after Mark) iter.Seq2[Object, error]
}

// Mark is a position in a Source: just after one object. The zero Mark is the start. A
// Source may use either field: a listing the Key, a list of keys the Ordinal.
type Mark struct {
	// Ordinal is the number of objects before the position: 0 only at the start. -1
	// means unknown: the source finds the position by Key.
	Ordinal int64

	// Key is the key of the last object before the position. It is empty only at the
	// start.
	Key string
}

// Keys returns a Source of the named objects, in the order of keys. It does not look
// them up: Size is -1 and Version empty, and an object that does not exist is an error
// of its read. A key that occurs twice is read twice. keys must not be changed
// afterwards.
func Keys(s *Store, keys ...string) Source {
	return Source{
		Store: s,
		Name:  keysName(s.Name(), keys),
		Named: true,
		Objects: func(ctx context.Context, after Mark) iter.Seq2[Object, error] {
			return func(yield func(Object, error) bool) {
				start := after.Ordinal
				if start < 0 {
					start = int64(slices.Index(keys, after.Key) + 1)
				}
				for i := start; i < int64(len(keys)); i++ {
					if err := ctx.Err(); err != nil {
						yield(Object{}, err)
						return
					}
					if !yield(Object{Key: keys[i], Size: -1}, nil) {
						return
					}
				}
			}
		},
	}
}

// keysName returns the name of a list of keys: the store and the one key, or a hash of
// all.
func keysName(store string, keys []string) string {
	if len(keys) == 1 {
		return store + " " + keys[0]
	}
	h := fnv.New64a()
	for _, k := range keys {
		fmt.Fprintf(h, "%d:%s", len(k), k)
	}
	return fmt.Sprintf("%s %d keys %016x", store, len(keys), h.Sum64())
}

// Shard returns part i of n of src. A hash of the key chooses the part. The n parts are
// disjoint and cover src; objects that are added later keep that true. Each shard lists all
// of src. It panics unless 0 <= i < n.
func Shard(src Source, i, n int) Source {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("blob: shard %d of %d", i, n))
	}
	return Source{
		Store: src.Store,
		Name:  fmt.Sprintf("%s shard %d/%d", src.Name, i, n),
		Named: src.Named,
		Objects: func(ctx context.Context, after Mark) iter.Seq2[Object, error] {
			if after.Key != "" {
				after.Ordinal = -1 // a shard's ordinals are not those of src
			}
			return func(yield func(Object, error) bool) {
				for obj, err := range src.Objects(ctx, after) {
					if err == nil {
						err = ctx.Err() // most are skipped
					}
					if err == nil && shardOf(obj.Key, n) != i {
						continue
					}
					if !yield(obj, err) {
						return
					}
				}
			}
		},
	}
}

// shardOf returns the shard of a key: FNV-1a with a final mix, since the low bits of FNV
// alone follow the last byte of the key.
func shardOf(key string, n int) int {
	h := fnv.New64a()
	io.WriteString(h, key)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int(x % uint64(n))
}
