package frame

// numberState is how much of a JSON number was seen.
type numberState uint8

const (
	numberStart    numberState = iota
	numberMinus                // the minus sign
	numberZero                 // a leading zero
	numberInt                  // digits before the point
	numberPoint                // the point
	numberFraction             // digits after the point
	numberE                    // e
	numberSign                 // the exponent's sign
	numberExponent             // its digits
)

// complete says that the number may end here.
func (s numberState) complete() bool {
	return s == numberZero || s == numberInt || s == numberFraction || s == numberExponent
}

// next looks at b from pos on. closed says that b[at] belongs to the number no
// more.
func (s *numberState) next(b []byte, pos int) (at int, closed bool) {
	state := *s
	for ; pos < len(b); pos++ {
		c := b[pos]
		digit := '0' <= c && c <= '9'
		switch {
		case digit && (state == numberInt || state == numberFraction || state == numberExponent):
		case digit && state <= numberMinus:
			state = numberInt
			if c == '0' {
				state = numberZero
			}
		case digit && state == numberPoint:
			state = numberFraction
		case digit && state >= numberE:
			state = numberExponent
		case c == '-' && state == numberStart:
			state = numberMinus
		case c == '.' && (state == numberZero || state == numberInt):
			state = numberPoint
		case c|0x20 == 'e' && (state == numberZero || state == numberInt || state == numberFraction):
			state = numberE
		case (c == '+' || c == '-') && state == numberE:
			state = numberSign
		default:
			*s = state
			return pos, true
		}
	}
	*s = state
	return pos, false
}
