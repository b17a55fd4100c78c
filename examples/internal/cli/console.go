package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// Console writes notes, errors and a progress line to stderr. Each message is one
// Write, so that several goroutines may use it.
type Console struct {
	Name     string // of the program, in front of errors and notes
	w        io.Writer
	terminal bool
	width    func() int // columns of the terminal; nil: defaultWidth
	quiet    bool
	still    bool
	plain    bool
	memory   int64 // of all buffers; 0: not known

	selection Selection
	place     Place // what is read now
	wait      waiting
	speed     speed
	lines     bool          // progress is noted where there is no line for it
	noted     time.Duration // of a job, when it was
	own       []os.FileInfo // files that the program writes
	atEnd     []func()
}

// NewConsole writes to w. A progress line appears on a terminal only; quiet
// leaves out all but errors.
func NewConsole(name string, w io.Writer, quiet bool) *Console {
	c := &Console{Name: name, w: w, terminal: IsTerminal(w), quiet: quiet}
	if f, ok := w.(*os.File); ok && c.terminal {
		c.width = func() int { return terminalWidth(f) }
	}
	return c
}

// IsTerminal reports whether someone watches what is written to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too
	return err != nil || !os.SameFile(info, null)
}

// defaultWidth is that of a terminal that does not say.
const defaultWidth = 80

// eraseLine takes a progress line away.
const eraseLine = "\r\x1b[K"

func (c *Console) write(text string) {
	if c.terminal {
		text = eraseLine + text
	}
	io.WriteString(c.w, text)
}

// Still leaves the progress line out: something else is written to the terminal.
func (c *Console) Still() { c.still = true }

// Plain leaves hints out: they name flags that the program does not have.
func (c *Console) Plain() *Console {
	c.plain = true
	return c
}

// Note writes one line, unless quiet.
func (c *Console) Note(format string, args ...any) {
	if !c.quiet {
		c.write(c.Name + ": " + fmt.Sprintf(format, args...) + "\n")
	}
}

// Progress shows text in the place of what it showed before, with the fault that is
// being healed, if there is one.
func (c *Console) Progress(text string) {
	if !c.live() {
		return
	}
	now := time.Now()
	c.wait.mu.Lock()
	c.wait.shown = now
	if text != "" && c.wait.troubled(now) {
		text += " · " + c.wait.text(c, now)
	}
	c.wait.mu.Unlock()
	c.write(c.fit(text))
}

// fit cuts a progress line to the terminal: one that wraps cannot be erased.
func (c *Console) fit(text string) string {
	width := defaultWidth
	if c.width != nil {
		width = c.width()
	}
	if r := []rune(text); len(r) >= width {
		return string(r[:max(width-2, 0)]) + "…"
	}
	return text
}

// live reports whether there is a progress line.
func (c *Console) live() bool { return c.terminal && !c.quiet && !c.still }

// Done takes the progress line away.
func (c *Console) Done() { c.Progress("") }

// end takes the progress line and temporary files away.
func (c *Console) end() {
	c.Done()
	for _, do := range c.atEnd {
		do()
	}
	c.atEnd = nil
}

// Object is the object of a key as the user would write it.
func (c *Console) Object(key string) string { return c.place.Name(key) }

// Full is the same, never quoted.
func (c *Console) Full(key string) string { return c.place.Full(key) }

// Line is an error as Fail writes it.
func (c *Console) Line(err error) string { return c.place.Explain(err) }

// Fail writes an error with a hint and returns the exit status. That the reader of
// the output went away, as head does, is not worth a word.
func (c *Console) Fail(err error) int {
	var file *fs.PathError // unlike that of a connection
	if errors.As(err, &file) && errors.Is(file, syscall.EPIPE) {
		return Failed
	}
	line, hint := c.Line(err), c.hint(err)
	usage := isUsage(err)
	if c.plain {
		hint = ""
	}
	if usage && hint == "" {
		hint = c.Name + " -h says more"
	}
	c.write(c.Name + ": " + line + "\n")
	if hint != "" {
		c.write(c.Name + ":   " + hint + "\n")
	}
	if usage {
		return Usage
	}
	return Failed
}

// Conflicts notes that an object's name or header says something else than its
// content.
func (c *Console) Conflicts(obj blob.Object, d codec.Detection) {
	as := "read as " + d.Codec
	switch {
	case obj.Size == 0:
		as = "empty"
	case d.Codec == "none":
		as = "read as plain data"
	}
	for _, other := range d.Conflicts {
		c.Note("%s: %s, though its %s", c.Object(obj.Key), as, other)
	}
}

// Notes passes on what decoding an object showed.
func (c *Console) Notes(obj blob.Object, d codec.Detection) {
	for _, note := range d.Notes {
		c.Note("%s: %s", c.Object(obj.Key), note)
	}
}

// Lines notes a job's progress about every ten seconds where there is no progress line.
func (c *Console) Lines() *Console {
	c.lines = true
	return c
}

// progress shows how far a job is.
func (c *Console) progress(p stream.Progress) {
	text := c.speed.progress(p)
	if c.lines && !c.live() && p.Elapsed-c.noted >= 10*time.Second-tickSlack {
		c.noted = p.Elapsed
		c.Note("%s", text)
	}
	c.Progress(text)
}

// tickSlack is how much earlier than on the second progress may come.
const tickSlack = time.Second / 2

// Trace shows a job's progress, failures that a policy absorbs, and objects whose
// name says something else than their content.
func (c *Console) Trace() *stream.Trace {
	return &stream.Trace{
		ObjectStart: func(e stream.ObjectStart) {
			c.Conflicts(e.Object, e.Detection)
		},
		ObjectEnd: func(e stream.ObjectEnd) {
			c.Notes(e.Object, e.Detection)
		},
		Failure: func(e stream.Failure) {
			if e.Action != stream.Fail {
				c.Note("%s (%s)", c.Line(e.Err), e.Action)
			}
		},
		SinkBlocked: func(e stream.SinkBlocked) {
			c.Note("what receives the records has not returned for %s (lane %d)", e.Elapsed.Round(time.Second), e.Lane)
		},
		Progress: c.progress,
		JobEnd:   func(stream.JobEnd) { c.Done() },
	}
}
