// Package listing decides what of a listing is data.
package listing

import (
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec/seek"
)

// Kind is what an object of a listing is.
type Kind uint8

// The kinds of objects.
const (
	Data   Kind = iota
	Marker      // an empty object that stands for a folder
	Index       // an index of another object, which lies beside it
)

// KindOf returns what an object of src is. Objects that are named one by one are data.
func KindOf(src blob.Source, obj blob.Object) Kind {
	switch {
	case src.Named:
		return Data
	case strings.HasSuffix(obj.Key, seek.Extension):
		return Index
	case obj.IsFolder():
		return Marker
	}
	return Data
}
