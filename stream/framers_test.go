package stream_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// u32be is a record with its length before it.
func u32be(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }

// What is long, lies or never ends costs no more memory than the limits allow, has
// the outcome that the policy asks for, and the next record follows where the
// format lets it be found.
func TestHostileRecords(t *testing.T) {
	const (
		limit = 16 << 20 // the default of MaxRecord
		small = 1 << 20  // that of formats other than lines
	)
	long5, long20, over := strings.Repeat("x", 5<<20), strings.Repeat("x", 20<<20), strings.Repeat("x", 5*small/4)
	field := "\"" + strings.Repeat("line\n", 40<<10) + "\""
	fail, skip, truncate := stream.FailOversized, stream.SkipOversized, stream.TruncateOversized
	tests := []struct {
		name, frame, data string
		policy            stream.OversizedPolicy
		want              []int // bytes of the records
		is                error // behind them
		skipped, cut      int64
	}{
		{"line of 5 MiB", "lines", "a\n" + long5 + "\nb\n", fail, []int{1, 5 << 20, 1}, nil, 0, 0},
		{"line of 20 MiB", "lines", "a\n" + long20 + "\nb\n", fail, []int{1}, frame.ErrTooLong, 0, 0},
		{"line of 20 MiB, skipped", "lines", "a\n" + long20 + "\nb\n", skip, []int{1, 1}, nil, 1, 0},
		{"line of 20 MiB, cut", "lines", "a\n" + long20 + "\nb\n", truncate, []int{1, limit, 1}, nil, 0, 1},
		{"last line of 20 MiB, cut", "lines", "a\n" + long20, truncate, []int{1, limit}, nil, 0, 1},
		{"quoted field of 200 KiB", "csv", "a,b\n1," + field + "\n2,3\n", fail, []int{3, 2 + len(field), 3}, nil, 0, 0},
		{"quoted field of 1.25 MiB, skipped", "csv", "a\n\"" + strings.ReplaceAll(over, "xxxx", "x\n\"\"") + "\"\nb\n", skip, []int{1, 1}, nil, 1, 0},
		{"unterminated quote", "csv", "a\n\"" + strings.Repeat("b\n", 10000), fail, []int{1}, io.ErrUnexpectedEOF, 0, 0},
		{"length of 1.25 MiB, skipped", "u32be", u32be("a") + u32be(over) + u32be("b"), skip, []int{1, 1}, nil, 1, 0},
		{"length of 1.25 MiB, cut", "u32be", u32be("a") + u32be(over) + u32be("b"), truncate, []int{1, small - 4, 1}, nil, 0, 1},
		{"length of 1.25 MiB", "u32be", u32be("a") + u32be(over) + u32be("b"), fail, []int{1}, frame.ErrTooLong, 0, 0},
		{"length of 4 GiB and 3 bytes", "u32be", u32be("a") + "\xff\xff\xff\xffabc", fail, []int{1}, frame.ErrTooLong, 0, 0},
		{"length of 4 GiB and 3 bytes, skipped", "u32be", u32be("a") + "\xff\xff\xff\xffabc", skip, []int{1}, nil, 1, 0},
		{"negative length", "varint", "\x01a" + strings.Repeat("\xff", 9) + "\x01", fail, []int{1}, frame.ErrNoResync, 0, 0},
		{"negative length, skipped", "varint", "\x01a" + strings.Repeat("\xff", 9) + "\x01", skip, []int{1}, frame.ErrNoResync, 0, 0},
		{"100,000 open arrays", "json", "1 " + strings.Repeat("[", 100000), fail, []int{1}, frame.ErrNoResync, 0, 0},
		{"document of 1.25 MiB, skipped", "json", `1 {"a":"` + over + `"} 2`, skip, []int{1, 1}, nil, 1, 0},
		{"element of 1.25 MiB, skipped", "json-array", `[1,"` + over + `",2]`, skip, []int{1, 1}, nil, 1, 0},
		{"file of 1.25 MiB, skipped", "tar", tarFiles(t, "a", over, "b"), skip, []int{1, 1}, nil, 1, 0},
		{"file of 1.25 MiB, cut", "tar", tarFiles(t, "a", over, "b"), truncate, []int{1, small - 512, 1}, nil, 0, 1},
		{"length over what there is, cut", "u32be", u32be("a") + "\xff\xff\xff\xffabc", truncate, []int{1}, frame.ErrTooLong, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := store(t, map[string][]byte{"o": []byte(tt.data)})
			read := stream.ReadOptions{Frame: tt.frame, Oversized: tt.policy}
			if tt.frame != "lines" {
				read.MaxRecord = small
			}
			var got []int
			before := allocated()
			rep, err := stream.Backfill(t.Context(), s.List(nil), sizes(&got), &stream.Options{
				Memory: 256 << 20, Lanes: 1, Read: read})
			if !slices.Equal(got, tt.want) || !errors.Is(err, tt.is) {
				t.Errorf("got %v, %v, want %v, %v", got, err, tt.want, tt.is)
			}
			if c := rep.Counts; c.RecordsSkipped != tt.skipped || c.RecordsTruncated != tt.cut || rep.Complete() != (tt.is == nil && tt.skipped+tt.cut == 0) {
				t.Errorf("got %d skipped, %d cut, complete %v, want %d, %d", c.RecordsSkipped, c.RecordsTruncated, rep.Complete(), tt.skipped, tt.cut)
			}
			if n := allocated() - before; n > 4*limit {
				t.Errorf("got %d MiB allocated, want at most %d", n>>20, 4*limit>>20)
			}
			got = nil
			var rerr error
			for rec, err := range stream.Records(t.Context(), s, "o", &stream.RecordsOptions{Read: read}) {
				if rerr = err; err == nil {
					got = append(got, len(rec.Data))
				}
			}
			if !slices.Equal(got, tt.want) || !errors.Is(rerr, tt.is) {
				t.Errorf("Records: got %v, %v, want %v, %v", got, rerr, tt.want, tt.is)
			}
			if tt.is != nil && (stream.ClassOf(err) != stream.ClassOf(rerr) || stream.ClassOf(err) == stream.ClassOther) {
				t.Errorf("got classes %v and %v, want the same", stream.ClassOf(err), stream.ClassOf(rerr))
			}
		})
	}
}

// allocated is how many bytes were ever allocated.
func allocated() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// sizes keeps the sizes of records.
func sizes(got *[]int) stream.Sink {
	return stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			*got = append(*got, len(rec.Data))
		}
		return nil
	})
}

// tarFiles is a tar archive of files that hold data.
func tarFiles(t testing.TB, data ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, d := range data {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Size: int64(len(d)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// turns is a framer whose records are of one line, two and three in turn, so that
// a place needs more than its offset.
func turns() frame.Framer {
	return frame.Framer{Name: "turns", New: func(opts *frame.Options) (frame.Scanner, error) {
		s := &turnsScanner{}
		if opts.Offset > 0 {
			if len(opts.State) != 1 {
				return nil, fmt.Errorf("state of %d bytes, want 1", len(opts.State))
			}
			s.turn = int(opts.State[0])
		}
		return s, nil
	}}
}

type turnsScanner struct{ turn int }

func (s *turnsScanner) State() []byte { return []byte{byte(s.turn)} }

func (s *turnsScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last, feeds := 0, 0
	for i, c := range slab {
		if c != '\n' {
			continue
		}
		if feeds++; feeds > s.turn {
			last, feeds, s.turn = i+1, 0, (s.turn+1)%3
			ends = append(ends, uint32(last))
		}
	}
	if eof && last < len(slab) {
		ends = append(ends, uint32(len(slab)))
	}
	return ends, nil
}

// A job broken off within a CSV file, an array, an archive or records with lengths
// goes on there: each record comes with its own bytes, whatever the codec's restart
// points are, which lie anywhere in the data. What breaks off are Stops, errors of
// the sink and cancellations at random batches.
func TestResumeInsideFormats(t *testing.T) {
	framers := frame.Default().Clone()
	framers.Register(turns())
	for name, data := range resumable(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(len(name)), 1))
			want := map[string]string{}
			objects := map[string][]byte{}
			for _, codec := range []string{"none", "gzip", "zstd", "lz4"} {
				var enc []byte
				for rest := data; len(rest) > 0; {
					n := min(len(rest), 1+rng.IntN(200<<10))
					enc = append(enc, encode(t, codec, []byte(rest[:n]))...)
					rest = rest[n:]
				}
				objects[codec] = enc
			}
			read := stream.ReadOptions{Frame: name, Framers: framers}
			s := store(t, objects)
			for key := range objects {
				for rec, err := range stream.Records(t.Context(), s, key, &stream.RecordsOptions{Read: read}) {
					if err != nil {
						t.Fatal(err)
					}
					want[fmt.Sprint(key, rec.Index)] = string(rec.Data)
				}
			}
			got, inside := resumed(t, s, read, rng)
			if len(got) != len(want) {
				t.Errorf("got %d records, want %d", len(got), len(want))
			}
			for id, data := range want {
				if got[id] != data {
					t.Errorf("record %s: got %.40q, want %.40q", id, got[id], data)
					break
				}
			}
			if inside == 0 {
				t.Error("no run went on inside an object")
			}
		})
	}
}

// resumed runs a job until it drains and gives its records by key and index, and
// how often it broke off inside an object. A record that comes again must be the
// same.
func resumed(t *testing.T, s *blob.Store, read stream.ReadOptions, rng *rand.Rand) (got map[string]string, inside int) {
	t.Helper()
	cp := &memCheckpoint{}
	got = map[string]string{}
	var mu sync.Mutex
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		left, how := 1+rng.IntN(8), rng.IntN(3)
		rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			if left--; left < 0 {
				switch how {
				case 0:
					return stream.Stop
				case 1:
					return errors.New("broken off")
				}
				cancel()
				return ctx.Err()
			}
			for rec := range b.All() {
				id := fmt.Sprint(b.Object().Key, rec.Index)
				if old, ok := got[id]; ok && old != string(rec.Data) {
					t.Errorf("record %s again: got %.40q, want %.40q", id, rec.Data, old)
				}
				got[id] = string(rec.Data)
			}
			return nil
		}), &stream.Options{Lanes: 2, Read: read, Checkpoint: cp, CheckpointEvery: time.Microsecond})
		cancel()
		if err == nil && !rep.Stopped {
			if !rep.Complete() {
				t.Errorf("drained, not complete:\n%s", rep)
			}
			return got, inside
		}
		m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range m.Open {
			if o.Record > 0 {
				inside++
			}
		}
	}
	t.Error("not done after 300 runs")
	return got, inside
}

// resumable is data of a few slabs for each framer.
func resumable(t *testing.T) map[string]string {
	const size = 600 << 10
	rng := rand.New(rand.NewPCG(6, 0))
	var rows, array, prefixed, varints, logs, nul, docs strings.Builder
	var files []string
	array.WriteString("[ ")
	rows.WriteString("id,text\r\n")
	for i := 0; rows.Len() < size; i++ {
		text := strings.Repeat(fmt.Sprintf("%d \\\"\" [,\n", i), rng.IntN(60))
		fmt.Fprintf(&rows, "%d,\"%s\"\r\n", i, text)
		doc := fmt.Sprintf("{\"n\": %d,\n \"text\": %q}", i, text)
		if i > 0 {
			array.WriteString("\n, ")
		}
		array.WriteString(doc)
		docs.WriteString(doc)
		prefixed.WriteString(u32be(text))
		varints.Write(binary.AppendUvarint(nil, uint64(len(text))))
		varints.WriteString(text)
		fmt.Fprintf(&logs, "#%d %s\n", i, strings.ReplaceAll(text, "\n", "\n\tat "))
		nul.WriteString(text + "\x00")
		files = append(files, text)
	}
	array.WriteString("]\n")
	return map[string]string{
		"csv": rows.String(), "json-array": array.String(), "json": docs.String(), "tar": tarFiles(t, files...),
		"fixed:1000": strings.Repeat(rows.String()[:1000], size/1000), "u32be": prefixed.String(), "varint": varints.String(),
		`regexp:^#\d`: logs.String(), "delim:00": nul.String(), "ndjson": strings.ReplaceAll(docs.String(), "}{", "}\n\n{"),
		"turns": rows.String(),
	}
}
