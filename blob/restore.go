package blob

import (
	"context"

	"github.com/thaw-go/thaw/blob/driver"
)

// RestoreRequest says how [Store.Restore] restores an archived object. The zero
// value asks for the service's defaults.
type RestoreRequest struct {
	// Days is how long the service keeps the readable copy. 0 means the least
	// that it offers. Services that move the object itself ignore it.
	Days int

	// Tier is the speed of the restore, as the service spells it: "Bulk" on S3,
	// "High" on Azure. Empty means the service's standard.
	Tier string
}

// Restore requests a readable copy of an archived object. It returns when the service
// has accepted the request, which may be hours before the copy exists; [Store.Stat]
// reports the state. It is no error to restore an object that is online, restored or
// being restored. The error is [ErrUnsupported] if the store has no archive tiers, and
// fs.ErrInvalid if the service knows no such tier.
func (s *Store) Restore(ctx context.Context, key string, req RestoreRequest) error {
	d, ok := s.drv.(driver.Restorer)
	if !ok {
		return s.wrap(ctx, "restore", key, 0, ErrUnsupported)
	}
	if err := s.named(key); err != nil {
		return s.wrap(ctx, "restore", key, 0, err)
	}
	_, err := try(ctx, s, "restore", key, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, d.Restore(ctx, s.prefix+key, driver.RestoreRequest(req))
	})
	return s.wrap(ctx, "restore", key, 0, err)
}

// CheckRestore returns fs.ErrInvalid if Restore would refuse req for every object,
// as for an unknown tier. It sends no request. Nil promises nothing: the driver may not
// know, and the service may still refuse.
func (s *Store) CheckRestore(req RestoreRequest) error {
	if d, ok := s.drv.(driver.RestoreChecker); ok {
		return s.wrap(context.Background(), "restore", "", 0, d.CheckRestore(driver.RestoreRequest(req)))
	}
	return nil
}
