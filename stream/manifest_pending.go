package stream

import (
	"encoding/json"
	"fmt"

	"github.com/thaw-go/thaw/blob"
)

// PendingObject is an object that is done, and not known to be acted upon.
type PendingObject struct {
	Ordinal int64  `json:"ordinal"` // of the object in the source
	Key     string `json:"key"`
	Size    int64  `json:"size_bytes"`
	Version string `json:"version"`

	// Unknown are the fields that this version does not know, by name. A job saves
	// them again.
	Unknown map[string]json.RawMessage `json:"-"`
}

// object is the object that the job acts upon.
func (p *PendingObject) object() blob.Object {
	return blob.Object{Key: p.Key, Size: p.Size, Version: p.Version}
}

// check looks at every number of a pending object that follows ordinal last in a
// manifest of so many objects.
func (p *PendingObject) check(last, objects int64) error {
	if p.Ordinal <= last || p.Ordinal > objects || p.Size < 0 || p.Size > maxOffset || p.Version == "" {
		return fmt.Errorf("pending object %q: ordinal %d of %d, after %d, size %d, version %q", p.Key, p.Ordinal, objects, last, p.Size, p.Version)
	}
	return nil
}
