package drivertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

// Harness is one empty store and what the suite must know about it.
type Harness struct {
	// Driver is the store under test. It must hold no object. The suite does not
	// close it.
	Driver driver.Driver

	// Lacks maps what the store cannot do by its nature to the reason. Nil means
	// that it can do everything.
	Lacks map[Ability]string

	// Refuses maps single keys that the store does not accept to the reason. A Put
	// of one must be an error, and must write nothing under another key. Nil
	// means none.
	Refuses map[string]string

	// PutEncoded writes an object with a Content-Encoding, for which a driver has
	// no call. Nil skips the case that needs it.
	PutEncoded func(key string, data []byte, encoding string) error

	// Deny revokes the driver's right to read an object that exists. Nil skips the
	// case that needs it.
	Deny func(key string) error
}

// Ability is something that not every kind of store can do.
type Ability string

// The abilities that a case may need.
const (
	// Markers are objects whose key ends in a slash.
	Markers Ability = "keys that end in a slash"

	// KeyAndFolder is an object "a" beside an object "a/b".
	KeyAndFolder Ability = "a key that is also the folder of another"

	// AnyElement allows "a//b", "a/./b" and "a/../b" as keys.
	AnyElement Ability = "empty and dotted path elements in keys"

	// AnyBytes allows keys that are not UTF-8.
	AnyBytes Ability = "keys that are not UTF-8"

	// OddKeys are keys with line breaks, "//f", "." and "..".
	OddKeys Ability = "keys with line breaks or of dots alone"

	// SideNames are keys such as "x.attrs", which some stores reserve.
	SideNames Ability = "keys that end like side files"

	// Versions differ from one content to the next.
	Versions Ability = "versions"

	// Conditions on versions are checked by a Put, of a driver whose traits say so.
	Conditions Ability = "conditions on versions"

	// Encodings are stored with objects; it needs [Harness].PutEncoded.
	Encodings Ability = "Content-Encoding"

	// Rights can be revoked; it needs [Harness].Deny.
	Rights Ability = "rights"
)

// missing returns why a case with the need cannot run; empty if it can.
func (h *Harness) missing(need Ability) string {
	if why, lacks := h.Lacks[need]; lacks {
		return why
	}
	if need == Encodings && h.PutEncoded == nil || need == Rights && h.Deny == nil {
		return "the harness has no means to make them"
	}
	return ""
}

// Run runs every case of the suite, each as a subtest on a new store that open makes.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range slices.Concat(listCases, readCases, writeCases, nameCases) {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			for _, need := range c.needs {
				if why := h.missing(need); why != "" {
					t.Skipf("the store has no %s: %s", need, why)
				}
			}
			s := &store{T: t, Driver: h.Driver, harness: &h, rule: c.rule}
			defer func() {
				if t.Failed() {
					t.Logf("rule: %s", c.rule)
				}
			}()
			c.run(s)
		})
	}
}

// testCase is one rule.
type testCase struct {
	name  string
	rule  string
	needs []Ability
	run   func(s *store)
}

// store is the store under test with the test that looks at it.
type store struct {
	*testing.T
	driver.Driver
	harness *Harness
	rule    string
}

// keys returns those that the store accepts.
func (s *store) keys(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(key string) bool {
		_, refused := s.harness.Refuses[key]
		return refused
	})
}

// put writes an object or ends the test.
func (s *store) put(key string, data []byte) (version string) {
	s.Helper()
	version, err := s.Put(s.Context(), key, bytes.NewReader(data), int64(len(data)), driver.Condition{})
	if err != nil {
		s.Fatalf("Put(%q): %v", key, err)
	}
	return version
}

// putObject writes an object and looks it up.
func (s *store) putObject(key string, data []byte) driver.Object {
	s.Helper()
	s.put(key, data)
	obj, err := s.Stat(s.Context(), key)
	if err != nil {
		s.Fatalf("Stat(%q): %v", key, err)
	}
	return obj
}

// putAll writes many empty objects, several at once.
func (s *store) putAll(keys []string) {
	var wg sync.WaitGroup
	for part := range slices.Chunk(keys, len(keys)/16+1) {
		wg.Go(func() {
			for _, key := range part {
				if _, err := s.Put(s.Context(), key, bytes.NewReader(nil), 0, driver.Condition{}); err != nil {
					s.Errorf("Put(%q): %v", key, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// list returns the keys that a listing yields.
func (s *store) list(prefix, after string) []string {
	s.Helper()
	var keys []string
	for obj, err := range s.List(s.Context(), prefix, after) {
		if err != nil {
			s.Fatalf("List(%q, %q) after %d keys: %v", prefix, after, len(keys), err)
		}
		keys = append(keys, obj.Key)
	}
	return keys
}

// read reads a range whole.
func (s *store) read(ctx context.Context, key string, offset, length int64, version string) ([]byte, driver.Object, error) {
	rng, err := s.ReadRange(ctx, key, offset, length, version)
	if err != nil {
		return nil, driver.Object{}, err
	}
	if rng.Offset != offset {
		rng.Body.Close()
		return nil, driver.Object{}, fmt.Errorf("body begins at byte %d, want %d", rng.Offset, offset)
	}
	data, err := io.ReadAll(rng.Body)
	if cerr := rng.Body.Close(); err == nil {
		err = cerr
	}
	return data, rng.Object, err
}

// traits are those of the driver, wherever it states any.
func (s *store) traits() driver.Traits {
	if d, ok := s.Driver.(driver.Describer); ok {
		return d.Traits()
	}
	return driver.Traits{}
}

// pattern is n bytes, most of which differ from their neighbours.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) ^ byte(i>>8)
	}
	return b
}
