package codec_test

import (
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// Members that only decoding finds are called what the codec calls them.
func TestInspectNamesMembers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		codec, want string
		stored      []byte
	}{
		{"bzip2", "stream", join(encodeBzip2([]byte(text)), encodeBzip2([]byte(text)))},
		{"gzip", "member", join(gz([]byte(text)), gz([]byte(text)))},
		{"lz4-hadoop", "block", join(lz4HadoopBlock(t, []byte(text)), lz4HadoopBlock(t, []byte(text)))},
	} {
		info, err := inspect(tc.codec, tc.stored, codec.InspectOptions{Decode: true})
		if err != nil || info.Members.Count != 2 || info.Members.First[1].Kind != tc.want || !slices.Contains(info.Variants, "multi-"+tc.want) {
			t.Errorf("%s: got members %+v, variants %q, %v; want two of kind %s", tc.codec, info.Members, info.Variants, err, tc.want)
		}
	}
}
