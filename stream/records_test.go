package stream_test

import (
	"context"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// The report of Records is that of its one object.
func TestRecordsReport(t *testing.T) {
	long := strings.Repeat("x", 100)
	s := store(t, map[string][]byte{
		"a.txt": []byte("1\n" + long + "\n3\n" + long + "\n"),
		"j":     []byte("1\n{]\n3\n"),
	})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name               string
		ctx                context.Context
		key                string
		read               stream.ReadOptions
		most               int // records that are taken
		class              string
		done, failed       int64
		taken, left, short int64
	}{
		{"a record left out at the end leaves no gap, and is counted", t.Context(), "a.txt",
			stream.ReadOptions{MaxRecord: 50, Oversized: stream.SkipOversized}, 100, "", 1, 0, 2, 2, 0},
		{"shortened", t.Context(), "a.txt",
			stream.ReadOptions{MaxRecord: 50, Oversized: stream.TruncateOversized}, 100, "", 1, 0, 4, 0, 2},
		{"an object that is left early remains, with what was taken", t.Context(), "a.txt", stream.ReadOptions{}, 3, "", 0, 0, 3, 0, 0},
		{"a refused record fails it", t.Context(), "j", stream.ReadOptions{Frame: "json"}, 100, "bad_record", 0, 1, 1, 0, 0},
		{"an object that is not there fails", t.Context(), "none", stream.ReadOptions{}, 100, "missing", 0, 1, 0, 0, 0},
		{"the end of the context fails nothing", canceled, "a.txt", stream.ReadOptions{}, 100, "canceled", 0, 0, 0, 0, 0},
		{"an option that makes no sense", t.Context(), "a.txt", stream.ReadOptions{MaxRecord: -1}, 100, "invalid", 0, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		rep := stream.Report{Source: "of an earlier read"}
		n, last := 0, error(nil)
		for _, err := range stream.Records(tt.ctx, s, tt.key, &stream.RecordsOptions{Read: tt.read, Report: &rep}) {
			if last = err; err != nil {
				break
			}
			if n++; n == tt.most {
				break
			}
		}
		c := rep.Counts
		if rep.Source != s.Name() || rep.Class != tt.class || (rep.Error == "") != (last == nil) || last != nil && stream.ClassOf(last).String() != tt.class {
			t.Errorf("%s: got %v, report of %q: %q of class %q", tt.name, last, rep.Source, rep.Error, rep.Class)
		}
		if c.Done.Objects != tt.done || c.Failed.Objects != tt.failed || c.Delivered() != tt.taken || int64(n) != tt.taken ||
			c.RecordsSkipped != tt.left || c.RecordsTruncated != tt.short {
			t.Errorf("%s: %d records taken, counts %+v", tt.name, n, c)
		}
		if rep.Lanes > 0 && rep.Stages.Sum() != rep.Wall {
			t.Errorf("%s: stages add up to %v of %v", tt.name, rep.Stages.Sum(), rep.Wall)
		}
		if complete := tt.done == 1 && tt.left+tt.short == 0; rep.Complete() != complete {
			t.Errorf("%s: complete %v", tt.name, rep.Complete())
		}
		if tt.done == 1 && (c.Stored != c.Done.Size || len(rep.Codecs) != 1 || len(rep.Framers) != 1 || rep.FirstRecord.After == 0) {
			t.Errorf("%s: read %+v as %+v, %+v; first %+v", tt.name, c, rep.Codecs, rep.Framers, rep.FirstRecord)
		}
	}
}
