package stream_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// A number below zero and a field that could not act are mistakes: no default is taken
// for them, and the error names the field.
func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]stream.Options{
		"Options.Lanes":                              {Lanes: -1},
		"Options.Workers":                            {Workers: -1},
		"Options.Memory":                             {Memory: -1},
		"Options.CheckpointEvery":                    {CheckpointEvery: -time.Second},
		"RestoreOptions.Days":                        {Restore: &stream.RestoreOptions{Days: -1}},
		"RestoreOptions.Poll":                        {Restore: &stream.RestoreOptions{Poll: -1}},
		"RestoreOptions.MaxPoll":                     {Restore: &stream.RestoreOptions{MaxPoll: -1}},
		"RestoreOptions.MaxDeferred":                 {Restore: &stream.RestoreOptions{MaxDeferred: -1}},
		"ReadOptions.MaxRecord":                      {Read: stream.ReadOptions{MaxRecord: -1}},
		"ReadOptions.Decode.MaxWindow":               {Read: stream.ReadOptions{Decode: codec.Options{MaxWindow: -1}}},
		"ReadOptions.Decode.MaxDecoded":              {Read: stream.ReadOptions{Decode: codec.Options{MaxDecoded: -1}}},
		"ReadOptions.Decode.MaxRatio":                {Read: stream.ReadOptions{Decode: codec.Options{MaxRatio: -1}}},
		"ReadOptions.RangeSize":                      {Read: stream.ReadOptions{RangeSize: -1}},
		"ReadOptions.InFlight":                       {Read: stream.ReadOptions{InFlight: -1}},
		"ReadOptions.Decode.Grow":                    {Read: stream.ReadOptions{Decode: codec.Options{Grow: func(int64) error { return nil }}}},
		"Options.Memory or Workers":                  {Read: stream.ReadOptions{Pool: stream.NewPool(nil)}, Workers: 1},
		"Options.Memory or Workers beside Read.Pool": {Read: stream.ReadOptions{Pool: stream.NewPool(nil)}, Memory: 64 << 20},
	} {
		store := blob.New(memstore.New(), nil)
		calls := map[string]error{}
		rep, err := stream.Backfill(t.Context(), store.List(nil), stream.Discard, &o)
		if calls["Backfill"] = err; rep == nil {
			t.Errorf("%s: got no report, want one", field)
		}
		if strings.HasPrefix(field, "ReadOptions") {
			_, calls["Open"] = stream.Open(t.Context(), store, "k", &stream.OpenOptions{Read: o.Read})
			for _, err := range stream.Records(t.Context(), store, "k", &stream.RecordsOptions{Read: o.Read}) {
				calls["Records"] = err
			}
		}
		for call, err := range calls {
			if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), field) {
				t.Errorf("%s: got %v, want %v that names %s", call, err, fs.ErrInvalid, field)
			}
		}
	}
}
