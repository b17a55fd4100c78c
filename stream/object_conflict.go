package stream

import (
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/codec"
)

// compareNames looks for evidence against the codec of an index, where no head of the
// object was read.
func (o *decodedReader) compareNames() error {
	d, err := o.config.Codecs.Detect(nil, false, codec.Hints{
		Codec: o.detection.Codec, Key: o.object.info.Key, ContentEncoding: o.object.info.ContentEncoding,
	})
	if err != nil {
		return err
	}
	o.detection.Conflicts = d.Conflicts
	return o.conflict()
}

// conflict is the error of an object whose evidence disagrees, by the policy for that.
func (o *decodedReader) conflict() error {
	if len(o.detection.Conflicts) == 0 || o.config.OnConflict != FailOnConflict {
		return nil
	}
	return fmt.Errorf("%w: %s by %s, but %s", codec.ErrCorrupt, o.detection.Codec,
		o.detection.Evidence, strings.Join(o.detection.Conflicts, ", "))
}
