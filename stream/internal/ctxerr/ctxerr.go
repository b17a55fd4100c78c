// Package ctxerr makes an error of a context that has ended.
package ctxerr

import (
	"context"
	"errors"
	"fmt"
)

// Of returns the error of ctx, which has ended, and its cause. The result answers
// errors.Is for both.
func Of(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
