package frame

// whole makes one record of the object. An empty object has none.
//
// The format does not show whether the record is complete: the end of the object is
// that of the record. Nothing follows one that is too long.
func whole() Framer {
	return Framer{
		Name: "whole",
		New:  func(*Options) (Scanner, error) { return wholeScanner{}, nil },
	}
}

type wholeScanner struct{}

func (wholeScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	if eof && len(slab) > 0 {
		ends = append(ends, uint32(len(slab)))
	}
	return ends, nil
}

func (wholeScanner) State() []byte { return nil }

func (wholeScanner) Resync(slab []byte, eof bool) (n int, done bool) { return len(slab), eof }
