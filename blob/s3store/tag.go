package s3store

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/thaw-go/thaw/blob/driver"
)

// Tag adds tags to one object by three requests: the first looks for the version, for
// which the others have no condition, the second reads the tags, and the third replaces
// them by all. The service has a bound of ten tags an object.
func (d *Driver) Tag(ctx context.Context, key, version string, tags map[string]string) error {
	if _, err := d.head(ctx, key, version); err != nil {
		return err
	}
	all, err := d.Tags(ctx, key)
	if err != nil {
		return err
	}
	maps.Copy(all, tags)
	set := &types.Tagging{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		set.TagSet = append(set.TagSet, types.Tag{Key: aws.String(name), Value: aws.String(all[name])})
	}
	_, err = d.client.PutObjectTagging(ctx, &s3.PutObjectTaggingInput{Bucket: &d.bucket, Key: &key, Tagging: set}, d.each...)
	return d.classify(ctx, err)
}

// Tags returns the tags of one object.
func (d *Driver) Tags(ctx context.Context, key string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out, err := d.client.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &d.bucket, Key: &key}, d.each...)
	all := map[string]string{}
	if err != nil {
		if code, _ := answer(err); code == "NoSuchTagSet" { // of some services, for an object without tags
			return all, nil
		}
		return nil, d.classify(ctx, err)
	}
	for _, t := range out.TagSet {
		all[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return all, nil
}

var _ driver.Tagger = (*Driver)(nil)
