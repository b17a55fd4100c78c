package sinks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// refuseCalls makes the kernel answer EIO to system calls of the process, from now on.
func refuseCalls(numbers ...uintptr) error {
	type instruction struct {
		code   uint16
		jt, jf uint8
		k      uint32
	}
	const load, equal, answer = 0x20, 0x15, 0x06
	filter := []instruction{{code: load}} // the number of the call
	for _, n := range numbers {
		filter = append(filter, instruction{code: equal, jt: 0, jf: 1, k: uint32(n)}, instruction{code: answer, k: 0x50000 | uint32(syscall.EIO)})
	}
	filter = append(filter, instruction{code: answer, k: 0x7fff0000})
	program := struct {
		len    uint16
		filter *instruction
	}{uint16(len(filter)), &filter[0]}
	call := map[string]uintptr{"amd64": 317, "arm64": 277}[runtime.GOARCH] // seccomp
	if call == 0 {
		return syscall.ENOSYS
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const noNewPrivileges, setFilter, allThreads = 38, 1, 1
	if _, _, err := syscall.Syscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0); err != 0 {
		return err
	}
	if _, _, err := syscall.Syscall(call, setFilter, allThreads, uintptr(unsafe.Pointer(&program))); err != 0 {
		return err
	}
	return nil
}

// fullAfter is a file system on which no file gets more than a few bytes: a Write is
// short, and the next has an error.
func fullAfter() error {
	return syscall.Setrlimit(1 /* RLIMIT_FSIZE */, &syscall.Rlimit{Cur: 1000, Max: 1000})
}

// broken are the calls that fail.
var broken = map[string]func() error{
	"full":     fullAfter,
	"fsync":    func() error { return refuseCalls(syscall.SYS_FSYNC) },
	"rename":   func() error { return refuseCalls(syscall.SYS_RENAMEAT) },
	"mkdir":    func() error { return refuseCalls(syscall.SYS_MKDIRAT) },
	"open":     func() error { return refuseCalls(syscall.SYS_OPENAT) },
	"close":    func() error { return refuseCalls(syscall.SYS_CLOSE) },
	"remove":   func() error { return refuseCalls(syscall.SYS_UNLINKAT) },
	"truncate": func() error { return refuseCalls(syscall.SYS_FTRUNCATE) },
	"seek":     func() error { return refuseCalls(syscall.SYS_LSEEK) },
	"read":     func() error { return refuseCalls(syscall.SYS_PREAD64) },
}

const childCall = "THAW_SINKS_TEST_CALL"

// outcome is what a child reports.
type outcome struct {
	Skip     string
	Class    stream.Class
	Err      string
	Ended    []string          // objects whose last Write returned nil
	Manifest []byte            // the last one
	Objects  map[string][]byte // of a store
}

// manifestOf keeps a manifest in memory.
type manifestOf struct {
	mu   sync.Mutex
	last []byte
}

func (c *manifestOf) Load(context.Context) ([]byte, error) { return c.last, nil }
func (c *manifestOf) Save(_ context.Context, m []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = bytes.Clone(m)
	return nil
}
func (c *manifestOf) Close() error { return nil }

// breaking makes calls fail with the n-th Write.
type breaking struct {
	stream.Sink
	at  int
	now func() error
	out *outcome
	n   int
}

func (s *breaking) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.Sink.Open(ctx, lane)
	if err != nil {
		return nil, err
	}
	return &breakingWriter{w.(stream.ObjectWriter), s}, nil
}

type breakingWriter struct {
	stream.ObjectWriter
	sink *breaking
}

func (w *breakingWriter) Write(ctx context.Context, b *stream.Batch) error {
	s := w.sink
	if s.n++; s.n == s.at {
		if err := s.now(); err != nil {
			s.out.Skip = err.Error()
			return stream.Stop
		}
	}
	err := w.ObjectWriter.Write(ctx, b)
	if err == nil && b.EndsObject() {
		s.out.Ended = append(s.out.Ended, b.Object().Key)
	}
	return err
}

// callChild is the process whose calls fail.
func callChild(t *testing.T, dir, what string) {
	kind, rest, _ := strings.Cut(what, " ")
	name, at, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(at)
	var out outcome
	cp := &manifestOf{}
	mem := blob.New(memstore.New(), nil)
	to := sinks.Objects(mem, nil)
	if kind == "files" {
		to = sinks.Files(filepath.Join(dir, "out"), nil)
	}
	_, err := backfill(t, several(9), &breaking{Sink: to, at: n, now: broken[name], out: &out},
		&stream.Options{Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Nanosecond})
	if err != nil {
		out.Err, out.Class = err.Error(), stream.ClassOf(err)
	}
	out.Manifest = cp.last
	out.Objects = objects(t, mem)
	line, _ := json.Marshal(out)
	fmt.Printf("outcome %s\n", line)
}

// Whatever call of the system fails, the job fails with it. Nothing torn is under a final
// name, no draft is left, and the manifest counts nothing as done that is not there: the
// job that continues it writes the rest.
func TestFailingCalls(t *testing.T) {
	if what := os.Getenv(childCall); what != "" {
		callChild(t, os.Getenv(childDir), what)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	source := several(9)
	for _, tt := range []struct {
		kind, call string
		fails      bool // at the first object that is written
		draft      bool // a draft may be left
	}{
		{"files", "full", true, false},
		{"files", "fsync", true, false},
		{"files", "rename", true, false},
		{"files", "mkdir", true, false},
		{"files", "open", true, false},
		{"files", "close", true, false},
		{"files", "remove", false, true}, // the folder of drafts stays
		{"objects", "full", true, false},
		{"objects", "open", true, false},
		{"objects", "close", true, false},
		{"objects", "truncate", true, false},
		{"objects", "seek", true, false},
		{"objects", "read", true, false},
		{"objects", "remove", true, true},
	} {
		for _, at := range []int{1, 4, 8} { // of 10 writes
			name := fmt.Sprintf("%s, %s from write %d on", tt.kind, tt.call, at)
			t.Run(name, func(t *testing.T) {
				dir, temp := t.TempDir(), t.TempDir()
				cmd := exec.Command(os.Args[0], "-test.run=^TestFailingCalls$")
				cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%s %s %d", childCall, tt.kind, tt.call, at), "TMPDIR="+temp)
				said, _ := cmd.CombinedOutput() // the process may fail at its own end
				_, line, ok := bytes.Cut(said, []byte("outcome "))
				line, _, _ = bytes.Cut(line, []byte("\n"))
				var out outcome
				if err := json.Unmarshal(line, &out); !ok || err != nil {
					t.Fatalf("%s: %v in %q", name, err, said)
				}
				if out.Skip != "" {
					t.Skip(out.Skip)
				}
				if at == 1 && (out.Err != "") != tt.fails || out.Err != "" && out.Class != stream.ClassSinkFailed {
					t.Errorf("%s: got %q of class %v, want a failure %v", name, out.Err, out.Class, tt.fails)
				}
				got := out.Objects
				if tt.kind == "files" {
					got = files(t, filepath.Join(dir, "out"))
				}
				for key, data := range got {
					if !bytes.Equal(data, source[key]) {
						t.Errorf("%s: %q is torn: %d of %d bytes", name, key, len(data), len(source[key]))
					}
				}
				for _, key := range out.Ended {
					if got[key] == nil {
						t.Errorf("%s: %q was written and is not there", name, key)
					}
				}
				if out.Err != "" && tt.fails && len(got) > len(out.Ended) && tt.call != "close" {
					t.Errorf("%s: %d objects are there, of which %d were written", name, len(got), len(out.Ended))
				}
				if left := append(entries(filepath.Join(dir, "out", ".thaw-drafts")), entries(temp)...); len(left) > 0 && !tt.draft {
					t.Errorf("%s: drafts are left: %q", name, left)
				}
				// The next run has what the manifest says is missing.
				next := &stream.Options{Lanes: 2, Checkpoint: &manifestOf{last: out.Manifest}}
				if tt.kind == "files" {
					_, err := backfill(t, source, sinks.Files(filepath.Join(dir, "out"), nil), next)
					if err != nil {
						t.Errorf("%s: the next run: %v", name, err)
					}
					same(t, files(t, filepath.Join(dir, "out")), source)
					if left := entries(filepath.Join(dir, "out", ".thaw-drafts")); len(left) > 0 {
						t.Errorf("%s: the next run leaves %q", name, left)
					}
					return
				}
				store := blob.New(memstore.New(), nil)
				for key, data := range out.Objects {
					if _, err := store.Put(t.Context(), sinks.Name(key), bytes.NewReader(data), int64(len(data)), nil); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := backfill(t, source, sinks.Objects(store, nil), next); err != nil {
					t.Errorf("%s: the next run: %v", name, err)
				}
				same(t, objects(t, store), source)
			})
		}
	}
}

// entries are the names in a folder, none if it is missing.
func entries(dir string) (names []string) {
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
