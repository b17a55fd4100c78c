package s3store

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/thaw-go/thaw/blob/driver"
)

// archiveState reports whether a read can succeed. GLACIER_IR reads at once.
func archiveState(class, tier string, restoring bool, until time.Time) driver.ArchiveState {
	switch {
	case restoring:
		return driver.ArchiveRestoring
	case !until.IsZero():
		return driver.ArchiveRestored
	case tier != "",
		class == string(types.StorageClassGlacier),
		class == string(types.StorageClassDeepArchive):
		return driver.ArchiveArchived
	}
	return driver.ArchiveOnline
}

// parseRestore reads an x-amz-restore header:
//
//	ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"
func parseRestore(header string) (restoring bool, until time.Time) {
	restoring = strings.Contains(header, `ongoing-request="true"`)
	_, rest, _ := strings.Cut(header, `expiry-date="`)
	date, _, _ := strings.Cut(rest, `"`)
	until, _ = http.ParseTime(date) // zero where there is none
	return restoring, until
}

// tierOf returns the tier that a text names in any case; Standard for none. Another text
// is fs.ErrInvalid.
func tierOf(name string) (types.Tier, error) {
	if name == "" {
		return types.TierStandard, nil
	}
	for _, tier := range types.Tier("").Values() {
		if strings.EqualFold(name, string(tier)) {
			return tier, nil
		}
	}
	return "", fmt.Errorf("tier %q is none of Standard, Bulk and Expedited: %w", name, fs.ErrInvalid)
}

// CheckRestore returns fs.ErrInvalid for a tier that S3 does not have.
func (d *Driver) CheckRestore(req driver.RestoreRequest) error {
	_, err := tierOf(req.Tier)
	return err
}

// Restore requests a readable copy, after a first request that looks whether the object
// needs one. It sets a new end if there is a copy already. INTELLIGENT_TIERING ignores
// Days. Tier is "Standard" (the default), "Bulk" or "Expedited", in any case.
func (d *Driver) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	tier, err := tierOf(req.Tier)
	if err != nil {
		return err
	}
	obj, err := d.head(ctx, key, "")
	if err != nil {
		return err
	}
	if obj.Archive == driver.ArchiveOnline || obj.Archive == driver.ArchiveRestoring {
		return nil
	}
	ask := &types.RestoreRequest{}
	ask.GlacierJobParameters = &types.GlacierJobParameters{Tier: tier}
	if obj.StorageClass != string(types.StorageClassIntelligentTiering) {
		days := int32(max(1, req.Days))
		ask.Days = &days
	}
	_, err = d.client.RestoreObject(ctx, &s3.RestoreObjectInput{Bucket: &d.bucket, Key: &key, RestoreRequest: ask}, d.each...)
	if code, _ := answer(err); code == "RestoreAlreadyInProgress" {
		return nil
	}
	return d.classify(ctx, err)
}
