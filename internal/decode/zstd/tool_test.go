package zstd_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// tool compresses data with the tool zstd. It skips the test where there is none.
func tool(t testing.TB, data []byte, flags ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("no zstd installed")
	}
	cmd := exec.Command("zstd", append([]string{"-q", "-c"}, flags...)...)
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("zstd %v: %v", flags, err)
	}
	return out
}

// TestTool decodes what the tool makes: of a pipe, whose size it does not know, and
// of a file.
func TestTool(t *testing.T) {
	t.Parallel()
	f := newFrames()
	for name, data := range samples() {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, flags := range [][]string{
			{"-1"}, {"-3", "--no-check"}, {"-9", file}, {"-19", "--no-check", file}, {"--fast=5"}, {"-1", "--long=20"},
			{"-3", "--zstd=wlog=10", "--no-check"}, {"-1", "--no-compress-literals"}, {"-3", "--target-compressed-block-size=1500"},
		} {
			got, err := f.decode(tool(t, data, flags...))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, zstd %v: got %s and %v", name, flags, difference(got, data), err)
			}
		}
	}
}

// TestLongWindow decodes matches as far back as a window of several MiB, through a
// buffer that was full more than once.
func TestLongWindow(t *testing.T) {
	t.Parallel()
	noise := corpus.NoiseBytes(5, 1_500_000)
	data := bytes.Join([][]byte{noise, corpus.NDJSONBytes(1, 300), noise, noise[:700_000], noise}, nil)
	f := newFrames()
	for _, flags := range [][]string{{"--long=21", "-3"}, {"--zstd=wlog=21", "-9"}, {"--zstd=wlog=18", "-3"}, {"--long=27", "-1"}} {
		stored := tool(t, data, flags...)
		for range 2 {
			got, err := f.decode(stored)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("zstd %v: got %s and %v", flags, difference(got, data), err)
			}
		}
	}
}

// TestDictionary decodes with a dictionary that the tool has trained, also frames
// longer than their window, which lose sight of it.
func TestDictionary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"-q", "--train", "--maxdict=8000", "-o", filepath.Join(dir, "dict")}
	for i := range 150 {
		file := filepath.Join(dir, fmt.Sprint("sample", i))
		if err := os.WriteFile(file, corpus.NDJSONBytes(uint64(i), 3), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	tool(t, nil) // skips
	if out, err := exec.Command("zstd", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	stored, err := os.ReadFile(filepath.Join(dir, "dict"))
	if err != nil {
		t.Fatal(err)
	}
	dict, err := zstd.ParseDict(stored)
	if err != nil {
		t.Fatal(err)
	}
	if want := binary.LittleEndian.Uint32(stored[4:]); dict.ID() != want {
		t.Errorf("got id %d, want %d", dict.ID(), want)
	}
	f := newFrames()
	f.dicts = map[uint32]*zstd.Dict{dict.ID(): dict}
	for _, n := range []int{1, 5, 1000} {
		data := corpus.NDJSONBytes(1000, n)
		for _, flags := range [][]string{{"-1"}, {"-3", "--no-check"}, {"-19"}, {"-3", "--zstd=wlog=10"}, {"-19", "--zstd=wlog=12"}} {
			got, err := f.decode(tool(t, data, append(flags, "-D", filepath.Join(dir, "dict"))...))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d records, zstd %v: got %s and %v", n, flags, difference(got, data), err)
			}
		}
	}
	// Cut before its content it is none; of the content any part will do that
	// the repeated offsets lie in.
	good := false
	for n := range 1000 {
		_, err := zstd.ParseDict(stored[:n])
		if good && err != nil || !good && err == nil && n < 40 {
			t.Errorf("dictionary cut to %d bytes: got %v", n, err)
		}
		good = err == nil
	}
}
