package httpstore

import (
	"context"
	"fmt"
	"net/http"

	"github.com/thaw-go/thaw/blob/driver"
)

// SameVersion compares the version of a response with the one that was requested; an
// empty want takes any. The error is driver.ErrChanged for another version, and
// driver.ErrUnsupported if the response states none.
func SameVersion(want, got string) error {
	switch {
	case want == "" || got == want:
		return nil
	case got == "":
		return fmt.Errorf("response states no version: %w", driver.ErrUnsupported)
	}
	return fmt.Errorf("version is %q: %w", got, driver.ErrChanged)
}

// Refused answers a range from offset on that the service has refused, by what a look-up
// says about the object. Services refuse a range that begins at the end of the object or
// after it, the start of an empty object included: the answer is an empty body. Another
// range is worth another request.
func Refused(ctx context.Context, obj driver.Object, offset int64, want string) (driver.Range, error) {
	if err := SameVersion(want, obj.Version); err != nil {
		return driver.Range{}, err
	}
	if offset < obj.Size {
		return driver.Range{}, fmt.Errorf("range refused at byte %d of %d: %w", offset, obj.Size, driver.ErrTransient)
	}
	return driver.Range{Body: NewBody(ctx, http.NoBody, 0, nil), Offset: offset, Object: obj}, nil
}
