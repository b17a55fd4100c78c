package frame

import (
	"io"
	"slices"
)

// Indexed is the recipe of a format that is read by its index rather than from
// front to back, such as a columnar file with a footer. It gives records in slabs
// like a framer, of bytes that it makes itself. Name and Open are required.
type Indexed struct {
	// Name is how options, reports and manifests call the format.
	Name string

	// Extensions of object names, lower case with the dot: ".parquet".
	Extensions []string

	// Magic says whether head, the first bytes of an object, is of the format.
	// Nil: it is found by name or extension only.
	Magic func(head []byte) bool

	// Open reads what the format says of itself and stands before the first
	// record, or where opts.State says. r serves any range of one version of the
	// object of size bytes; it is valid until Close. opts is never nil.
	Open func(r io.ReaderAt, size int64, opts *Options) (IndexedReader, error)
}

// IndexedReader gives the records of one object in order. It belongs to one
// goroutine.
type IndexedReader interface {
	// Fill writes records one behind the other from the start of slab and
	// appends the offset behind each to ends. With io.EOF, alone or beside the
	// last records, every record was given and what the index declares was
	// found. io.ErrShortBuffer, without records, asks for a larger slab. Other
	// errors come behind the records given.
	Fill(slab []byte, ends []uint32) ([]uint32, error)

	// State is what Open needs, as Options.State, to go on behind the last
	// record given. At most 64 KiB.
	State() []byte

	Close() error
}

// RegisterIndexed adds an indexed format, or replaces the one of the same name.
// It panics like [Registry.Register].
func (r *Registry) RegisterIndexed(x Indexed) {
	switch {
	case r.frozen:
		panic("frame: Default cannot be changed; use Default().Clone()")
	case x.Name == "" || x.Open == nil:
		panic("frame: an Indexed needs Name and Open")
	}
	r.indexed = slices.DeleteFunc(r.indexed, func(o Indexed) bool { return o.Name == x.Name })
	r.indexed = append(r.indexed, x)
}

// FindIndexed finds the indexed format of an object: the one called name; if that
// is empty, the one whose magic head has; else none. evidence is ByChoice or "magic".
func (r *Registry) FindIndexed(name string, head []byte) (x Indexed, evidence Evidence, ok bool) {
	for _, x := range slices.Backward(r.indexed) {
		switch {
		case name == x.Name:
			return x, ByChoice, true
		case name == "" && x.Magic != nil && x.Magic(head):
			return x, "magic", true
		}
	}
	return Indexed{}, "", false
}
