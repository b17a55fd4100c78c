package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Exit statuses.
const (
	OK     = 0 // everything that was asked for was read completely
	Failed = 1
	Usage  = 2 // the arguments make no sense
)

// Program does what the arguments say and returns the exit status.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Main runs a program and ends the process. The first Ctrl-C ends the context; a
// later one kills, after a quarter of a second: timeout signals twice at once. When
// nobody reads stdout or stderr any longer, writes fail and the process goes on, so
// that the program cleans up.
func Main(run Program) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second/4, stop) })
	os.Exit(run(ctx, os.Args[1:], output(), os.Stderr))
}
