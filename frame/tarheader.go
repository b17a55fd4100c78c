package frame

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// tarBlock is the unit of a tar archive.
const tarBlock = 512

// tarKind is what a header announces.
type tarKind uint8

const (
	tarFile     tarKind = iota // a regular file with its data
	tarEmpty                   // something without data, such as a folder or a link
	tarExtended                // a pax header of the member that follows
	tarExtra                   // what else says something of other members
)

// parseTarHeader reads one header block of POSIX.1-1988 ustar, POSIX.1-2001 pax or
// GNU tar. size is the data's, without padding.
func parseTarHeader(b []byte) (kind tarKind, size int64, err error) {
	if err := checkTarSum(b); err != nil {
		return 0, 0, err
	}
	size, err = tarNumber(b[124:136])
	if err != nil {
		return 0, 0, fmt.Errorf("%w: size: %w", ErrRecord, err)
	}
	switch name := bytes.TrimRight(b[:100], "\x00"); b[156] {
	case 'x':
		return tarExtended, size, nil
	case 'g', 'L', 'K', 'X', 'V':
		return tarExtra, size, nil
	case '1', '2', '3', '4', '5', '6':
		return tarEmpty, 0, nil
	case 'S':
		return 0, 0, fmt.Errorf("%w: sparse file, which is not supported", ErrRecord)
	case 0, '0':
		if len(name) > 0 && name[len(name)-1] == '/' {
			return tarEmpty, 0, nil
		}
	}
	return tarFile, size, nil
}

// checkTarSum verifies the checksum, which old programs took of signed bytes.
func checkTarSum(b []byte) error {
	want, err := tarNumber(b[148:156])
	if err != nil {
		return fmt.Errorf("%w: checksum: %w", ErrRecord, err)
	}
	var unsigned, signed int64
	for i, c := range b[:tarBlock] {
		if 148 <= i && i < 156 {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	if want != unsigned && want != signed {
		return fmt.Errorf("%w: header's checksum is %d, want %d", ErrRecord, unsigned, want)
	}
	return nil
}

// tarNumber reads octal digits, or a binary number as GNU tar writes it.
func tarNumber(b []byte) (int64, error) {
	if b[0]&0x80 != 0 {
		n := uint64(b[0] & 0x7f)
		for _, c := range b[1:] {
			if n > math.MaxInt64>>8 {
				return 0, fmt.Errorf("over 63 bits")
			}
			n = n<<8 | uint64(c)
		}
		return int64(n), nil
	}
	digits := bytes.Trim(b, " \x00")
	if len(digits) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseUint(string(digits), 8, 63)
	return int64(n), err
}

// errPax is the error of a pax header that is none.
var errPax = fmt.Errorf("%w: pax header", ErrRecord)

// paxSize is the size that a pax header gives, or none.
func paxSize(b []byte) (size int64, ok bool, err error) {
	for len(b) > 0 {
		number, _, found := bytes.Cut(b, []byte{' '})
		n, err := strconv.Atoi(string(number))
		if !found || err != nil || n <= len(number)+1 || n > len(b) || b[n-1] != '\n' {
			return 0, false, errPax
		}
		key, value, found := bytes.Cut(b[len(number)+1:n-1], []byte{'='})
		if !found {
			return 0, false, errPax
		}
		if string(key) == "size" {
			if size, err = strconv.ParseInt(string(value), 10, 64); err != nil || size < 0 {
				return 0, false, errPax
			}
			ok = true
		}
		b = b[n:]
	}
	return size, ok, nil
}
