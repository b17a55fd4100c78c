package azurestore

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"

	"github.com/thaw-go/thaw/blob/driver"
)

// archive returns the state for tier and archive status. A restore moves the object out
// of the archive: there are no copies for a time.
func archive(tier, status string) driver.ArchiveState {
	switch {
	case strings.HasPrefix(status, "rehydrate-pending-"):
		return driver.ArchiveRestoring
	case tier == string(blob.AccessTierArchive):
		return driver.ArchiveArchived
	}
	return driver.ArchiveOnline
}

// Restore requests that an archived object move to an online tier, where it stays:
// req.Days is ignored. req.Tier is the priority, "Standard" (the default, up to 15 hours)
// or "High" (less than an hour for objects below 10 GB), and after a slash the tier to
// move to, "Hot" (the default), "Cool" or "Cold": "High/Cool". Another text is
// fs.ErrInvalid. An object that is not archived stays where it is.
func (d *Driver) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	priority, tier, err := parseTier(req.Tier)
	if err != nil {
		return err
	}
	obj, err := d.Stat(ctx, key)
	if err != nil || obj.Archive != driver.ArchiveArchived {
		return err
	}
	_, err = d.container.NewBlobClient(key).SetTier(once(ctx), tier, &blob.SetTierOptions{RehydratePriority: &priority})
	if bloberror.HasCode(err, bloberror.BlobBeingRehydrated, bloberror.BlobNotArchived) {
		return nil // someone else was first
	}
	return classify(ctx, err)
}

// CheckRestore returns fs.ErrInvalid for a priority or a tier that the service does not
// have.
func (d *Driver) CheckRestore(req driver.RestoreRequest) error {
	_, _, err := parseTier(req.Tier)
	return err
}

// parseTier reads "PRIORITY/TIER", of which either may be missing.
func parseTier(s string) (blob.RehydratePriority, blob.AccessTier, error) {
	first, second, _ := strings.Cut(s, "/")
	priority, tier := blob.RehydratePriorityStandard, blob.AccessTierHot
	var known bool
	for _, p := range blob.PossibleRehydratePriorityValues() {
		if first == "" || strings.EqualFold(first, string(p)) {
			known = true
			if first != "" {
				priority = p
			}
		}
	}
	if !known {
		return "", "", fmt.Errorf("priority %q is neither Standard nor High: %w", first, fs.ErrInvalid)
	}
	if second == "" {
		return priority, tier, nil
	}
	for _, t := range []blob.AccessTier{blob.AccessTierHot, blob.AccessTierCool, blob.AccessTierCold} {
		if strings.EqualFold(second, string(t)) {
			return priority, t, nil
		}
	}
	return "", "", fmt.Errorf("tier %q is none of Hot, Cool and Cold: %w", second, fs.ErrInvalid)
}
