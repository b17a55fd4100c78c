package bzip2_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/testing/chunks"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// decode reads one stream and tells what it left in the source.
func decode(stored []byte) (data, rest []byte, err error) {
	src := bufio.NewReaderSize(bytes.NewReader(stored), 16)
	var z bzip2.Reader
	z.Reset(src)
	data, err = io.ReadAll(&z)
	rest, _ = io.ReadAll(src)
	return data, rest, err
}

var inputs = map[string][]byte{
	"empty":          nil,
	"one byte":       []byte("x"),
	"one value":      bytes.Repeat([]byte{7}, 100_000),
	"run of 3":       []byte("baaab"),
	"run of 4":       []byte("baaaa"),
	"run of 259":     bytes.Repeat([]byte("a"), 259),
	"runs in a row":  bytes.Repeat([]byte("a"), 1000),
	"runs, places":   []byte(strings.Repeat("aaaabcaaaaa", 50) + "bbbbbbb"),
	"period of two":  bytes.Repeat([]byte("ab"), 5000),
	"log":            corpus.NDJSONBytes(1, 1000),
	"csv":            corpus.CSVBytes(1, 2000),
	"binary":         corpus.BinaryBytes(1, 250_000),
	"noise":          corpus.NoiseBytes(1, 120_000),
	"block's length": corpus.NoiseBytes(2, 100_000-19),
}

func TestReadGivesWhatWasEncoded(t *testing.T) {
	t.Parallel()
	for name, data := range inputs {
		for _, o := range []corpus.Bzip2{{Level: 1}, {Level: 9, Trees: 2}, {Level: 1, Randomised: true}} {
			got, rest, err := decode(append(o.Encode(data), "rest"...))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s by %+v: got %d bytes and %v, want %d bytes", name, o, len(got), err, len(data))
			}
			if string(rest) != "rest" {
				t.Errorf("%s by %+v: left in the source got %q, want %q", name, o, rest, "rest")
			}
		}
	}
}

func TestReaderIsAReader(t *testing.T) {
	t.Parallel()
	data := []byte(strings.Repeat("aaaaaaabcd", 30))
	var z bzip2.Reader
	z.Reset(bufio.NewReader(bytes.NewReader(corpus.Bzip2{}.Encode(data))))
	if err := iotest.TestReader(&z, data); err != nil {
		t.Error(err)
	}
}

// Sources and destinations of any size give the same bytes.
func TestChunks(t *testing.T) {
	t.Parallel()
	data := corpus.BinaryBytes(3, 40_000)
	stored := corpus.Bzip2{}.Encode(data)
	for _, s := range chunks.Sources {
		for _, size := range []int{1, 2, 7, 8, 9, 4096} {
			var z bzip2.Reader
			z.Reset(bufio.NewReaderSize(s.Wrap(bytes.NewReader(stored)), 16))
			var got bytes.Buffer
			if _, err := io.CopyBuffer(&got, struct{ io.Reader }{&z}, make([]byte, size)); err != nil || !bytes.Equal(got.Bytes(), data) {
				t.Errorf("%s, reads of %d: got %d bytes and %v, want %d", s.Name, size, got.Len(), err, len(data))
			}
		}
	}
}

func TestEveryCutIsUnexpectedEOF(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"empty": nil, "log": corpus.NDJSONBytes(1, 20), "two blocks": corpus.NoiseBytes(1, 100_300),
	} {
		stored := corpus.Bzip2{Level: 1}.Encode(data)
		step := 1
		if len(stored) > 10_000 {
			step = 997
		}
		for cut := 0; cut < len(stored); cut += step {
			got, rest, err := decode(stored[:cut])
			if err != io.ErrUnexpectedEOF || len(rest) > 0 {
				t.Fatalf("%s cut at %d of %d: got %v before %d bytes, want %v after all", name, cut, len(stored), err, len(rest), io.ErrUnexpectedEOF)
			}
			if !bytes.HasPrefix(data, got) {
				t.Fatalf("%s cut at %d: got bytes that were not encoded", name, cut)
			}
			if name == "two blocks" && cut > len(stored)-1000 && len(got) < 99_000 {
				t.Fatalf("%s cut at %d: got %d bytes, want the whole first block", name, cut, len(got))
			}
		}
	}
}

func TestEveryBitFlipIsNoticed(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 4)
	stored := corpus.Bzip2{Trees: 2}.Encode(data)
	for bit := range 8 * len(stored) {
		flipped := bytes.Clone(stored)
		flipped[bit/8] ^= 0x80 >> (bit % 8)
		got, _, err := decode(flipped)
		if err == nil && !bytes.Equal(got, data) {
			t.Fatalf("bit %d: got other bytes and no error", bit)
		}
	}
}

func TestReadOfNothingHasNoEffect(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 50)
	stored := corpus.Bzip2{}.Encode(data)
	var z bzip2.Reader
	z.Reset(bufio.NewReader(bytes.NewReader(stored)))
	var got []byte
	var p [100]byte
	for {
		if n, err := z.Read(nil); n != 0 || err != nil {
			t.Fatalf("Read(nil) got %d and %v, want 0 and nil", n, err)
		}
		n, err := z.Read(p[:])
		got = append(got, p[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, want %d", len(got), len(data))
	}
}

func TestErrorsRepeat(t *testing.T) {
	t.Parallel()
	stored := corpus.Bzip2{}.Encode([]byte("data"))
	for name, stored := range map[string][]byte{"end": stored, "cut": stored[:20], "corrupt": []byte("BZh0 data")} {
		var z bzip2.Reader
		z.Reset(bufio.NewReader(bytes.NewReader(stored)))
		var p [64]byte
		var first error
		for first == nil {
			_, first = z.Read(p[:])
		}
		for range 3 {
			if n, err := z.Read(p[:]); n != 0 || err != first {
				t.Errorf("%s: got %d and %v after the first %v", name, n, err, first)
			}
		}
	}
}

func TestSourceErrorComesThrough(t *testing.T) {
	t.Parallel()
	want := errors.New("connection reset")
	stored := corpus.Bzip2{Level: 1}.Encode(corpus.NoiseBytes(1, 100_300))
	for _, cut := range []int{0, 3, 4, 20, 50, 5000, len(stored) - 1} {
		var z bzip2.Reader
		z.Reset(bufio.NewReader(io.MultiReader(bytes.NewReader(stored[:cut]), iotest.ErrReader(want))))
		if _, err := io.ReadAll(&z); err != want {
			t.Errorf("failing at %d: got %v, want %v", cut, err, want)
		}
	}
}

func TestChecksums(t *testing.T) {
	t.Parallel()
	data := []byte("checked data")
	stored := corpus.Bzip2{}.Encode(data)
	block, stream := bytes.Clone(stored), bytes.Clone(stored)
	block[10] ^= 1                // the block's checksum follows header and mark
	stream[len(stream)-3] ^= 0x10 // the stream's ends less than a byte before the end
	for what, bad := range map[string][]byte{"block": block, "stream": stream} {
		got, _, err := decode(bad)
		if !errors.Is(err, fault.Checksum) {
			t.Errorf("%s: got %v, want %v", what, err, fault.Checksum)
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%s: got %q before the error, want %q", what, got, data)
		}
		z := bzip2.Reader{Unverified: true}
		z.Reset(bufio.NewReader(bytes.NewReader(bad)))
		if got, err := io.ReadAll(&z); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s unverified: got %q and %v, want %q", what, got, err, data)
		}
	}
}

func TestResetKeepsNothing(t *testing.T) {
	t.Parallel()
	first := corpus.Bzip2{Level: 1}.Encode(corpus.NDJSONBytes(1, 1000))
	data := []byte("second")
	second := corpus.Bzip2{}.Encode(data)
	var z bzip2.Reader
	for _, before := range []int{0, 1, 1000, 1 << 20} {
		z.Reset(bufio.NewReader(bytes.NewReader(first)))
		io.CopyN(io.Discard, &z, int64(before))
		z.Reset(bufio.NewReader(bytes.NewReader(second)))
		if got, err := io.ReadAll(&z); err != nil || !bytes.Equal(got, data) {
			t.Errorf("after %d bytes of another: got %q and %v, want %q", before, got, err, data)
		}
	}
}

// A level is a limit and no measure of what to allocate.
func TestMemoryGrowsWithData(t *testing.T) {
	stored := corpus.Bzip2{Level: 9}.Encode([]byte("small"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := decode(stored); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 512<<10 {
		t.Errorf("allocated for five bytes at level 9: got %d, want at most 512 KiB", got)
	}
}
