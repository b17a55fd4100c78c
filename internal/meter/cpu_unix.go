//go:build unix

package meter

import (
	"syscall"
	"time"
)

// CPU is the processor time of this process so far, in user and system mode.
func CPU() (user, system time.Duration) {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}
