package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"sync"

	"github.com/thaw-go/thaw/blob"
)

// Record is one record of one object.
type Record struct {
	// Data is the record without what frames it. It is valid until the next
	// step of the iteration or until Write returns, unless its Batch is
	// retained. It must not be changed.
	Data []byte

	Index  int64 // from 0 within the object; skipped records count
	Offset int64 // decoded offset at which its raw bytes begin

	object *object
}

// Object describes the object that holds the record.
func (r Record) Object() blob.Object { return r.object.info }

// ID identifies the record for good: the same object ([blob.Store.ObjectName]), version
// and index give the same id in every run, through whatever source, and other ones
// another id. The endpoint of a service is no part of it: two buckets of one name
// at two services have the same ids where keys and versions are the same. It
// allocates.
func (r Record) ID() string {
	return r.object.id() + "-" + strconv.FormatInt(r.Index, 10)
}

// object is what batches and records share about their object.
type object struct {
	source string
	store  *blob.Store
	info   blob.Object
	once   sync.Once
	hash   string
}

// id is 128 bits of a hash over the object's name and version.
func (o *object) id() string {
	o.once.Do(func() {
		h := sha256.New()
		for _, s := range []string{o.store.ObjectName(o.info.Key), o.info.Version} {
			io.WriteString(h, strconv.Itoa(len(s)))
			io.WriteString(h, ":")
			io.WriteString(h, s)
		}
		o.hash = hex.EncodeToString(h.Sum(nil)[:16])
	})
	return o.hash
}
