//go:build cgo && unix

package cli

// The Go runtime opens the null device in place of a standard descriptor that is
// closed before any Go code runs. Only a constructor of C runs earlier.

// #include <fcntl.h>
//
// static int closed[3];
//
// __attribute__((constructor)) static void see(void) {
// 	for (int fd = 0; fd < 3; fd++)
// 		closed[fd] = fcntl(fd, F_GETFD) == -1;
// }
//
// static int started_closed(int fd) { return closed[fd]; }
import "C"

// startedClosed reports whether a standard descriptor was closed when the process
// started.
func startedClosed(fd int) bool { return C.started_closed(C.int(fd)) != 0 }
