package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShard reads the I/N of a -shard: part i of n. n is 0 for no text.
func ParseShard(text string) (i, n int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	left, right, ok := strings.Cut(text, "/")
	i, ierr := strconv.Atoi(left)
	n, nerr := strconv.Atoi(right)
	if !ok || ierr != nil || nerr != nil || i < 0 || i >= n {
		return 0, 0, fmt.Errorf("-shard is I/N with I from 0 to N - 1, not %q", text)
	}
	return i, n, nil
}
