//go:build !unix

package meter

import "time"

// CPU is 0 where the system has no getrusage.
func CPU() (user, system time.Duration) { return 0, 0 }
