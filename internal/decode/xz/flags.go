package xz

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Magic is what a stream begins with.
const Magic = "\xfd7zXZ\x00"

const (
	footerMagic = "YZ"

	// HeaderSize is the size of a stream's header and of its footer.
	HeaderSize = 12
)

// Check is the id of the check after every block of a stream.
type Check byte

// The checks of section 2.1.1.2 that have a meaning.
const (
	None   Check = 0x00
	CRC32  Check = 0x01
	CRC64  Check = 0x04
	SHA256 Check = 0x0a
)

// Size is the size of the check's field; ids without a meaning have one too.
func (c Check) Size() int {
	if c == None {
		return 0
	}
	return 4 << ((c - 1) / 3)
}

// Known reports whether the check can be computed.
func (c Check) Known() bool { return c == None || c == CRC32 || c == CRC64 || c == SHA256 }

// parseFlags reads the stream flags.
func parseFlags(b []byte) (Check, error) {
	if b[0] != 0 || b[1]&0xf0 != 0 {
		return 0, fault.Unsupportedf("reserved xz stream flags %#02x %#02x", b[0], b[1])
	}
	return Check(b[1]), nil
}

// parseHeader reads a stream header.
func parseHeader(b []byte) (Check, error) {
	if string(b[:6]) != Magic {
		return 0, fault.Corruptf("no xz stream header")
	}
	if !sums(b[6:8], b[8:]) {
		return 0, wrongSum("stream header")
	}
	return parseFlags(b[6:])
}

// parseFooter reads a stream footer and returns the size of the index too.
func parseFooter(b []byte) (c Check, index int64, err error) {
	if string(b[10:]) != footerMagic {
		return 0, 0, fault.Corruptf("no xz stream footer")
	}
	if !sums(b[4:10], b) {
		return 0, 0, wrongSum("stream footer")
	}
	c, err = parseFlags(b[8:])
	return c, (int64(binary.LittleEndian.Uint32(b[4:])) + 1) * 4, err
}

// sums reports whether the CRC32 of b is the one stored.
func sums(b, stored []byte) bool {
	return crc32.ChecksumIEEE(b) == binary.LittleEndian.Uint32(stored)
}

func wrongSum(of string) error {
	return &fault.Error{Kind: fault.Checksum, What: "CRC32 of the xz " + of}
}
