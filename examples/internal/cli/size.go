package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a flag of so many bytes, such as 512MiB. Bare letters are powers of
// 1024, as KiB are; kB and MB are powers of 1000.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40},
	{"B", 1}, {"", 1},
}

// Set implements flag.Value.
func (s *Size) Set(text string) error {
	for _, u := range units {
		number, ok := cutSuffixFold(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		bytes := n * float64(u.bytes)
		if err != nil || !(bytes >= 1) || bytes > math.MaxInt64/2 {
			break
		}
		*s = Size(bytes)
		return nil
	}
	return fmt.Errorf("%q is no size: write 64MiB, 1GB or a number of bytes", text)
}

func cutSuffixFold(s, suffix string) (string, bool) {
	i := len(s) - len(suffix)
	if i < 0 || !strings.EqualFold(s[i:], suffix) {
		return s, false
	}
	return s[:i], true
}

// String is the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range []int{3, 2, 1, 0} {
		if n := int64(s) / units[u].bytes; n > 0 && int64(s)%units[u].bytes == 0 {
			return strconv.FormatInt(n, 10) + units[u].name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
