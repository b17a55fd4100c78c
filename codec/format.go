package codec

import (
	"bytes"
	"errors"
	"io"
)

// format is what a built-in codec writes: how to decode the next member. The
// [decoder] around it keeps positions, sticky errors and limits, and goes from
// member to member. A format holds no position and no error of its own.
//
// The errors of a format are the causes of package codec, bare or wrapped with
// %w, io.ErrUnexpectedEOF where the source ends inside a member, and errors of
// the source as they are. The decoder adds codec and offsets.
type format interface {
	// begin reads the header of the next member from in, and the padding and
	// skippable frames before it. first says that nothing was decoded yet: there
	// is no padding before a first member. It returns nil if a member began,
	// io.EOF if the source ended where a member may begin, and errNoMember, with
	// the bytes in question not consumed, if what follows is no member.
	begin(in *Input, first bool) error

	// read returns data of the member that began, with p never empty. It returns
	// io.EOF, with or without data, only once the end mark was read, checksums
	// were verified and declared sizes match; then in is after the
	// member's last byte. 0 and nil are allowed.
	read(p []byte) (int, error)

	// close frees what is held. The format is not used any more. Dropping a
	// member half read needs no call: begin starts again.
	close()
}

// pointer is a format with restart points inside a member.
type pointer interface {
	// point is the last one passed in the current member for data not returned yet.
	// Stored counts as Input.Offset does, Decoded from the member's begin, and
	// is never past what read returned. Nil State: begin works there.
	point() (Point, bool)
}

// carrier is a format whose members need what stands before the first of them.
type carrier interface {
	// carry is the state of a point between two members, nil if none is needed. It
	// is false where such a point is no place to begin at.
	carry() (state []byte, ok bool)
}

// resumer is a format that restarts with State.
type resumer interface {
	// resume stands for begin at a point. Between two members it returns
	// errBetween, having read nothing, and begin follows.
	resume(in *Input, state []byte) error
}

// errBetween is what resume returns for a point between two members.
var errBetween = errors.New("between two members")

// errNoMember is what begin returns for bytes that are no member.
var errNoMember = errors.New("no member")

// readMagic consumes magic. It returns io.EOF if in is at its end,
// io.ErrUnexpectedEOF if in ends inside magic and errNoMember, consuming
// nothing, if something else follows.
func readMagic(in *Input, magic string) error {
	for n := 1; n <= len(magic); n++ {
		b, err := in.Peek(n)
		switch {
		case err == io.EOF && len(b) > 0:
			in.Discard(len(b))
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case b[n-1] != magic[n-1]:
			return errNoMember
		}
	}
	in.Discard(len(magic))
	return nil
}

// prefix compares head with magic: NeedMore if head is shorter and agrees so far.
func prefix(head []byte, magic string) Match {
	switch {
	case len(head) >= len(magic) && string(head[:len(magic)]) == magic:
		return Matched
	case len(head) < len(magic) && bytes.HasPrefix([]byte(magic), head):
		return NeedMore
	}
	return NoMatch
}

// noEOF is err for a place where the source must not end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readBytes reads n bytes and returns them until the next read. n is at most the
// size of the smallest Input's buffer, 64 bytes. At the end of the source it
// consumes what is left and returns io.ErrUnexpectedEOF.
func readBytes(in *Input, n int) ([]byte, error) {
	b, err := in.Peek(n)
	in.Discard(len(b))
	return b, noEOF(err)
}

// skip consumes n bytes.
func skip(in *Input, n int64) error {
	for n > 0 {
		m, err := in.Discard(int(min(n, 1<<30)))
		n -= int64(m)
		if err != nil {
			return noEOF(err)
		}
	}
	return nil
}
