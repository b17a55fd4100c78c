package drivertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/thaw-go/thaw/blob/driver"
)

var readCases = []testCase{
	{
		name: "ReadRanges",
		rule: "a range holds exactly the bytes asked for that exist; size and version are those of the whole object",
		run: func(s *store) {
			const size = 1000
			data := pattern(size)
			s.put("k", data)
			stat, err := s.Stat(s.Context(), "k")
			if err != nil {
				s.Fatal(err)
			}
			for _, c := range []struct{ offset, length, from, to int64 }{
				{0, -1, 0, size},
				{0, size, 0, size},
				{0, 1, 0, 1},
				{0, size + 500, 0, size},
				{1, -1, 1, size},
				{400, 200, 400, 600},
				{size - 1, 1, size - 1, size},
				{size - 1, -1, size - 1, size},
				{size - 1, 10, size - 1, size},
				{size, -1, size, size},
				{size, 10, size, size},
				{size + 100, -1, size, size},
				{size + 100, 10, size, size},
			} {
				for _, version := range []string{"", stat.Version} {
					got, obj, err := s.read(s.Context(), "k", c.offset, c.length, version)
					if err != nil || !bytes.Equal(got, data[c.from:c.to]) {
						s.Errorf("ReadRange(%d, %d, %q): got %d bytes, %v, want bytes %d to %d", c.offset, c.length, version, len(got), err, c.from, c.to)
						continue
					}
					if obj.Size != size || obj.Version != stat.Version {
						s.Errorf("ReadRange(%d, %d, %q): got size %d, version %q, want %d, %q", c.offset, c.length, version, obj.Size, obj.Version, size, stat.Version)
					}
				}
			}
		},
	},
	{
		name: "ReadEmpty",
		rule: "an empty object reads as nothing, whatever is asked for",
		run: func(s *store) {
			s.put("empty", nil)
			for _, length := range []int64{-1, 1, 8 << 20} {
				got, obj, err := s.read(s.Context(), "empty", 0, length, "")
				if err != nil || len(got) != 0 || obj.Size != 0 {
					s.Errorf("length %d: got %d bytes of size %d, %v, want none and no error", length, len(got), obj.Size, err)
				}
			}
			if stat, err := s.Stat(s.Context(), "empty"); err != nil || stat.Size != 0 {
				s.Errorf("stat: got size %d, %v, want 0", stat.Size, err)
			}
		},
	},
	{
		name: "ReadMissing",
		rule: "what is not there is fs.ErrNotExist, for every call, and so is a folder",
		run: func(s *store) {
			s.put("folder/k", nil)
			for _, key := range []string{"nope", "folder", "folder/", "folder/k/x", "folder/nope", "Folder/k"} {
				if _, err := s.Stat(s.Context(), key); !errors.Is(err, fs.ErrNotExist) {
					s.Errorf("Stat(%q): got %v, want %v", key, err, fs.ErrNotExist)
				}
				for _, offset := range []int64{0, 10} {
					if _, _, err := s.read(s.Context(), key, offset, -1, ""); !errors.Is(err, fs.ErrNotExist) {
						s.Errorf("ReadRange(%q, %d): got %v, want %v", key, offset, err, fs.ErrNotExist)
					}
				}
			}
		},
	},
	{
		name:  "ReadReplaced",
		rule:  "a read that names a version is answered by that version or by driver.ErrChanged",
		needs: []Ability{Versions},
		run: func(s *store) {
			old := s.put("k", pattern(500))
			now := s.put("k", pattern(600))
			if old == now || old == "" {
				s.Fatalf("got versions %q and %q, want two", old, now)
			}
			for _, offset := range []int64{0, 100, 550, 700} {
				if _, _, err := s.read(s.Context(), "k", offset, 10, old); !errors.Is(err, driver.ErrChanged) {
					s.Errorf("offset %d: got %v, want %v", offset, err, driver.ErrChanged)
				}
				if _, _, err := s.read(s.Context(), "k", offset, 10, now); err != nil {
					s.Errorf("offset %d: got %v, want the new version", offset, err)
				}
			}
		},
	},
	{
		name:  "ReadPinned",
		rule:  "the version that a response carries pins the ranges behind it: after a replacement they are driver.ErrChanged",
		needs: []Ability{Versions},
		run: func(s *store) {
			s.put("k", bytes.Repeat([]byte("a"), 1000))
			_, first, err := s.read(s.Context(), "k", 0, 300, "")
			if err != nil {
				s.Fatal(err)
			}
			if got, _, err := s.read(s.Context(), "k", 300, 300, first.Version); len(got) != 300 || err != nil {
				s.Errorf("before: got %d bytes, %v, want 300", len(got), err)
			}
			s.put("k", bytes.Repeat([]byte("b"), 2000))
			for _, offset := range []int64{600, 999, 1000, 1500} {
				if got, _, err := s.read(s.Context(), "k", offset, 300, first.Version); !errors.Is(err, driver.ErrChanged) {
					s.Errorf("offset %d: got %d bytes, %v, want %v", offset, len(got), err, driver.ErrChanged)
				}
			}
		},
	},
	{
		name:  "ReadEncoded",
		rule:  "bytes come as they are stored, whatever Content-Encoding says; size is theirs, and Stat tells the encoding",
		needs: []Ability{Encodings},
		run: func(s *store) {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			z.Write(pattern(70000))
			if err := z.Close(); err != nil {
				s.Fatal(err)
			}
			for _, stored := range [][]byte{zipped.Bytes(), []byte("this is not gzip"), nil} {
				if err := s.harness.PutEncoded("k", stored, "gzip"); err != nil {
					s.Fatal(err)
				}
				size := int64(len(stored))
				for _, from := range []int64{0, size / 2} {
					got, obj, err := s.read(s.Context(), "k", from, -1, "")
					if err != nil || !bytes.Equal(got, stored[from:]) || obj.Size != size {
						s.Errorf("from %d: got %d bytes of size %d, %v, want %d of %d", from, len(got), obj.Size, err, size-from, size)
					}
				}
				stat, err := s.Stat(s.Context(), "k")
				if err != nil || stat.Size != size || stat.ContentEncoding != "gzip" {
					s.Errorf("stat: got size %d, encoding %q, %v, want %d, gzip", stat.Size, stat.ContentEncoding, err, size)
				}
			}
		},
	},
	{
		name:  "ReadDenied",
		rule:  "what may not be read is fs.ErrPermission, for every call, and never missing",
		needs: []Ability{Rights},
		run: func(s *store) {
			s.put("k", pattern(100))
			if err := s.harness.Deny("k"); err != nil {
				s.Fatal(err)
			}
			if _, err := s.Stat(s.Context(), "k"); !errors.Is(err, fs.ErrPermission) {
				s.Errorf("Stat: got %v, want %v", err, fs.ErrPermission)
			}
			for _, offset := range []int64{0, 50, 100} {
				if _, _, err := s.read(s.Context(), "k", offset, -1, ""); !errors.Is(err, fs.ErrPermission) {
					s.Errorf("ReadRange at %d: got %v, want %v", offset, err, fs.ErrPermission)
				}
			}
		},
	},
	{
		name: "ReadWhileReplaced",
		rule: "an open body is of one version: it goes on with the old bytes or fails, it never mixes",
		run: func(s *store) {
			const size = 1 << 20
			s.put("k", bytes.Repeat([]byte("a"), size))
			rng, err := s.ReadRange(s.Context(), "k", 0, -1, "")
			if err != nil {
				s.Fatal(err)
			}
			defer rng.Body.Close()
			if _, err := io.CopyN(io.Discard, rng.Body, 1000); err != nil {
				s.Fatal(err)
			}
			s.put("k", bytes.Repeat([]byte("b"), size))
			rest, err := io.ReadAll(rng.Body)
			if bytes.Contains(rest, []byte("b")) {
				s.Errorf("got bytes of the new version in the body of the old one")
			}
			if err == nil && len(rest) != size-1000 {
				s.Errorf("got %d bytes and no error, want %d", len(rest), size-1000)
			}
		},
	},
	{
		name: "ReadAfterCancel",
		rule: "a context bounds every call and the life of a body",
		run: func(s *store) {
			s.put("k", pattern(1<<20))
			s.put("l", nil)
			ended, cancel := context.WithCancel(s.Context())
			cancel()
			_, statErr := s.Stat(ended, "k")
			_, _, readErr := s.read(ended, "k", 0, -1, "")
			_, putErr := s.Put(ended, "new", bytes.NewReader(nil), 0, driver.Condition{})
			var listErr error
			for _, err := range s.List(ended, "", "") {
				listErr = err
			}
			for call, err := range map[string]error{"Stat": statErr, "ReadRange": readErr, "Put": putErr, "List": listErr} {
				if !errors.Is(err, context.Canceled) {
					s.Errorf("%s: got %v, want %v", call, err, context.Canceled)
				}
			}
			if _, err := s.Stat(s.Context(), "new"); !errors.Is(err, fs.ErrNotExist) {
				s.Errorf("a Put with an ended context wrote: %v", err)
			}

			ctx, cancel := context.WithCancel(s.Context())
			defer cancel()
			rng, err := s.ReadRange(ctx, "k", 0, -1, "")
			if err != nil {
				s.Fatal(err)
			}
			defer rng.Body.Close()
			if _, err := io.CopyN(io.Discard, rng.Body, 10); err != nil {
				s.Fatal(err)
			}
			cancel()
			if _, err := io.Copy(io.Discard, rng.Body); !errors.Is(err, context.Canceled) {
				s.Errorf("body: got %v, want %v", err, context.Canceled)
			}
			seen := 0
			ctx, cancel = context.WithCancel(s.Context())
			defer cancel()
			for _, err := range s.List(ctx, "", "") {
				if listErr = err; err == nil {
					seen++
				}
				cancel()
			}
			if seen != 1 || !errors.Is(listErr, context.Canceled) {
				s.Errorf("listing: got %d objects and %v, want 1 and %v", seen, listErr, context.Canceled)
			}
		},
	},
	{
		name: "Concurrent",
		rule: "a driver is safe for concurrent use",
		run: func(s *store) {
			const workers, rounds = 8, 20
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for i := range rounds {
						key := fmt.Sprintf("c/%d/%d", w, i)
						want := pattern(100 + w*10 + i)
						if _, err := s.Put(s.Context(), key, bytes.NewReader(want), int64(len(want)), driver.Condition{}); err != nil {
							s.Errorf("Put(%q): %v", key, err)
							return
						}
						if got, _, err := s.read(s.Context(), key, 0, -1, ""); err != nil || !bytes.Equal(got, want) {
							s.Errorf("read of %q: got %d bytes, %v, want %d", key, len(got), err, len(want))
						}
						if _, err := s.Stat(s.Context(), key); err != nil {
							s.Errorf("Stat(%q): %v", key, err)
						}
						last := ""
						for obj, err := range s.List(s.Context(), "c/", "") {
							if err != nil || obj.Key <= last {
								s.Errorf("listing: got %q after %q, %v", obj.Key, last, err)
								return
							}
							last = obj.Key
						}
					}
				})
			}
			wg.Wait()
			if got := s.list("c/", ""); len(got) != workers*rounds {
				s.Errorf("got %d keys, want %d", len(got), workers*rounds)
			}
		},
	},
}
