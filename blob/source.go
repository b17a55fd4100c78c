package blob

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"slices"
)

// Source is a named sequence of objects in a stable order, which can start
// again after a [Mark]. Listings, shards and explicit keys are Sources; any
// function of the right form makes one.
type Source struct {
	// Store holds the objects.
	Store *Store

	// Name identifies the source in manifests: it is what makes a job. A manifest
	// is refused for a source of another name, so a name tells everything that
	// decides which objects there are, and in which order: the store as it is
	// reached, the prefix or glob, the shard, the version of a list. Where one
	// name stands for other objects, a job that goes on leaves objects out.
	// Record ids do not depend on it, but on [Store.ObjectName]. It holds no
	// credentials.
	Name string

	// Named says that the source names its objects one by one, as [Keys] does,
	// and does not list whatever is there: each is then data, also one whose key
	// is that of a folder marker or of an index.
	Named bool

	// Objects yields the objects that follow after, in the source's order. The
	// zero Mark means from the start. An object's Size is -1 and its Version
	// empty where the source does not know them. An error is the last pair.
	Objects func(ctx context.Context, after Mark) iter.Seq2[Object, error]
}

// Mark is a position in a Source: just behind one object.
type Mark struct {
	// Ordinal is how many objects come before the position; -1 means unknown,
	// and the source finds its place by Key alone.
	Ordinal int64

	// Key is that of the last object before the position; empty at the start.
	Key string
}

// Keys is a Source of the named objects, in the order given. Their sizes and
// versions are looked up when each is opened. A key that is given twice is read
// twice.
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

// keysName names a list of keys by the store and, beyond one, a hash of them.
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

// Shard is part i of n of src, chosen by a hash of the key: the n parts are
// disjoint and together they are src. It panics unless 0 <= i < n.
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
						err = ctx.Err() // most are passed over
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

// shardOf spreads keys over n shards: FNV-1a with a final mix, since the low
// bits of FNV alone follow the last byte of the key.
func shardOf(key string, n int) int {
	h := fnv.New64a()
	io.WriteString(h, key)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int(x % uint64(n))
}
