//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/examples/internal/cli"
)

// leaving names a folder: the test binary is then a program that makes it, writes
// lines until one fails, and removes it.
const leaving = "THAW_TEST_LEAVING"

func TestMain(m *testing.M) {
	if os.Getenv(leaving) != "" {
		if os.Getenv(waits) != "" {
			cli.Main(wait)
		}
		cli.Main(leave)
	}
	os.Exit(m.Run())
}

// waits makes that program wait for the end of its context instead.
const waits = "THAW_TEST_WAITS"

func wait(ctx context.Context, _ []string, stdout, stderr io.Writer) int {
	fmt.Fprintln(stdout, "begun")
	<-ctx.Done()
	fmt.Fprintln(stderr, "ended")
	return cli.Failed
}

func leave(_ context.Context, _ []string, stdout, stderr io.Writer) int {
	console := cli.NewConsole("leave", stderr, false)
	dir := os.Getenv(leaving)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return console.Fail(err)
	}
	defer os.RemoveAll(dir)
	for range 1_000_000 { // far more than a pipe holds
		if _, err := fmt.Fprintln(stdout, "line"); err != nil {
			return console.Fail(fmt.Errorf("write: %w", err))
		}
	}
	return cli.OK
}

// A reader of stdout that goes away, as head does, fails the program without a
// word, and the program cleans up.
func TestMainBrokenPipe(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "temporary")
	var stderr bytes.Buffer
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), leaving+"="+dir)
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, 5)); err != nil {
		t.Error(err)
	}
	stdout.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.Failed {
		t.Errorf("got %v, want exit status %d", err, cli.Failed)
	}
	if stderr.Len() > 0 {
		t.Errorf("got %q on stderr, want nothing", stderr.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for the temporary folder, want none", err)
	}
}

// A connection that breaks is no reader that goes away.
func TestFailBrokenConnection(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	err := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	if got := cli.NewConsole("test", &stderr, true).Fail(err); got != cli.Failed || stderr.Len() == 0 {
		t.Errorf("got status %d and %q on stderr, want %d and a message", got, stderr.String(), cli.Failed)
	}
}

// Two signals at once, as timeout sends them, are one: the program ends by itself.
func TestMainTwoSignals(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		var stderr bytes.Buffer
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), leaving+"=x", waits+"=x")
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, 5)); err != nil {
			t.Error(err)
		}
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Error(err)
			}
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.Failed || stderr.String() != "ended\n" {
			t.Errorf("got %v, %q on stderr; want exit status %d by itself", err, stderr.String(), cli.Failed)
		}
	}
}
