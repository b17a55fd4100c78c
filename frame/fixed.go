package frame

import (
	"fmt"
	"math"
	"strconv"
)

const fixedPrefix = "fixed:"

// fixedFamily is "fixed:N": records of N bytes each, without any separator.
//
// A final partial record is io.ErrUnexpectedEOF. A Scanner continues
// N bytes further.
var fixedFamily = family{prefix: fixedPrefix, arg: "N", make: func(arg string) (Framer, error) {
	n, err := strconv.ParseUint(arg, 10, 32)
	if err != nil || n == 0 {
		return Framer{}, fmt.Errorf("records of %q bytes, want a number from 1 to %d", arg, uint32(math.MaxUint32))
	}
	name := fixedPrefix + strconv.FormatUint(n, 10)
	return Framer{
		Name: name,
		New: func(opts *Options) (Scanner, error) {
			return newSized(name, opts, func([]byte) (uint64, error) { return n, nil }), nil
		},
	}, nil
}}
