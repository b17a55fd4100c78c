package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
)

// versionedBlob keeps the manifest in one object. Every write names the version
// that it replaces, so a run is the owner as long as it knows the current one:
//
//	older run   Load v1 → v2      Save v2 → v3                      Save v3: conflict
//	newer run                                    Load v3 → v4
type versionedBlob struct {
	manifestBlobs
	key     string
	version string // written last by this run
}

func (v *versionedBlob) load(ctx context.Context) ([]byte, error) {
	for range claimTries {
		old, err := v.read(ctx, v.key)
		cond := blob.PutOptions{IfVersion: old.version}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			cond = blob.PutOptions{IfAbsent: true}
		case errors.Is(err, blob.ErrChanged):
			continue
		case err != nil:
			return nil, err
		case v.mine(old): // the answer to the claim was lost
			v.version = old.version
			return old.manifest, nil
		case old.version == "":
			return nil, fmt.Errorf("the object has no version: %w", blob.ErrUnsupported)
		}
		if err := v.usable(old); err != nil {
			return nil, err
		}
		version, err := v.claim(ctx, v.key, old.manifest, cond)
		if err == nil && version == "" {
			err = fmt.Errorf("the store gave no version: %w", blob.ErrUnsupported)
		}
		if err == nil {
			v.version = version
			return old.manifest, nil
		}
		if !isConflict(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: other runs kept taking it over", ErrOwner)
}

func (v *versionedBlob) save(ctx context.Context, manifest []byte) error {
	var err error
	for range claimTries {
		var version string
		version, err = v.put(ctx, v.key, manifest, blob.PutOptions{IfVersion: v.version})
		if err == nil {
			v.version = version
			return nil
		}
		if !isConflict(err) {
			return err
		}
		now, readErr := v.read(ctx, v.key)
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			return fmt.Errorf("%w: the object was deleted", ErrOwner)
		case errors.Is(readErr, blob.ErrChanged):
			continue
		case readErr != nil:
			return readErr
		case !v.mine(now):
			return ErrOwner
		}
		v.version = now.version
		if bytes.Equal(now.manifest, manifest) {
			return nil
		}
	}
	return err
}

// isConflict reports whether a condition did not hold. Services answer a version
// condition on an object that is gone as one that is missing.
func isConflict(err error) bool {
	return errors.Is(err, blob.ErrConflict) || errors.Is(err, fs.ErrNotExist)
}
