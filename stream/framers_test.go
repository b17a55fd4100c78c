package stream_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// u32be is a record with its length before it.
func u32be(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }

// What is long, lies or never ends costs no more memory than the limits allow, has
// the outcome that the policy asks for, and the next record follows where the
// format lets it be found.
func TestHostileRecords(t *testing.T) {
	const limit = 16 << 20 // the default of MaxRecord
	long5, long20 := strings.Repeat("x", 5<<20), strings.Repeat("x", 20<<20)
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
		{"quoted field of 20 MiB, skipped", "csv", "a\n\"" + strings.ReplaceAll(long20, "xxxx", "x\n\"\"") + "\"\nb\n", skip, []int{1, 1}, nil, 1, 0},
		{"unterminated quote", "csv", "a\n\"" + strings.Repeat("b\n", 10000), fail, []int{1}, io.ErrUnexpectedEOF, 0, 0},
		{"length of 20 MiB, skipped", "u32be", u32be("a") + u32be(long20) + u32be("b"), skip, []int{1, 1}, nil, 1, 0},
		{"length of 20 MiB, cut", "u32be", u32be("a") + u32be(long20) + u32be("b"), truncate, []int{1, limit - 4, 1}, nil, 0, 1},
		{"length of 20 MiB", "u32be", u32be("a") + u32be(long20) + u32be("b"), fail, []int{1}, frame.ErrTooLong, 0, 0},
		{"length of 4 GiB and 3 bytes", "u32be", u32be("a") + "\xff\xff\xff\xffabc", fail, []int{1}, frame.ErrTooLong, 0, 0},
		{"length of 4 GiB and 3 bytes, skipped", "u32be", u32be("a") + "\xff\xff\xff\xffabc", skip, []int{1}, nil, 1, 0},
		{"negative length", "varint", "\x01a" + strings.Repeat("\xff", 9) + "\x01", fail, []int{1}, frame.ErrLost, 0, 0},
		{"negative length, skipped", "varint", "\x01a" + strings.Repeat("\xff", 9) + "\x01", skip, []int{1}, frame.ErrLost, 0, 0},
		{"100,000 open arrays", "json", "1 " + strings.Repeat("[", 100000), fail, []int{1}, frame.ErrLost, 0, 0},
		{"document of 20 MiB, skipped", "json", `1 {"a":"` + long20 + `"} 2`, skip, []int{1, 1}, nil, 1, 0},
		{"element of 20 MiB, skipped", "json-array", `[1,"` + long20 + `",2]`, skip, []int{1, 1}, nil, 1, 0},
		{"file of 20 MiB, skipped", "tar", archive(t, "a", long20, "b"), skip, []int{1, 1}, nil, 1, 0},
		{"file of 20 MiB, cut", "tar", archive(t, "a", long20, "b"), truncate, []int{1, limit - 512, 1}, nil, 0, 1},
		{"length over what there is, cut", "u32be", u32be("a") + "\xff\xff\xff\xffabc", truncate, []int{1}, frame.ErrTooLong, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := store(t, map[string][]byte{"o": []byte(tt.data)})
			var got []int
			before := allocated()
			rep, err := stream.Backfill(t.Context(), s.List(nil), sizes(&got), &stream.Options{
				Memory: 256 << 20, Lanes: 1, Read: stream.ReadOptions{Frame: tt.frame, Oversized: tt.policy}})
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
			for rec, err := range stream.Records(t.Context(), s, "o", &stream.ReadOptions{Frame: tt.frame, Oversized: tt.policy}) {
				if rerr = err; err == nil {
					got = append(got, len(rec.Data))
				}
			}
			if !slices.Equal(got, tt.want) || !errors.Is(rerr, tt.is) {
				t.Errorf("Records: got %v, %v, want %v, %v", got, rerr, tt.want, tt.is)
			}
			if tt.is != nil && (stream.ClassOf(err) != stream.ClassOf(rerr) || fmt.Sprint(stream.ClassOf(err)) == "other") {
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

// archive is a tar archive of files that hold data.
func archive(t testing.TB, data ...string) string {
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
