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
	tarFile    tarKind = iota // a regular file with its data
	tarEmpty                  // something without data, such as a folder or a link
	tarPassed                 // something with data that is no file's
	tarPax                    // a pax header of members that follow
	tarName                   // a name of the member that follows
	tarSparse                 // a file without its holes
	tarPart                   // a part of a file that began in another volume
	tarUnknown                // a type that no standard knows
)

// tarKindOf sorts the types of POSIX.1-1988 and POSIX.1-2001, of GNU tar, star and
// Solaris. A link has no data, whatever size its header has, as in these.
func tarKindOf(typeflag byte) tarKind {
	switch typeflag {
	case 0, '0', '7': // 7 is a contiguous file
		return tarFile
	case '1', '2', '3', '4', '5', '6': // links, devices, folder, pipe
		return tarEmpty
	case 'x', 'g', 'X': // X is x in Solaris
		return tarPax
	case 'L', 'K': // name and link target of GNU
		return tarName
	case 'D', 'N', 'V', 'A', 'I': // GNU: a dumped folder's list, names, the label; Solaris: an ACL; star: an inode
		return tarPassed
	case 'S': // GNU, star
		return tarSparse
	case 'M': // GNU
		return tarPart
	}
	return tarUnknown
}

// isPax says that a header, which may be bad, announces a pax header.
func isPax(head []byte) bool {
	return len(head) >= tarBlock && tarKindOf(head[156]) == tarPax
}

// endsInSlash says that the header's own name is that of a folder.
func endsInSlash(head []byte) bool {
	name := bytes.TrimRight(head[:100], "\x00")
	return len(name) > 0 && name[len(name)-1] == '/'
}

// parseTarHeader reads one header block of ustar, pax or GNU tar. size is the
// data's, without padding.
func parseTarHeader(b []byte) (kind tarKind, size int64, err error) {
	if err := checkTarSum(b); err != nil {
		return 0, 0, err
	}
	kind = tarKindOf(b[156])
	if kind == tarEmpty {
		return kind, 0, nil
	}
	if size, err = tarNumber(b[124:136]); err != nil {
		return 0, 0, fmt.Errorf("%w: size: %w", ErrRecord, err)
	}
	return kind, size, nil
}

// errTarSum is the error of a block without a checksum.
var errTarSum = fmt.Errorf("%w: no header", ErrRecord)

// checkTarSum verifies the checksum, which old programs took of signed bytes.
func checkTarSum(b []byte) error {
	want, err := tarNumber(b[148:156])
	if err != nil {
		return errTarSum
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
