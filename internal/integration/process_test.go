package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	// buildTime bounds what is built or installed before a server starts.
	buildTime = 8 * time.Minute

	// startTime bounds how long a server may take until it answers.
	startTime = time.Minute

	// pollEvery is how often a starting server is asked.
	pollEvery = 20 * time.Millisecond
)

// unavailable ends a test whose server cannot be had. A check that passes without
// its servers checks nothing: where the environment has CI=true it fails.
func unavailable(t *testing.T, format string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT RUN: %s", reason)
	}
	t.Skipf("NOT RUN: %s", reason)
}

// run runs a command that makes a server ready to start.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		unavailable(t, "%s %v: %v\n%s", name, args, err, out)
	}
}

// buildTool builds a program of a tool line of go.mod. THAW_SERVERS names a folder
// in which "go build -o folder tool" has built all.
func buildTool(t *testing.T, pkg string) (program string) {
	t.Helper()
	if dir := os.Getenv("THAW_SERVERS"); dir != "" {
		return filepath.Join(dir, filepath.Base(pkg))
	}
	program = filepath.Join(t.TempDir(), filepath.Base(pkg))
	run(t, "go", "build", "-o", program, pkg)
	return program
}

// freeAddress is an address of the loopback interface that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends and returns when readyURL answers,
// whatever its status. A test that fails prints what the server wrote.
func start(t *testing.T, readyURL, program string, args ...string) {
	t.Helper()
	var log output
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Dir = t.TempDir()
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		unavailable(t, "%s: %v", program, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s wrote:\n%s", filepath.Base(program), log.String())
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !answers(ctx, readyURL) {
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended at once: %v\n%s", program, err, log.String())
		case <-ctx.Done():
			t.Fatalf("%s does not answer at %s:\n%s", program, readyURL, log.String())
		}
	}
}

// answers tells whether something speaks HTTP at url.
func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	tr := &http.Transport{DisableKeepAlives: true}
	res, err := tr.RoundTrip(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	return true
}

// output is what a server writes, read while it runs. It keeps the first part.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const maxOutput = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf.Write(p[:max(0, min(len(p), maxOutput-o.buf.Len()))])
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
