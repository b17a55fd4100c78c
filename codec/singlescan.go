package codec

import "io"

// singleScanner is for a format of one member, whose head states its decoded size.
type singleScanner struct {
	requires func(head []byte) (Needs, error)
	begun    bool
	ended    bool
	size     int64
}

func (s *singleScanner) Scan(b []byte, left int64) (Step, error) {
	switch {
	case s.ended:
		return Step{}, io.EOF
	case s.begun:
		s.ended = true
		return Step{Role: StepEnd, Part: Part{Decoded: min(s.size, 0)}}, nil
	case len(b) == 0:
		return Step{}, atEnd(left)
	}
	n, err := s.requires(b)
	if err == io.ErrUnexpectedEOF {
		err = short(b, left)
	}
	if err != nil {
		return Step{}, err
	}
	s.begun, s.size = true, n.Size
	return Step{
		Role: StepBegin, Part: Part{Kind: "member", Size: -1, Decoded: n.Size, Window: n.Window, Blocks: -1}, Memory: n.Memory,
	}, nil
}
