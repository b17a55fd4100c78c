package corpus_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// The hashes hold the promise that a seed gives the same bytes for ever: results
// that name a seed can be compared with later ones.
func TestMakersGiveTheSameBytesForASeed(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"ndjson", corpus.NDJSONBytes(1, 5000), "5016423a860886c76d78bf249f140f91dd9cfa2da0fb649654ce5358f1b76af9"},
		{"csv", corpus.CSVBytes(1, 5000), "a37499cf13841736ed569aba8f8b29033b184b2a17a1658364a142c5853feaad"},
		{"binary", corpus.BinaryBytes(1, 1<<20+3), "993f3ec6290d383a9ca74f8ae09d8f96074e6fadd28472f4b74305efda511af6"},
		{"noise", corpus.NoiseBytes(1, 1<<20+3), "45ab2a32b614438d79bc5eefe9d225719d49c33a030f62a244d09604a97a0991"},
	}
	for _, c := range cases {
		sum := sha256.Sum256(c.data)
		if got := hex.EncodeToString(sum[:]); got != c.want {
			t.Errorf("%s: sha256 got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	t.Parallel()
	if bytes.Equal(corpus.NoiseBytes(1, 64), corpus.NoiseBytes(2, 64)) {
		t.Error("noise of seeds 1 and 2 got the same bytes, want different ones")
	}
}

func TestNDJSONRecords(t *testing.T) {
	t.Parallel()
	const perSeed = 2000
	ids := make(map[string]bool)
	size := 0
	for _, seed := range []uint64{0, 1, 1 << 63} {
		data := corpus.NDJSONBytes(seed, perSeed)
		size += len(data)
		lines := bufio.NewScanner(bytes.NewReader(data))
		for lines.Scan() {
			var rec struct{ ID, TS, Msg string }
			if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
				t.Fatalf("seed %d: %v in %q", seed, err, lines.Bytes())
			}
			if rec.ID == "" || ids[rec.ID] {
				t.Fatalf("seed %d: id %q is empty or seen before", seed, rec.ID)
			}
			ids[rec.ID] = true
		}
	}
	if got, want := len(ids), 3*perSeed; got != want {
		t.Errorf("records got %d, want %d", got, want)
	}
	if mean := size / (3 * perSeed); mean < 225 || mean > 255 {
		t.Errorf("mean record size got %d, want about 240", mean)
	}
}

func TestCSVRows(t *testing.T) {
	t.Parallel()
	const rows = 2000
	data := corpus.CSVBytes(7, rows)
	got, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != rows+1 {
		t.Errorf("rows with the header got %d, want %d", len(got), rows+1)
	}
	if lines := bytes.Count(data, []byte{'\n'}); lines < rows+rows/10 {
		t.Errorf("lines got %d, want clearly more than the %d rows", lines, rows)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 7, 8, 65535, 65536, 65537, 200_001} {
		if got := len(corpus.BinaryBytes(3, size)); got != size {
			t.Errorf("Binary size got %d, want %d", got, size)
		}
		if got := len(corpus.NoiseBytes(3, size)); got != size {
			t.Errorf("Noise size got %d, want %d", got, size)
		}
	}
	if got := len(corpus.NDJSONBytes(3, 0)); got != 0 {
		t.Errorf("NDJSON of no records got %d bytes, want 0", got)
	}
}

// failing fails at the first write.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestMakersReturnTheWritersError(t *testing.T) {
	t.Parallel()
	want := errors.New("disk full")
	makers := map[string]func(io.Writer) error{
		"ndjson": func(w io.Writer) error { return corpus.NDJSON(w, 1, 10_000) },
		"csv":    func(w io.Writer) error { return corpus.CSV(w, 1, 1) },
		"binary": func(w io.Writer) error { return corpus.Binary(w, 1, 1<<20) },
		"noise":  func(w io.Writer) error { return corpus.Noise(w, 1, 1) },
	}
	for name, make := range makers {
		if err := make(failing{want}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}
