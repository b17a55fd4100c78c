package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
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

// Main runs a program and ends the process. The first Ctrl-C or SIGTERM ends the
// context, or asks a program that has called [Graceful] to drain; then the second ends
// the context. The next one kills. Signals within a quarter of a second are one: timeout
// sends two at once. When nobody reads stdout or stderr any longer, writes fail and the
// process goes on, so that the program cleans up.
func Main(run Program) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	a := &asked{drain: make(chan struct{})}
	go func() {
		<-signals
		if a.graceful.Load() {
			close(a.drain)
			nextSignal(signals)
		}
		end()
		nextSignal(signals)
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		os.Exit(Failed)
	}()
	os.Exit(run(context.WithValue(ctx, askedKey{}, a), os.Args[1:], output(), os.Stderr))
}

// nextSignal waits for a signal that is no repetition of the one before.
func nextSignal(signals <-chan os.Signal) {
	for began := time.Now(); ; {
		if <-signals; time.Since(began) >= time.Second/4 {
			return
		}
	}
}

// asked is what signals ask of a program.
type asked struct {
	graceful atomic.Bool
	drain    chan struct{}
}

type askedKey struct{}

// Graceful returns a channel that the first signal closes, for stream.Options.Drain. ctx
// is that of the program, and ends with the second signal from now on. Nil if the program
// was not started by Main.
func Graceful(ctx context.Context) <-chan struct{} {
	a, ok := ctx.Value(askedKey{}).(*asked)
	if !ok {
		return nil
	}
	a.graceful.Store(true)
	return a.drain
}
