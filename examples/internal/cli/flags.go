package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// Flags are the flags that the verbs share. Zero values mean the library's
// defaults.
type Flags struct {
	Codec, Frame                 string
	Lanes, Workers               int
	Memory, MaxWindow, MaxRecord Size
	OnError                      string
	JSON, Quiet, Strict          bool
	Stdin                        bool // "-" is an argument: standard input
	Selection

	Dictionaries [][]byte // in the files of -dict

	quarantine *os.File
}

// Decode adds the flags of verbs that decode.
func (f *Flags) Decode(fs *flag.FlagSet) {
	fs.StringVar(&f.Codec, "codec", "", "`NAME` of the codec, or of several layers as in gzip,zstd, the outermost first; without it, the content decides")
	fs.Var(&f.Memory, "memory", "`SIZE` of all buffers together; default 1GiB, or a quarter of GOMEMLIMIT if that is less")
	fs.Var(&f.MaxWindow, "max-window", "`SIZE` of the largest window or dictionary; default 128MiB, half of -memory at most")
	fs.Func("dict", "`FILE` with a dictionary of zstd, beside the one that an object may hold; may be repeated", f.dictionary)
	fs.BoolVar(&f.Strict, "strict", false, "fail where name, Content-Encoding and content disagree about the codec, or where an object may have been cut; without it, content is trusted and noted")
	fs.BoolVar(&f.Quiet, "q", false, "no notes and no progress")
	f.Select(fs)
}

// dictionary reads the file of a -dict.
func (f *Flags) dictionary(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	dec, err := codec.Default().Open(strings.NewReader(""), codec.Detection{Codec: "zstd"}, &codec.Options{Dictionaries: [][]byte{b}})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	dec.Close()
	f.Dictionaries = append(f.Dictionaries, b)
	return nil
}

// Records adds the flags of verbs that cut records.
func (f *Flags) Records(fs *flag.FlagSet) {
	fs.StringVar(&f.Frame, "frame", "", "`NAME` of the framer; without it, the extension chooses, else lines")
	fs.Var(&f.MaxRecord, "max-record", "`SIZE` of the largest record; default 16MiB, an eighth of -memory at most")
	fs.StringVar(&f.OnError, "on-error", "fail", "what to do with what cannot be read: `ACTION` is fail, skip or quarantine=FILE")
}

// Parallel adds the flags of verbs that read several objects at once.
func (f *Flags) Parallel(fs *flag.FlagSet) {
	fs.IntVar(&f.Lanes, "lanes", 0, "`N` objects are read at once; default the number of processors, for remote stores 4 times that and 16 at least")
	fs.IntVar(&f.Workers, "workers", 0, "`N` goroutines decode at once; default the number of processors")
}

// Parse reads flags before, between and after the other arguments, which it
// returns; what follows "--" is no flag. The error is flag.ErrHelp when help was
// asked for.
func (f *Flags) Parse(fs *flag.FlagSet, args []string) ([]string, error) {
	fs.SetOutput(io.Discard)
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if used := len(args) - len(fs.Args()); err != flag.ErrHelp && used > 0 && isFile(args[used-1]) {
				err = fmt.Errorf("%w: the file of this name is written ./%s, or after --", err, args[used-1])
			}
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			break
		}
		if used := len(args) - len(left); used > 0 && args[used-1] == "--" {
			rest = append(rest, left...)
			break
		}
		rest = append(rest, left[0])
		args = left[1:]
	}
	if !f.Stdin && slices.Contains(rest, stdin) {
		return nil, errStdin
	}
	if i := slices.Index(rest, stdin); i >= 0 && slices.Contains(rest[i+1:], stdin) {
		return nil, errStdinTwice
	}
	return rest, f.check()
}

// isFile reports whether a flag that nobody knows is the name of a file.
func isFile(arg string) bool {
	_, err := os.Lstat(arg)
	return err == nil && strings.HasPrefix(arg, "-")
}

// check refuses names and numbers that mean nothing.
func (f *Flags) check() error {
	if f.FirstByte < 0 {
		return errors.New("-first-byte is positive")
	}
	if f.Lanes < 0 || f.Workers < 0 {
		return errors.New("-lanes and -workers are not negative")
	}
	if f.Codec != "" {
		if _, err := codec.Default().Detect(nil, true, codec.Hints{Codec: f.Codec}); err != nil {
			return err
		}
	}
	if f.Frame != "" {
		if _, err := frame.Default().Lookup(f.Frame); err != nil {
			return err
		}
	}
	if err := f.checkMemory(); err != nil {
		return err
	}
	if file, ok := strings.CutPrefix(f.OnError, "quarantine="); ok && file != "" {
		return nil
	}
	switch f.OnError {
	case "", "fail", "skip":
		return nil
	}
	return fmt.Errorf("-on-error is fail, skip or quarantine=FILE, not %q", f.OnError)
}

// checkMemory refuses a Memory with which nothing can be read, and names the least.
func (f *Flags) checkMemory() error {
	read := f.Read()
	if least := Size(stream.MinMemory(&read)); f.Memory != 0 && f.Memory < least {
		return fmt.Errorf("-memory %s is too little to read anything: %s is enough", f.Memory, least)
	}
	return nil
}

// Console is that of a program with these flags.
func (f *Flags) Console(name string, w io.Writer) *Console {
	c := NewConsole(name, w, f.Quiet)
	c.memory = f.pool().Memory()
	c.selection = f.Selection
	return c
}

// pool is that of readers with these flags.
func (f *Flags) pool() *stream.Pool {
	return stream.NewPool(&stream.PoolOptions{Memory: int64(f.Memory), Workers: f.Workers})
}

// Decoding returns the options with which readers decode, for what decodes by itself.
func (f *Flags) Decoding() codec.Options {
	read := f.Read()
	return f.pool().DecodeOptions(&read)
}

// Refuse is the error of -strict where the evidence about an object's codec
// disagrees, the same that a job returns.
func (f *Flags) Refuse(obj blob.Object, d codec.Detection) error {
	if !f.Strict || len(d.Conflicts) == 0 {
		return nil
	}
	return &stream.Error{Key: obj.Key, Version: obj.Version, Class: stream.ClassCorrupt, Err: fmt.Errorf("%w: %s by %s, but %s",
		codec.ErrCorrupt, d.Codec, d.Evidence, strings.Join(d.Conflicts, ", "))}
}

// Read returns the options of one object.
func (f *Flags) Read() stream.ReadOptions {
	o := stream.ReadOptions{
		Codec: f.Codec, Frame: f.Frame, MaxRecord: int(f.MaxRecord),
		Decode: codec.Options{MaxWindow: int64(f.MaxWindow), Dictionaries: f.Dictionaries},
	}
	if f.Strict {
		o.OnConflict = stream.FailOnConflict
	}
	return o
}

// Job returns the options of a Backfill for the console of a program. Close is to be
// called after it.
func (f *Flags) Job(c *Console) (*stream.Options, error) {
	o := &stream.Options{Read: f.Read(), Lanes: f.Lanes, Workers: f.Workers, Memory: int64(f.Memory)}
	switch file, quarantine := strings.CutPrefix(f.OnError, "quarantine="); {
	case quarantine:
		torn := endsInLine(file)
		q, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err == nil && torn {
			_, err = q.WriteString("\n")
		}
		if err != nil {
			return nil, fmt.Errorf("quarantine: %w", err)
		}
		f.quarantine = q
		c.Writes(q)
		o.OnObjectError = stream.Quarantine(q)
		o.OnRecordError = o.OnObjectError
	case f.OnError == "skip":
		o.OnObjectError = stream.SkipClasses()
		o.OnRecordError = o.OnObjectError
	}
	return o, nil
}

// endsInLine reports whether a file ends in the middle of a line: a process was killed while
// it wrote.
func endsInLine(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var last [1]byte
	n, _ := f.ReadAt(last[:], info.Size()-1)
	return n == 1 && last[0] != '\n'
}

// Close closes the quarantine file, if there is one.
func (f *Flags) Close() error {
	if f.quarantine == nil {
		return nil
	}
	return f.quarantine.Close()
}

// LimitMemory sets in the Go runtime what -memory means for the whole process,
// unless GOMEMLIMIT does: a quarter and 64 MiB more than the buffers. The
// function it returns takes that back.
func (f *Flags) LimitMemory() (restore func()) {
	if f.Memory == 0 || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	old := debug.SetMemoryLimit(int64(f.Memory) + int64(f.Memory)/4 + 64<<20)
	return func() { debug.SetMemoryLimit(old) }
}
