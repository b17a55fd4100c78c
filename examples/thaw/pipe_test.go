//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to does not hold an interrupt up.
func TestInterruptOfPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"cat", "records", "profile", "inspect", "index", "ls", "restore"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, errs bytes.Buffer
		if status := run(ctx, []string{verb, pipe}, &out, &errs); status != 1 || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%s: got status %d, %q, want 1 and that it was interrupted", verb, status, errs.String())
		}
	}
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // ends the opens that still wait
	if err != nil {
		t.Fatal(err)
	}
	writer.Close()
}
