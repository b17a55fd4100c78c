// Package indexed describes formats that are read by an index rather than from front
// to back, such as a columnar file with a footer.
//
// No format uses it yet, and package frame does not export it: the first one decides
// what the public form has to be. Package stream reads such formats, and its tests
// hold it to that.
package indexed

import "io"

// Format is the recipe of one format. Name and Open are required.
type Format struct {
	// Name is how options, reports and manifests call the format.
	Name string

	// Magic reports whether head, the first bytes of an object, is of the format. If
	// it is nil, only the name finds the format.
	Magic func(head []byte) bool

	// Open reads the index and returns a Reader that stands before the first record,
	// or where opts.State says. r serves any range of one version of the object of
	// size bytes and is valid until the Reader is closed. opts is never nil.
	Open func(r io.ReaderAt, size int64, opts *Options) (Reader, error)
}

// Options configures a Reader.
type Options struct {
	// Offset is the number of record bytes before the place where the Reader starts.
	Offset int64

	// State is what [Reader].State returned there, nil for the object's start.
	State []byte

	// MaxRecord is the size in bytes beyond which the caller refuses a record. 0
	// means no limit.
	MaxRecord int
}

// Reader returns the records of one object in order. It belongs to one goroutine.
type Reader interface {
	// Fill writes records one after the other from the start of slab and appends the
	// offset after each to ends. It returns io.EOF, alone or with the last records,
	// once it has returned every record that the index declares. io.ErrShortBuffer
	// without records asks for a larger slab. The records returned beside another
	// error are good; the error is of what follows them.
	Fill(slab []byte, ends []uint32) ([]uint32, error)

	// State returns what Open needs to go on after the last record returned: at most
	// 64 KiB, of memory that the Reader does not change later.
	State() []byte

	// Close frees what the Reader holds.
	Close() error
}

// Find returns the format called name or, if name is empty, the last one whose Magic
// recognizes head.
func Find(formats []Format, name string, head []byte) (f Format, ok bool) {
	for i := len(formats) - 1; i >= 0; i-- {
		f := formats[i]
		if f.Name == name || name == "" && f.Magic != nil && f.Magic(head) {
			return f, true
		}
	}
	return Format{}, false
}
