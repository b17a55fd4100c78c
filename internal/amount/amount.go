// Package amount writes numbers of bytes for people. Data and rates are in powers
// of 1000, as storage services and links count; memory, windows and limits in
// powers of 1024, as the options that set them are written.
package amount

import "fmt"

// Data returns n bytes of stored or decoded data, or n bytes a second: 66.3 MB.
func Data(n int64) string {
	return scaled(n, 1000, "B", "kB", "MB", "GB", "TB", "PB", "EB")
}

// Memory returns n bytes of memory: 512 MiB.
func Memory(n int64) string {
	return scaled(n, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
}

// scaled divides n by the base until it has at most four digits. One decimal is
// shown, if it is not 0 or the unit is of data.
func scaled(n, base int64, units ...string) string {
	if n < base {
		return fmt.Sprintf("%d %s", n, units[0])
	}
	f, i := float64(n)/float64(base), 1
	for ; f >= float64(base)-0.05 && i < len(units)-1; i++ {
		f /= float64(base)
	}
	if base == 1024 && f == float64(int64(f)) {
		return fmt.Sprintf("%.0f %s", f, units[i])
	}
	if base == 1000 && i >= 3 {
		return fmt.Sprintf("%.2f %s", f, units[i])
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}
