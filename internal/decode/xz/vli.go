package xz

import (
	"github.com/thaw-go/thaw/internal/decode/fault"
)

// maxInt is the largest variable-length integer.
const maxInt = 1<<63 - 1

// integer reads a variable-length integer of section 1.2 byte by byte: the
// shortest form only, of at most nine bytes.
func integer(next func() (byte, error)) (int64, error) {
	var v int64
	for shift := 0; shift < 63; shift += 7 {
		b, err := next()
		if err != nil {
			return 0, err
		}
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b == 0 && shift > 0 {
				break
			}
			return v, nil
		}
	}
	return 0, fault.Corruptf("xz integer is not in its shortest form")
}

// cursor takes bytes off a header that is read whole.
type cursor []byte

// errShort is a field that runs over the end of its header.
var errShort = &fault.Error{Kind: fault.Corrupt, What: "xz block header is too short for its fields"}

func (c *cursor) next() (byte, error) {
	if len(*c) == 0 {
		return 0, errShort
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return b, nil
}

func (c *cursor) take(n int64) ([]byte, error) {
	if n > int64(len(*c)) {
		return nil, errShort
	}
	b := (*c)[:n]
	*c = (*c)[n:]
	return b, nil
}
