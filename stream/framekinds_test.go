package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// What a framer does not read is the error of one record where the next one can be
// found, and of the object where it cannot; what can be read is delivered.
func TestKindsThatAreNotRead(t *testing.T) {
	for _, tt := range []struct {
		name, frame, data string
		want              []string
		records, objects  int64 // left out
		class             stream.Class
	}{
		{"UTF-16", "lines", "\xff\xfea\x00\n\x00", nil, 0, 1, stream.ClassUnsupported},
		{"quote that is never closed", "csv", "a,b\n1,\"x\n2,y\n3,z\n", []string{"a,b"}, 0, 1, stream.ClassBadRecord},
		{"broken line of JSON", "json", "{}\n{\"a\":NaN}\n[]\n", []string{"{}", "[]"}, 1, 0, stream.ClassBadRecord},
		{"WARC without the line ends after a block", "warc", "WARC/1.0\r\nContent-Length: 1\r\n\r\naWARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
			[]string{"WARC/1.0\r\nContent-Length: 0\r\n\r\n"}, 1, 0, stream.ClassBadRecord},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := store(t, map[string][]byte{"a": []byte(tt.data)})
			var got []string
			var class []stream.Class
			note := func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
				class = append(class, e.Class)
				return stream.Skip, nil
			}
			rep, err := stream.Backfill(context.Background(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				for r := range b.All() {
					got = append(got, string(r.Data))
				}
				return nil
			}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Frame: tt.frame, Codec: "none"}, OnRecordError: note, OnObjectError: note})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) || rep.Counts.RecordsSkipped != tt.records || rep.Counts.Skipped.Objects != tt.objects {
				t.Errorf("got %q, %d records and %d objects left out, want %q, %d and %d", got, rep.Counts.RecordsSkipped, rep.Counts.Skipped.Objects, tt.want, tt.records, tt.objects)
			}
			if len(class) == 0 || class[len(class)-1] != tt.class {
				t.Errorf("got classes %v, want %v at last", class, tt.class)
			}
		})
	}
	s := store(t, map[string][]byte{"a": []byte("\xfe\xff\x00a\x00\n")})
	_, err := stream.Backfill(context.Background(), s.List(nil), stream.Discard, &stream.Options{Read: stream.ReadOptions{Frame: "lines", Codec: "none"}})
	if !errors.Is(err, frame.ErrUnsupported) || stream.ClassOf(err) != stream.ClassUnsupported {
		t.Errorf("without a policy: got %v of class %v, want %v", err, stream.ClassOf(err), frame.ErrUnsupported)
	}
}
