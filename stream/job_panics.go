package stream

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is what [Backfill] panics with when code of the program panicked on one
// of its goroutines: a sink, a policy, a hook, a framer, a codec, a source. The job
// has ended by then and holds nothing.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// Error returns the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// Unwrap returns the value if that is an error.
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
		j.end.panic(&PanicError{Value: v, Stack: debug.Stack()})
		j.fail(fmt.Errorf("stream: panic: %v", v))
	}()
	f()
	returned = true
}

// raise panics if code of the program did.
func (j *job) raise() {
	if j.end.panicked != nil {
		panic(j.end.panicked)
	}
}

// panic keeps the first panic.
func (e *ending) panic(p *PanicError) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.panicked == nil {
		e.panicked = p
	}
}

// guarded returns the trace of the job, whose Request hook is called on goroutines of
// the store's.
func (j *job) guarded() Trace {
	t := *j.trace
	if hook := t.Request; hook != nil {
		t.Request = func(q Request) { j.guard(func() { hook(q) }) }
	}
	return t
}
