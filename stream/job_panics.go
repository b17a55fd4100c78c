package stream

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is what [Backfill] panics with when code of the program panicked on one
// of its goroutines: a sink, a policy, a hook, a framer, a codec, a source. The job
// has ended by then, and holds nothing any more.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// Error gives the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// Unwrap gives the value where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errGoexit ends a job whose goroutine was ended by runtime.Goexit, as t.Fatal does.
var errGoexit = errors.New("stream: runtime.Goexit was called")

// guard runs f on a goroutine of the job, or a hook on any. Whatever way f takes to
// leave, the job ends: Backfill raises a panic again, and runtime.Goexit is an error.
func (j *job) guard(f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			j.fail(errGoexit)
			return
		}
		j.mu.Lock()
		if j.panicked == nil {
			j.panicked = &PanicError{Value: v, Stack: debug.Stack()}
		}
		j.mu.Unlock()
		j.fail(fmt.Errorf("stream: panic: %v", v))
	}()
	f()
	returned = true
}

// raise panics if code of the program did.
func (j *job) raise() {
	if j.panicked != nil {
		panic(j.panicked)
	}
}

// alone runs f while it has the token.
func alone(token chan struct{}, f func()) {
	token <- struct{}{}
	defer func() { <-token }()
	f()
}
