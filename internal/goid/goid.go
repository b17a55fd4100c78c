// Package goid identifies goroutines. The runtime has no function for that, since
// programs would hang state on it. Here it serves one check alone: a call that is
// about to wait for its own goroutine fails instead. Nothing else depends on it.
package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// ID is the number of the calling goroutine, as tracebacks print it. 0 means that it
// is not known.
func ID() uint64 {
	var buf [64]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(b, []byte(" "))
	id, _ := strconv.ParseUint(string(number), 10, 64)
	return id
}
