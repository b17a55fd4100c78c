package stream

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/thaw-go/thaw/blob"
)

// BlobCheckpoint keeps the manifest in an object of store. The newer run takes
// over: Load writes the manifest anew, under a condition, so that the next Save
// of the older run is [ErrOwner]. The store is not closed.
//
// Where the store's Put honours absence and versions, the manifest is the object
// at key. Where it honours absence only, each save is an object of its own, key +
// ".000000001" and on, of which the last two are kept if the store can delete; key
// + ".000000000" then says that older ones were. Where it honours neither, Load is
// blob.ErrUnsupported. The store's Traits tell.
//
// The last line of an object is the mark of the run that wrote it, made of spaces
// and tabs, so that the object stays JSON. By it a run knows a write of its own
// whose answer was lost, and no two runs write the same bytes, which some
// services would give the same version.
//
// Load leaves an object alone that holds no manifest, and fails. After a failure
// other than ErrOwner, Save may be called again. The Checkpoint may serve one job
// after another. Two at a time are ErrOwner for the second.
func BlobCheckpoint(store *blob.Store, key string) Checkpoint {
	return &blobCheckpoint{store: store, key: key}
}

type blobCheckpoint struct {
	store *blob.Store
	key   string

	mu    sync.Mutex
	jobs  int        // between Load and Close
	owned ownedBlobs // nil when not owned
}

// ownedBlobs is how a manifest is kept so that one run at a time can save. Both
// methods take and give the manifest without mark.
type ownedBlobs interface {
	load(ctx context.Context) ([]byte, error)
	save(ctx context.Context, manifest []byte) error
}

func (c *blobCheckpoint) Load(ctx context.Context) ([]byte, error) {
	c.mu.Lock()
	c.jobs++
	busy := c.jobs > 1
	c.mu.Unlock()
	if busy {
		return nil, c.fail(fmt.Errorf("%w: another job of this process uses the same Checkpoint", ErrOwner))
	}
	b := manifestBlobs{store: c.store, mark: newMark()}
	var owned ownedBlobs
	switch t := c.store.Traits(); {
	case t.PutAbsent && t.PutVersion:
		owned = &versionedBlob{manifestBlobs: b, key: c.key}
	case t.PutAbsent:
		owned = &numberedBlobs{manifestBlobs: b, key: c.key}
	default:
		return nil, c.fail(fmt.Errorf("conditional put: %w; keep the manifest in a file (FileCheckpoint) or in another store", blob.ErrUnsupported))
	}
	data, err := owned.load(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	c.mu.Lock()
	c.owned = owned
	c.mu.Unlock()
	return data, nil
}

func (c *blobCheckpoint) Save(ctx context.Context, manifest []byte) error {
	c.mu.Lock()
	owned := c.owned
	c.mu.Unlock()
	if owned == nil {
		return c.fail(fs.ErrClosed)
	}
	if len(manifest) > maxManifest-markLen {
		return c.fail(errManifestSize(int64(len(manifest))))
	}
	if err := owned.save(ctx, manifest); err != nil {
		return c.fail(err)
	}
	return nil
}

func (c *blobCheckpoint) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs--; c.jobs <= 0 {
		c.jobs, c.owned = 0, nil
	}
	return nil
}

// fail names the manifest, which errors of the store do by themselves.
func (c *blobCheckpoint) fail(err error) error {
	if _, ok := errors.AsType[*blob.Error](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", c, err)
}

// String names key and store.
func (c *blobCheckpoint) String() string { return fmt.Sprintf("%q in %s", c.key, c.store.Name()) }

// claimTries bounds how often Load begins anew since another run was faster, and
// Save since an answer was lost.
const claimTries = 20

// manifestBlobs reads and writes objects with the mark of one run.
type manifestBlobs struct {
	store *blob.Store
	mark  []byte
}

// written is an object as it is stored.
type written struct {
	manifest []byte // nil for a claim of a run that has not saved yet
	mark     []byte // nil if a BlobCheckpoint did not write it
	version  string
}

func (b *manifestBlobs) read(ctx context.Context, key string) (written, error) {
	r, err := b.store.NewReader(ctx, key, nil)
	if err != nil {
		return written{}, err
	}
	defer r.Close()
	data, err := readManifest(r)
	if err != nil {
		return written{}, err
	}
	w := written{version: r.Object().Version}
	w.manifest, w.mark = splitMark(data)
	return w, nil
}

// mine tells whether this run wrote the object.
func (b *manifestBlobs) mine(w written) bool { return bytes.Equal(w.mark, b.mark) }

func (b *manifestBlobs) put(ctx context.Context, key string, manifest []byte, cond blob.PutOptions) (version string, err error) {
	data := make([]byte, 0, len(manifest)+markLen)
	data = append(append(data, manifest...), b.mark...)
	return b.store.Put(ctx, key, bytes.NewReader(data), int64(len(data)), &cond)
}

// check refuses to take over what is no manifest: a key may be mistyped.
func (w written) check() error {
	if w.manifest == nil {
		return nil
	}
	_, err := ParseManifest(w.manifest)
	return err
}

// overtaken tells whether a read failed since another run has moved on.
func overtaken(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrChanged)
}

// markLen is the length of a mark: 64 bits and a line end.
const markLen = 64 + 1

// newMark makes the mark of a run: a random number, 1 as a tab, 0 as a space.
func newMark() []byte {
	var b [8]byte
	rand.Read(b[:])
	bits := binary.BigEndian.Uint64(b[:])
	mark := make([]byte, 0, markLen)
	for i := 63; i >= 0; i-- {
		mark = append(mark, " \t"[bits>>i&1])
	}
	return append(mark, '\n')
}

// splitMark cuts the mark off an object.
func splitMark(data []byte) (manifest, mark []byte) {
	at := len(data) - markLen
	if at < 0 || data[len(data)-1] != '\n' || len(bytes.Trim(data[at:len(data)-1], " \t")) > 0 {
		return data, nil
	}
	if at == 0 {
		return nil, data
	}
	return data[:at], data[at:]
}
