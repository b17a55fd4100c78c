package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// trickle is a remote store whose bodies give few bytes at a time.
type trickle struct {
	driver.Driver
	n int
}

func (d trickle) Traits() driver.Traits { return driver.Traits{} }

func (d trickle) ReadRange(ctx context.Context, key string, off, n int64, version string) (driver.Range, error) {
	r, err := d.Driver.ReadRange(ctx, key, off, n, version)
	if err == nil {
		r.Body = trickling{r.Body, d.n}
	}
	return r, err
}

type trickling struct {
	io.ReadCloser
	n int
}

func (b trickling) Read(p []byte) (int, error) { return b.ReadCloser.Read(p[:min(b.n, len(p))]) }

// arrival is a way in which the bytes of an object come, and in which a job goes
// over it.
type arrival struct {
	name      string
	chunk     int // bytes of a body's Read; 0: a local store
	rangeSize int64
	lanes     int
	stopEvery int // batches after which the job is stopped and resumed; 0: never
}

var comings = []arrival{
	{name: "local, one lane", lanes: 1},
	{name: "local, four lanes", lanes: 4},
	{name: "remote, by 1000 bytes", chunk: 1000, lanes: 1},
	{name: "remote, by 4000 bytes in ranges of 4 KiB", chunk: 4000, rangeSize: 4 << 10, lanes: 2},
	{name: "remote, ranges of 64 KiB", chunk: 1 << 20, rangeSize: 64 << 10, lanes: 1},
	{name: "stopped at every third batch", lanes: 1, stopEvery: 2},
	{name: "remote, stopped at every fourth", chunk: 3000, rangeSize: 4 << 10, lanes: 1, stopEvery: 3},
}

// judged is all that a job says of its objects: records by id, counts, and every
// failure with its text.
func judged(t *testing.T, objects map[string][]byte, read stream.ReadOptions, skip bool, a arrival) string {
	t.Helper()
	mem := memstore.New()
	base := blob.New(mem, &blob.Options{Name: "mem://x"})
	defer base.Close()
	for key, data := range objects {
		put(t, base, key, data)
	}
	s := base
	if a.chunk > 0 {
		s = blob.New(trickle{mem, a.chunk}, &blob.Options{Name: "mem://x"})
		defer s.Close()
	}
	read.RangeSize = a.rangeSize
	got := map[string]string{}
	failed := map[string]bool{}
	note := func(skip bool) stream.Policy {
		return func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
			failed[fmt.Sprintf("%s at %d: %s", e.Class, e.Decoded, e)] = true
			if skip {
				return stream.Skip, nil
			}
			return stream.Fail, nil
		}
	}
	cp := &memCheckpoint{}
	opts := &stream.Options{Lanes: a.lanes, Read: read, OnObjectError: note(true), OnRecordError: note(skip), Checkpoint: cp}
	for {
		var mu sync.Mutex
		n := 0
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; a.stopEvery > 0 && n > a.stopEvery {
				return stream.Stop
			}
			for r := range b.All() {
				got[r.ID()] = fmt.Sprintf("%s %d at %d: %d bytes %.10q", b.Object().Key, r.Index, r.Offset, len(r.Data), r.Data)
			}
			return nil
		}), opts)
		if rep.Stopped {
			continue
		}
		all := sum(rep.Earlier, rep.Counts)
		var lines []string
		for _, r := range got {
			lines = append(lines, r)
		}
		for f := range failed {
			lines = append(lines, f)
		}
		slices.Sort(lines)
		m, merr := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if merr != nil {
			t.Fatal(merr)
		}
		return fmt.Sprintf("%v, complete %v, records %d, skipped %d, cut %d, objects done %d, skipped %d, with %d records, kept %d\n%s", err, rep.Complete(),
			all.Listed.Delivered, all.RecordsSkipped, all.RecordsTruncated, all.Done.Objects, all.Skipped.Objects, all.Done.Delivered+all.Skipped.Delivered, len(m.Failures), strings.Join(lines, "\n"))
	}
}

// mixtures are objects with good, bad, oversized and cut records for a limit of
// 5,000 bytes, and with records that are two of these.
var mixtures = []struct{ why, frame, data string }{
	{"oversized and broken later", "json", `{"m":"` + long(20000) + `"]` + "\n" + `{"a":2}` + "\n"},
	{"oversized and broken out of sight", "json", `{"a":1}{"m":"` + long(90000) + `"]` + "\n" + `{"a":2}` + "\n"},
	{"oversized and whole", "json", `{"a":1}{"m":"` + long(90000) + "\"}\n" + `{"a":2}` + "\n"},
	{"oversized and cut", "json", `{"a":1}{"m":"` + long(90000)},
	{"oversized and broken later", "json-array", `[1,{"m":"` + long(80000) + `"],` + "2]"},
	{"oversized and whole", "json-array", `[1,{"m":"` + long(80000) + `"},{"m":"` + long(6000) + `"},2]`},
	{"oversized and broken later", "csv", "a," + long(20000) + "\n\"b\"x,1\nc,2\n"},
	{"oversized and broken out of sight", "csv", "a,\"" + long(90000) + "\"x\nb,1\nc,2\n"},
	{"oversized and broken", "csv:ragged=error", "a,b\n" + long(90000) + "\nb,1\n1\nc,2\n"},
	{"oversized", "lines", "a\n" + long(20000) + "\nb\n" + long(90000) + "\nc\n" + long(200000)},
	{"oversized with blank lines", "ndjson", "1\n\n" + strings.Repeat(" \n", 40000) + "2\n\n" + long(100000) + "\n3\n"},
	{"oversized, some in sight", "delim:0001", "a\x00\x01" + long(20000) + "\x00\x01b\x00\x01" + long(90000) + "\x00\x01c"},
	{"oversized, some in sight", "regexp:^[0-9]", "1 a\n b\n2 " + long(20000) + "\n c\n3 " + long(4900) + "\n4\n" + long(90000) + "\n5\n"},
	{"oversized", "u32be", "\x00\x00\x00\x01a\x00\x01\x5f\x90" + long(90000) + "\x00\x00\x00\x01b\x00\x00"},
	{"oversized", "tar", tarOf(100) + tarOf(90000) + tarOf(10) + tarOf(6000) + tarOf(90000)[:3000]},
	{"oversized and bad", "warc", warcOf(100) + warcOf(90000) + "junk\r\n" + long(8000) + "\r\n" + warcOf(6000) + warcOf(10)},
	{"a long header", "warc", "WARC/1.0\r\nx: " + long(7000) + "\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n" + warcOf(10)},
	{"a long bad header", "warc", "WARC/1.0\r\nx: " + long(7000) + "\r\nContent-Length: x\r\n\r\nabc\r\n\r\n" + warcOf(10)},
	{"bytes that no record begins with", "warc", warcOf(5) + long(90000) + "\r\n" + warcOf(10)},
}

func long(n int) string { return strings.Repeat("x", n) }

func warcOf(n int) string {
	return fmt.Sprintf("WARC/1.0\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", n, long(n))
}

// What is made of a record, and what is said of it, is the same however its bytes
// arrive, wherever slabs end, on one lane or several, in one run or many.
func TestOneJudgement(t *testing.T) {
	for _, m := range mixtures {
		for _, codec := range []string{"none", "gzip"} {
			for over, policy := range []string{"fail", "skip", "truncate"} {
				for _, skip := range []bool{true, false} {
					objects := map[string][]byte{}
					for _, before := range []int{0, 125 << 10} { // moves the slabs' ends
						data := []byte(m.data)
						if m.frame == "lines" || m.frame == "ndjson" {
							data = append(bytes.Repeat([]byte("12345678901234\n"), before/15), data...)
						}
						objects[fmt.Sprint("o", before)] = encode(t, codec, data)
					}
					read := stream.ReadOptions{Frame: m.frame, Codec: codec, MaxRecord: 5000, Oversized: stream.OversizedPolicy(over)}
					var want string
					for _, a := range comings {
						got := judged(t, objects, read, skip, a)
						if want == "" {
							want = got
						}
						if got != want {
							t.Errorf("%s, %s, %s, oversized: %s, skip %v, %s: got\n%s\nwant as %s\n%s", m.frame, m.why, codec, policy, skip, a.name, got, comings[0].name, want)
							break
						}
					}
				}
			}
		}
	}
}
