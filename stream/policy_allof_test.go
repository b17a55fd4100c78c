package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// AllOf asks until one fails, and answers as the last.
func TestAllOf(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name    string
		answers []stream.Action
		failing int // the policy that returns an error, -1 for none
		want    stream.Action
		asked   int
	}{
		{"none", nil, -1, stream.Fail, 0},
		{"the last answer counts", []stream.Action{stream.Skip, stream.Quarantined}, -1, stream.Quarantined, 2},
		{"whatever that is", []stream.Action{stream.Quarantined, stream.Retry}, -1, stream.Retry, 2},
		{"a first Fail ends it", []stream.Action{stream.Fail, stream.Quarantined}, -1, stream.Fail, 1},
		{"a last Fail counts", []stream.Action{stream.Skip, stream.Fail}, -1, stream.Fail, 2},
		{"an error ends it", []stream.Action{stream.Skip, stream.Skip, stream.Skip}, 1, stream.Fail, 2},
	}
	for _, tt := range tests {
		asked := 0
		var policies []stream.Policy
		for i, a := range tt.answers {
			policies = append(policies, func(*stream.Error, stream.Totals) (stream.Action, error) {
				if asked++; i == tt.failing {
					return a, broken
				}
				return a, nil
			})
		}
		got, err := stream.AllOf(policies...)(&stream.Error{Err: broken}, stream.Totals{})
		if got != tt.want || asked != tt.asked || errors.Is(err, broken) != (tt.failing >= 0) {
			t.Errorf("%s: got %v, %v after %d questions; want %v after %d", tt.name, got, err, asked, tt.want, tt.asked)
		}
	}
}

// A bound and a quarantine in one: each failure that is skipped is recorded, over all
// runs, and the job ends at the first beyond.
func TestAllOfBoundsAndRecords(t *testing.T) {
	var data []byte
	for i := range 100 {
		data = fmt.Appendf(data, "%d\n", i)
	}
	s := store(t, map[string][]byte{"n.txt": data})
	var file bytes.Buffer
	odd := stream.ParseTo(func(rec stream.Record) (int, error) {
		if rec.Index%2 == 1 {
			return 0, fmt.Errorf("odd: %w", fs.ErrInvalid)
		}
		return 0, nil
	}, func(context.Context, []int) error { return nil })
	rep, err := stream.Backfill(t.Context(), s.List(nil), odd, &stream.Options{
		OnRecordError: stream.AllOf(stream.SkipWithin(stream.Within{Count: 7}), stream.Quarantine(&file)),
	})
	// What a parser makes of a record is of that record, whatever it wraps.
	if stream.ClassOf(err) != stream.ClassBadRecord {
		t.Errorf("got %v of class %v, want %v", err, stream.ClassOf(err), stream.ClassBadRecord)
	}
	if got := bytes.Count(file.Bytes(), []byte("\n")); got != 7 || rep.Counts.RecordsSkipped != 7 {
		t.Errorf("%d lines recorded, %d records skipped, want 7 of both", got, rep.Counts.RecordsSkipped)
	}
}

// An option or a key that makes no sense is a class, which no policy retries by itself.
func TestInvalidInput(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("1\n")})
	_, empty := stream.Open(t.Context(), s, "", nil)
	_, option := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Read: stream.ReadOptions{MaxRecord: -1}})
	_, offset := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Offset: 3})
	for name, err := range map[string]error{"an empty key": empty, "an option": option, "an offset past the end": offset} {
		if got := stream.ClassOf(err); got != stream.ClassInvalid {
			t.Errorf("%s: got %v of class %v, want %v", name, err, got, stream.ClassInvalid)
		}
		var e *stream.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: got %T, want %T", name, err, e)
		}
		if a, _ := stream.RetryAtMost(1)(e, stream.Totals{}); a != stream.Fail {
			t.Errorf("%s: RetryAtMost answers %v, want %v", name, a, stream.Fail)
		}
	}
}

// refusingScanner is a Scanner that refuses its first record for a reason of its own.
type refusingScanner struct{ err error }

func (r refusingScanner) Scan(_ []byte, _ bool, ends []uint32) ([]uint32, error) {
	return ends, &frame.Error{Framer: "refusing", Err: r.err}
}
func (refusingScanner) State() []byte { return nil }

// What a framer refuses is a bad record, whatever its reason wraps.
func TestRefusedByFramer(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("1\n")})
	for reason, want := range map[error]stream.Class{
		fs.ErrInvalid: stream.ClassBadRecord, errors.New("no"): stream.ClassBadRecord, io.ErrUnexpectedEOF: stream.ClassBadRecord,
		frame.ErrUnsupported: stream.ClassUnsupported,
	} {
		framers := frame.Default().Clone()
		framers.Register(frame.Framer{Name: "refusing", New: func(*frame.Options) (frame.Scanner, error) { return refusingScanner{reason}, nil }})
		for _, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: stream.ReadOptions{Framers: framers, Frame: "refusing"}}) {
			if _, record := errors.AsType[*stream.RecordError](err); !record || stream.ClassOf(err) != want {
				t.Errorf("%v: got %v of class %v, want a record of class %v", reason, err, stream.ClassOf(err), want)
			}
		}
	}
}
