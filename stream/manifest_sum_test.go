package stream_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// stopped is a job that was stopped in the middle of its one object.
type stopped struct {
	name     string
	store    *blob.Store
	read     stream.ReadOptions
	manifest []byte
}

// inTheMiddle are stopped jobs whose manifests hold a state of codec or framer.
func inTheMiddle(t *testing.T) (jobs []stopped) {
	t.Helper()
	text := corpus.NDJSONBytes(1, 6000)
	rows := bytes.Repeat([]byte("a,\"b\nb\",c\n"), 100000)
	array := append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(text), []byte("\n"), []byte(","))...), ']')
	for _, tt := range []struct {
		codec, frame string
		data         []byte
	}{
		{"none", "ndjson", text}, {"gzip", "ndjson", text}, {"zstd", "ndjson", text}, {"lz4", "ndjson", text},
		{"bzip2", "ndjson", text}, {"snappy", "ndjson", text},
		{"gzip", "csv", rows}, {"none", "json-array", array}, {"gzip", "fixed:10", rows}, {"none", "json", text},
	} {
		j := stopped{name: tt.codec + " " + tt.frame, read: stream.ReadOptions{Frame: tt.frame, Codec: tt.codec}}
		j.store = store(t, map[string][]byte{"a": encode(t, tt.codec, tt.data)})
		cp, n := &memCheckpoint{}, 0
		_, err := stream.Backfill(t.Context(), j.store.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			if n++; n == 3 {
				return stream.Stop
			}
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: cp, Read: j.read})
		if err != nil {
			t.Fatalf("%s: %v", j.name, err)
		}
		j.manifest = cp.saves[len(cp.saves)-1]
		if m, err := stream.ParseManifest(j.manifest); err != nil || len(m.Open) != 1 || m.Open[0].Record == 0 {
			t.Fatalf("%s: got %v, %s; want one object under way", j.name, err, j.manifest)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// resume goes on with a manifest.
func (j *stopped) resume(t *testing.T, c stream.Checkpoint) (records int64, err error) {
	t.Helper()
	rep, err := stream.Backfill(t.Context(), j.store.List(nil), stream.Discard, &stream.Options{
		Lanes: 1, Workers: 1, Memory: 64 << 20, Checkpoint: c, Read: j.read,
	})
	return rep.Counts.Delivered(), err
}

// A manifest in which one byte was changed, lost or added is refused and stays.
func TestDamagedManifest(t *testing.T) {
	t.Parallel()
	good, err := (&stream.Manifest{
		Runs: 3, Ordinal: 70, Key: "a/key", Counts: stream.Counts{Listed: stream.Tally{Objects: 70, Size: 7000, Delivered: 700}},
		Open: []stream.ManifestEntry{{Ordinal: 69, Key: "a", Size: 100, Record: 7, Decoded: 70, Codec: "gzip", PointStored: 10, PointDecoded: 60,
			CodecState: []byte("state"), Framer: "csv", FrameState: []byte{1}}},
	}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	mark := []byte(strings.Repeat(" \t", 32) + "\n")
	for _, data := range [][]byte{good, append(bytes.Clone(good), mark...)} {
		if m, err := stream.ParseManifest(data); err != nil || m.Ordinal != 70 || len(m.Open) != 1 {
			t.Fatalf("got %+v, %v of a good manifest", m, err)
		}
	}
	refused := func(what string, at int, data []byte) {
		t.Helper()
		if _, err := stream.ParseManifest(data); !errors.Is(err, stream.ErrManifest) || stream.ClassOf(err) != stream.ClassCorrupt {
			t.Errorf("%s at %d: got %v, want ErrManifest of class corrupt", what, at, err)
		}
	}
	for i := range good {
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
			bad := bytes.Clone(good)
			bad[i] ^= flip
			refused(fmt.Sprintf("flip by %#x", flip), i, bad)
			refused(fmt.Sprintf("flip by %#x before a mark", flip), i, append(bad, mark...))
		}
		refused("cut", i, good[:i])
		refused("a byte less", i, append(bytes.Clone(good[:i]), good[i+1:]...))
		refused("a byte more", i, append(append(bytes.Clone(good[:i]), '0'), good[i:]...))
	}
	s := store(t, map[string][]byte{"a": []byte("one\n")})
	for i := 1; i < len(good); i += 97 {
		path := filepath.Join(t.TempDir(), "m.json")
		bad := bytes.Clone(good)
		bad[i] ^= 4
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		c := newCollector()
		_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), &stream.Options{Checkpoint: stream.FileCheckpoint(path)})
		after, _ := os.ReadFile(path)
		if !errors.Is(err, stream.ErrManifest) || len(c.records) != 0 || !bytes.Equal(after, bad) {
			t.Errorf("flip at %d: got %v, %d objects read, file kept %v; want ErrManifest, none, true",
				i, err, len(c.records), bytes.Equal(after, bad))
		}
	}
}

// Numbers that make no sense are refused although the checksum is theirs.
func TestManifestNumbers(t *testing.T) {
	t.Parallel()
	first := func(f func(e *stream.ManifestEntry)) func(m *stream.Manifest) {
		return func(m *stream.Manifest) { f(&m.Open[0]) }
	}
	pending := func(ordinal, size int64, version string) func(m *stream.Manifest) {
		return func(m *stream.Manifest) {
			m.Open, m.Pending = nil, []stream.PendingObject{{Ordinal: ordinal, Key: "a", Size: size, Version: version}}
		}
	}
	for _, tt := range []struct {
		reason string
		change func(m *stream.Manifest)
	}{
		{"ordinal below zero", func(m *stream.Manifest) { m.Ordinal = -1 }},
		{"runs below zero", func(m *stream.Manifest) { m.Runs = -1 }},
		{"an open object after the mark", func(m *stream.Manifest) { m.Ordinal = 0 }},
		{"an object twice", func(m *stream.Manifest) { m.Open = append(m.Open, m.Open[0]) }},
		{"objects out of order", func(m *stream.Manifest) {
			m.Ordinal, m.Open = 5, []stream.ManifestEntry{{Ordinal: 3, Key: "a"}, {Ordinal: 2, Key: "b"}}
		}},
		{"an object without ordinal", first(func(e *stream.ManifestEntry) { e.Ordinal = 0 })},
		{"size below -1", first(func(e *stream.ManifestEntry) { e.Size = -2 })},
		{"record below zero", first(func(e *stream.ManifestEntry) { e.Record = -1 })},
		{"decoded below zero", first(func(e *stream.ManifestEntry) { e.Decoded, e.PointDecoded = -1, -1 })},
		{"decoded beyond every object", first(func(e *stream.ManifestEntry) { e.Decoded = math.MaxInt64 })},
		{"point behind the record", first(func(e *stream.ManifestEntry) { e.PointDecoded = e.Decoded + 1 })},
		{"point before the object", first(func(e *stream.ManifestEntry) { e.PointDecoded = math.MinInt64 })},
		{"stored point before the object", first(func(e *stream.ManifestEntry) { e.PointStored = -1 })},
		{"stored point behind the object", first(func(e *stream.ManifestEntry) { e.PointStored = e.Size + 1 })},
		{"memory below zero", first(func(e *stream.ManifestEntry) { e.CodecMemory = -1 })},
		{"memory of no machine", first(func(e *stream.ManifestEntry) { e.CodecMemory = math.MaxInt64 })},
		{"records left out below zero", first(func(e *stream.ManifestEntry) { e.LeftOut = -1 })},
		{"a pending object after the mark", pending(2, 5, "v")},
		{"a pending object without ordinal", pending(0, 5, "v")},
		{"a pending object of unknown size", pending(1, -1, "v")},
		{"a pending object without version", pending(1, 5, "")},
		{"a pending object twice", func(m *stream.Manifest) { pending(1, 5, "v")(m); m.Pending = append(m.Pending, m.Pending[0]) }},
		{"a codec state of 1 MiB", first(func(e *stream.ManifestEntry) { e.CodecState = make([]byte, 1<<20) })},
	} {
		m := &stream.Manifest{Runs: 1, Ordinal: 1, Key: "a", Open: []stream.ManifestEntry{{Ordinal: 1, Key: "a", Size: 1000, Record: 7, Decoded: 70}}}
		tt.change(m)
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.ParseManifest(data); !errors.Is(err, stream.ErrManifest) {
			t.Errorf("%s: got %v, want ErrManifest", tt.reason, err)
		}
	}
}

// Whatever a manifest says, a job ends: with an error or with records, not with a
// panic.
func TestManifestOfAnything(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	numbers := []int64{0, 1, -1, 7, 65536, 1 << 20, 1 << 31, 1 << 40, 1 << 62, math.MaxInt64, math.MinInt64}
	for _, j := range inTheMiddle(t) {
		rng := rand.New(rand.NewPCG(1, uint64(len(j.manifest))))
		for range rounds {
			m, err := stream.ParseManifest(j.manifest)
			if err != nil {
				t.Fatal(err)
			}
			e := &m.Open[0]
			bend := func(n *int64) {
				switch rng.IntN(3) {
				case 0:
					*n = numbers[rng.IntN(len(numbers))]
				case 1:
					*n += rng.Int64N(5) - 2
				case 2:
					*n = rng.Int64N(min(max(*n, 1), 1<<40)*2 + 1)
				}
			}
			spoil := func(state *[]byte) {
				switch n := len(*state); {
				case n == 0 || rng.IntN(4) == 0:
					*state = append(*state, byte(rng.Uint32()))
				case rng.IntN(3) == 0:
					*state = (*state)[:rng.IntN(n)]
				default:
					(*state)[rng.IntN(min(n, 64))] ^= 1 << rng.IntN(8)
				}
			}
			for range 1 + rng.IntN(3) {
				switch rng.IntN(10) {
				case 0:
					bend(&e.Record)
				case 1:
					bend(&e.Decoded)
				case 2:
					bend(&e.PointStored)
				case 3:
					bend(&e.PointDecoded)
				case 4, 5:
					spoil(&e.CodecState)
				case 6, 7:
					spoil(&e.FrameState)
				case 8:
					bend(&e.CodecMemory)
				case 9:
					e.Codec = []string{"none", "gzip", "zstd", "xz", "bzip2", "lz4", "snappy", "nonsense"}[rng.IntN(8)]
				}
			}
			data, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			cp := &memCheckpoint{saves: [][]byte{data}}
			records, err := j.resume(t, cp)
			if err == nil && records < 0 {
				t.Errorf("%s: got %d records of %s", j.name, records, data)
			}
		}
	}
}

// Manifests of other formats are unsupported and stay: their fields may have other names,
// so that counts would be lost.
func TestOtherFormats(t *testing.T) {
	t.Parallel()
	good, err := (&stream.Manifest{Runs: 1, Ordinal: 70, Key: "a/key"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []int{0, 1, 2, 4, 1000} {
		body := bytes.Replace(good, []byte(`"format": 3`), fmt.Appendf(nil, `"format": %d`, format), 1)
		body = body[:bytes.LastIndex(body, []byte(` "sha256"`))]
		other := fmt.Appendf(bytes.Clone(body), " \"sha256\": \"%x\"\n}\n", sha256.Sum256(body))
		if _, err := stream.ParseManifest(other); !errors.Is(err, blob.ErrUnsupported) || stream.ClassOf(err) != stream.ClassUnsupported {
			t.Errorf("format %d: got %v, want blob.ErrUnsupported", format, err)
		}
	}
}
