package checkpoint

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// Blob keeps the manifest in objects of a store. stream.BlobCheckpoint says how.
type Blob struct {
	store *blob.Store
	key   string
	check func(manifest []byte) error
	tenancy[ownedBlobs]
}

// NewBlob returns the Blob at key of store. What Load finds there is handed to check,
// and left alone if that is an error.
func NewBlob(store *blob.Store, key string, check func(manifest []byte) error) *Blob {
	return &Blob{store: store, key: key, check: check}
}

// ownedBlobs is how a manifest is kept so that one run at a time can save. Both
// methods take and give the manifest without mark.
type ownedBlobs interface {
	load(ctx context.Context) ([]byte, error)
	save(ctx context.Context, manifest []byte) error
}

// Load takes the manifest over and returns it, nil if there is none.
func (c *Blob) Load(ctx context.Context) ([]byte, error) {
	if err := c.enter(); err != nil {
		return nil, c.fail("read", err)
	}
	b := manifestBlobs{store: c.store, check: c.check, mark: newMark()}
	var owned ownedBlobs
	switch t := c.store.Traits(); {
	case t.PutAbsent && t.PutVersion:
		owned = &versionedBlob{manifestBlobs: b, key: c.key}
	case t.PutAbsent:
		owned = &numberedBlobs{manifestBlobs: b, key: c.key}
	default:
		return nil, c.fail("read", fmt.Errorf("conditional put: %w; keep the manifest in a file (FileCheckpoint) or in another store", blob.ErrUnsupported))
	}
	data, err := owned.load(ctx)
	if err != nil {
		return nil, c.fail("read", err)
	}
	c.hold(owned)
	return data, nil
}

// Save replaces the manifest.
func (c *Blob) Save(ctx context.Context, manifest []byte) error {
	owned := c.holds()
	if owned == nil {
		return c.fail("put", fs.ErrClosed)
	}
	if len(manifest) > maxManifest-markLen {
		return c.fail("put", errManifestSize(int64(len(manifest))))
	}
	if err := owned.save(ctx, manifest); err != nil {
		return c.fail("put", err)
	}
	return nil
}

// Close ends the ownership of this run. Nothing is sent.
func (c *Blob) Close() error {
	c.leave()
	return nil
}

// Keeps reports whether the object of a name is one that Load or Save writes.
func (c *Blob) Keeps(name string) bool {
	own := c.store.ObjectName(c.key)
	if t := c.store.Traits(); t.PutVersion || !t.PutAbsent {
		return name == own
	}
	number, ok := strings.CutPrefix(name, own+".")
	return ok && len(number) >= 9 && strings.Trim(number, "0123456789") == ""
}

// fail names the manifest's object, unless err names one already.
func (c *Blob) fail(op string, err error) error {
	if _, ok := errors.AsType[*blob.Error](err); ok {
		return err
	}
	return &blob.Error{Op: op, Store: c.store.Name(), Key: c.key, Err: err}
}

// String names key and store.
func (c *Blob) String() string { return fmt.Sprintf("%q in %s", c.key, c.store.Name()) }

// claimTries bounds how often Load begins again since another run was faster, and
// Save since an answer was lost.
const claimTries = 20

// manifestBlobs reads and writes objects with the mark of one run.
type manifestBlobs struct {
	store *blob.Store
	check func(manifest []byte) error
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

// mine reports whether this run wrote the object.
func (b *manifestBlobs) mine(w written) bool { return bytes.Equal(w.mark, b.mark) }

func (b *manifestBlobs) put(ctx context.Context, key string, manifest []byte, cond blob.PutOptions) (version string, err error) {
	data := make([]byte, 0, len(manifest)+markLen)
	data = append(append(data, manifest...), b.mark...)
	return b.store.Put(ctx, key, bytes.NewReader(data), int64(len(data)), &cond)
}

// putFunc is put or claim.
type putFunc func(ctx context.Context, key string, manifest []byte, cond blob.PutOptions) (version string, err error)

// claim is put for Load, tried again as a Store heals other requests: conditional
// puts it does not repeat. The object of a conflict may be this run's, written by a
// try whose answer was lost.
func (b *manifestBlobs) claim(ctx context.Context, key string, manifest []byte, cond blob.PutOptions) (version string, err error) {
	for pauses := (Pauses{}); ; {
		version, err = b.put(ctx, key, manifest, cond)
		if !errors.Is(err, blob.ErrTransient) || !pauses.Wait(ctx) {
			return version, err
		}
	}
}

// usable refuses to take over what is no manifest: a key may be mistyped.
func (b *manifestBlobs) usable(w written) error {
	if w.manifest == nil {
		return nil
	}
	return b.check(w.manifest)
}

// overtaken reports whether a read failed since another run has moved on.
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
