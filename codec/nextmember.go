package codec

import "bytes"

// nextOf makes the NextMember of a format from a magic and a check of what follows it. head
// has MemberLook bytes.
func nextOf(magic string, member func(head []byte) bool) func(b []byte) int {
	sep := []byte(magic)
	return func(b []byte) int {
		for at := 0; ; at++ {
			i := bytes.Index(b[at:], sep)
			if i < 0 || at+i+MemberLook > len(b) {
				return -1
			}
			if at += i; member(b[at : at+MemberLook]) {
				return at
			}
		}
	}
}

// looksGzip is a check of the header, and of the first block of deflate where that follows
// at once (RFC 1952, section 2.3; RFC 1951, section 3.2.3).
func looksGzip(head []byte) bool {
	flags, extra, system := head[3], head[8], head[9]
	switch {
	case flags&0xe0 != 0, extra != 0 && extra != 2 && extra != 4, system > 13 && system != 255:
		return false
	case flags != 0:
		return true
	}
	b := head[10:]
	switch b[0] >> 1 & 3 {
	case 0: // stored: its length is there twice
		return b[1] == ^b[3] && b[2] == ^b[4]
	case 2: // lengths of the codes
		return b[0]>>3 <= 29 && b[1]&0x1f <= 29
	case 3:
		return false
	}
	return true
}

// looksLZIP is a check of version, dictionary size, and the first byte of LZMA data.
func looksLZIP(head []byte) bool {
	dict := head[5] & 0x1f
	return head[4] <= 1 && dict >= 12 && dict <= 29 && head[6] == 0
}

// looksBzip2 is a check of the level and of the first mark.
func looksBzip2(head []byte) bool { return bzip2Head(head) == Matched }
