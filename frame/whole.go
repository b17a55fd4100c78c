package frame

// whole makes one record of the object. An empty object has none.
//
// A partial record cannot be told from a whole one: the end of the object is that
// of the record. Behind one that is too long there is nothing to find.
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
