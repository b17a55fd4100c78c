package stream

import (
	"errors"

	"github.com/thaw-go/thaw/internal/meter"
)

// place is what an [Error] knows of where it lies beside its own fields.
type place struct {
	stage  string
	object bool   // of the object, also if a record failed it
	raw    []byte // of a record: a copy

	stored     int64   // where decoding can begin
	storedEnd  int64   // 0: Error.Offset
	decoded    int64   // of an object: up to where it was delivered
	decodedEnd int64   // of a record
	next       int64   // of an object; -1: records is all that was not delivered
	records    []int64 // of an object
}

// inStage returns err, an error of an object, as one of stage s, unless the object's bytes
// could not be read.
func inStage(s meter.Stage, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.place.stage == meter.Decode.String() {
		e.place.stage = s.String()
	}
	return err
}
