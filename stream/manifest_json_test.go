package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
	"github.com/thaw-go/thaw/stream/catalog"
)

// byteKeys are keys that text formats lose: order and identity hang on every byte.
var byteKeys = []string{
	"a1", "caf\xc3", "caf\xc3\xa9", "caf\xc4", "caf\xd0", "caf\xe9.log", "caf\xef\xbf\xbd", "caf\xf0", "half \xed\xa0\x80",
	"\x01", "\x7f", "a\nb", "a\"b", `a\b`, "\u2028", "<&>", "{", "z\xff", "\xff\xfe",
}

// A key is bytes: a job that is stopped anywhere reads each object once.
func TestKeysSurviveManifests(t *testing.T) {
	t.Parallel()
	objects := map[string][]byte{}
	for _, key := range byteKeys {
		objects[key] = []byte("one\ntwo\n")
	}
	for i := range 200 { // more than the lister runs ahead
		key := string([]byte{'f', byte(0xc0 + i%60), byte('0' + i/60)})
		objects[key] = []byte("one\ntwo\n")
	}
	s := store(t, objects)
	keys := slices.Sorted(maps.Keys(objects))
	for _, tt := range []struct {
		reason string
		source blob.Source
		want   []string
	}{
		{"a listing", s.List(nil), keys},
		{"a listing of a prefix that is not UTF-8", s.List(&blob.ListOptions{Prefix: "f\xc0"}), []string{"f\xc00", "f\xc01", "f\xc02", "f\xc03"}},
		{"many keys", blob.Keys(s, keys...), keys},
		{"one key that is not UTF-8", blob.Keys(s, "caf\xe9.log"), []string{"caf\xe9.log"}},
	} {
		for _, stopAt := range []int{1, 3, 7, 70} {
			cp, c := &memCheckpoint{}, newCollector()
			var rep *stream.Report
			for run := range 300 {
				n := 0
				var err error
				rep, err = stream.Backfill(t.Context(), tt.source, stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
					if n++; n == stopAt && run < 200 {
						return stream.Stop
					}
					return c.write(ctx, b)
				}), &stream.Options{Lanes: 1, Checkpoint: cp, OnObjectError: stream.SkipClasses()})
				if err != nil {
					t.Fatalf("%s, stopped at %d, run %d: %v", tt.reason, stopAt, run, err)
				}
				if !rep.Stopped {
					break
				}
				if stopAt == 1 && run > 3 {
					stopAt = 2
				}
			}
			if got := slices.Sorted(maps.Keys(c.records)); !slices.Equal(got, tt.want) || !rep.Complete() {
				t.Errorf("%s, stopped at %d: got %d keys, complete %v; want %d, true", tt.reason, stopAt, len(got), rep.Complete(), len(tt.want))
			}
			for id, n := range c.ids {
				if n != 1 {
					t.Errorf("%s, stopped at %d: the record %s came %d times, want 1", tt.reason, stopAt, id, n)
				}
			}
		}
	}
}

// What JSON says of a key is the key: in the manifest, the report, a quarantine and
// a plan. A line of a quarantine is one of a key file.
func TestKeysSurviveJSON(t *testing.T) {
	t.Parallel()
	for _, key := range byteKeys {
		s := store(t, map[string][]byte{key: []byte("one\ntwo\n")})
		cp := &memCheckpoint{}
		var quarantine, log bytes.Buffer
		rep, err := stream.Backfill(t.Context(), blob.Keys(s, key), stream.ParseTo(
			func(rec stream.Record) (int, error) { return 0, fmt.Errorf("%s of %s: %w", rec.Data, key, errBad) },
			func(context.Context, []int) error { return nil }), &stream.Options{
			Lanes: 1, Checkpoint: cp, OnRecordError: stream.Quarantine(&quarantine),
			Trace: stream.LogTrace(slog.New(slog.NewJSONHandler(&log, nil))),
		})
		if err != nil {
			t.Fatal(err)
		}
		m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if err != nil {
			t.Fatal(err)
		}
		if m.Key != key || m.Job.Source != "mem://test "+key || len(m.Failures) != 2 || m.Failures[0].Key != key {
			t.Errorf("%q: got key %q, source %q and failures %+v out of the manifest; want the key", key, m.Key, m.Job.Source, m.Failures)
		}
		again := roundTrip[stream.Report](t, rep)
		if !reflect.DeepEqual(&again, rep) {
			t.Errorf("%q: got the report %+v out of JSON, want %+v", key, again, *rep)
		}
		line, _, _ := bytes.Cut(quarantine.Bytes(), []byte("\n"))
		var entry stream.QuarantineEntry
		if err := json.Unmarshal(line, &entry); err != nil || entry.Key != key {
			t.Errorf("%q: got the key %q out of %s: %v", key, entry.Key, line, err)
		}
		put(t, s, "keys.txt", append(line, '\n'))
		src, err := catalog.KeyFile(t.Context(), s, "keys.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			if err != nil || obj.Key != key {
				t.Errorf("%q: got %q, %v out of the key file %s", key, obj.Key, err, line)
			}
		}
		line, _, _ = bytes.Cut(log.Bytes()[bytes.Index(log.Bytes(), []byte(`"msg":"failure"`)):], []byte("\n"))
		var logged struct {
			Key       string `json:"key"`
			KeyBase64 []byte `json:"key_base64"`
		}
		if err := json.Unmarshal(append([]byte("{"), line...), &logged); err != nil || logged.Key+string(logged.KeyBase64) != key {
			t.Errorf("%q: got the key %q out of the log line %s: %v", key, logged.Key+string(logged.KeyBase64), line, err)
		}
		missing, err := archive.NewPlan(t.Context(), blob.Keys(s, key+" missing"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if plan := roundTrip[archive.Plan](t, missing); len(plan.Failures) != 1 || plan.Failures[0].Key != key+" missing" {
			t.Errorf("%q: got the failures %+v out of the plan's JSON", key, plan.Failures)
		}
	}
}

var errBad = errors.New("bad")

// roundTrip is v by way of JSON.
func roundTrip[T any](t *testing.T, v *T) T {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}
