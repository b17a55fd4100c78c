package codec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/amount"
)

// Summary sums up what [Inspect] found in many objects, above all what a reader needs to read
// each of them. The zero value is ready to use. It belongs to one goroutine, and its size does
// not depend on how many objects are added.
type Summary struct {
	Objects int64 `json:"objects"`      // how many were added
	Stored  int64 `json:"stored_bytes"` // their stored bytes
	Failed  int64 `json:"failed"`       // for how many Fail was called

	// Decoded is the sum of the decoded sizes: what decoding gave, or else what headers
	// state. Unsized is how many objects have neither.
	Decoded int64 `json:"decoded_bytes"`
	Unsized int64 `json:"unsized"`

	// Window is the largest window of an object: Options.MaxWindow must be at least so much.
	// Memory is the most memory that the Decoders of one object take.
	Window Largest `json:"window"`
	Memory Largest `json:"memory"`

	// Refused is how many objects have a window larger than [DefaultMaxWindow].
	Refused int64 `json:"refused"`

	// Kinds has the codecs and their variants, sorted by name, at most 1,000.
	Kinds []Kind `json:"kinds,omitempty"`

	// Dictionaries has the ids of the dictionaries that objects need, at most 1,000.
	Dictionaries []uint32 `json:"dictionaries,omitempty"`

	// Conflicts is how many objects have evidence for different codecs.
	Conflicts int64 `json:"conflicts"`
}

// Largest is the largest of some sizes, and the first object that has it.
type Largest struct {
	Size int64  `json:"size_bytes"`    // the size
	Key  string `json:"key,omitempty"` // key of the object; empty if Size is 0
}

// Kind counts the objects of one codec, or of one variant of it.
type Kind struct {
	Codec   string `json:"codec"`             // names of all layers, as [Detection.Name] returns them
	Variant string `json:"variant,omitempty"` // the variant; empty: all objects of the codec
	Objects int64  `json:"objects"`           // how many
	Stored  int64  `json:"stored_bytes"`      // their stored bytes
}

const (
	summaryKinds        = 1000 // of Kinds
	summaryDictionaries = 1000
)

// Add adds the object called key, for which Inspect returned info.
func (s *Summary) Add(key string, info *Info) {
	s.Objects++
	s.Stored += info.Size
	switch {
	case info.Decoded >= 0:
		s.Decoded += info.Decoded
	case info.Declared >= 0:
		s.Decoded += info.Declared
	default:
		s.Unsized++
	}
	s.Window.raise(info.Window, key)
	s.Memory.raise(info.Memory, key)
	if info.Window > DefaultMaxWindow {
		s.Refused++
	}
	if len(info.Detection.Conflicts) > 0 {
		s.Conflicts++
	}
	name := info.codecs()
	s.kind(name, "", info.Size)
	for _, v := range info.Variants {
		s.kind(name, v, info.Size)
	}
	for _, id := range info.Dictionaries {
		s.Dictionaries = once(s.Dictionaries, id, summaryDictionaries)
	}
}

// Fail counts an object for which Inspect returned an error. Call Add as well to add what
// was found before the error.
func (s *Summary) Fail() { s.Failed++ }

func (m *Largest) raise(n int64, key string) {
	if n > m.Size {
		*m = Largest{Size: n, Key: key}
	}
}

func (s *Summary) kind(codec, variant string, stored int64) {
	k, found := slices.BinarySearchFunc(s.Kinds, Kind{Codec: codec, Variant: variant}, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Codec, b.Codec), cmp.Compare(a.Variant, b.Variant))
	})
	if !found {
		if len(s.Kinds) == summaryKinds {
			return
		}
		s.Kinds = slices.Insert(s.Kinds, k, Kind{Codec: codec, Variant: variant})
	}
	s.Kinds[k].Objects++
	s.Kinds[k].Stored += stored
}

// String returns a description for people, of several lines that each end with \n.
func (s *Summary) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("objects", "%d of %s", s.Objects, amount.Data(s.Stored))
	if s.Failed > 0 {
		line("failed", "%d", s.Failed)
	}
	unsized := ""
	if s.Unsized > 0 {
		unsized = ", and " + objectCount(s.Unsized) + " without a size"
	}
	line("decoded", "%s%s", amount.Data(s.Decoded), unsized)
	line("window", "%s at most%s", amount.Memory(s.Window.Size), s.Window.of())
	line("memory", "%s at most for a reader%s", amount.Memory(s.Memory.Size), s.Memory.of())
	if s.Refused > 0 {
		line("refused", "%s unless MaxWindow is raised from %s", objectCount(s.Refused), amount.Memory(DefaultMaxWindow))
	}
	if len(s.Dictionaries) > 0 {
		line("dictionary", "%s", strings.Trim(fmt.Sprint(s.Dictionaries), "[]"))
	}
	if s.Conflicts > 0 {
		line("conflicts", "%s whose name or header speaks of another codec", objectCount(s.Conflicts))
	}
	for _, k := range s.Kinds {
		name := k.Codec
		if k.Variant != "" {
			name = "  " + k.Variant
		}
		fmt.Fprintf(&b, "  %-28s  %9d  %s\n", name, k.Objects, amount.Data(k.Stored))
	}
	return b.String()
}

func (m Largest) of() string {
	if m.Key == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", m.Key)
}

func objectCount(n int64) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}
