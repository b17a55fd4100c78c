package brotli_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// tool runs the tool brotli, if it is installed.
func tool(t testing.TB, in []byte, args ...string) ([]byte, error) {
	t.Helper()
	path, err := exec.LookPath("brotli")
	if err != nil {
		t.Skip("no tool brotli")
	}
	cmd := exec.Command(path, append(args, "-c")...)
	cmd.Stdin = bytes.NewReader(in)
	return cmd.Output()
}

// TestToolEncodes decodes what the tool makes, with windows beyond RFC 7932 too.
func TestToolEncodes(t *testing.T) {
	t.Parallel()
	data := bytes.Join([][]byte{corpus.NDJSONBytes(1, 300), corpus.BinaryBytes(1, 40_000), corpus.NDJSONBytes(1, 300)}, nil)
	s := newStreams()
	for _, args := range [][]string{{"-q", "0"}, {"-q", "1"}, {"-q", "6"}, {"-q", "10"}, {"-q", "11", "-w", "16"}, {"-q", "9", "--large_window=25"}, {"-q", "11", "--large_window=30"}} {
		stored, err := tool(t, data, args...)
		if err != nil {
			t.Fatal(err)
		}
		got, taken, err := s.decode(stored)
		if err != nil || !bytes.Equal(got, data) || taken != len(stored) {
			t.Errorf("%q: got %s and %v, and %d bytes taken of %d", args, difference(got, data), err, taken, len(stored))
		}
	}
}

// TestRulesOfTheTool holds the table of rules to the tool, which is the decoder by the
// format's authors.
func TestRulesOfTheTool(t *testing.T) {
	t.Parallel()
	for _, tc := range rules() {
		got, err := tool(t, tc.stored.out, "-d")
		if (err == nil) != (tc.fault == "") || err == nil && string(got) != tc.want {
			t.Errorf("%s: the tool gives %s and %v", tc.name, difference(got, []byte(tc.want)), err)
		}
	}
}
