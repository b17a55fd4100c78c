package frame

import (
	"encoding/binary"
	"math/bits"
)

// maxJSONDepth is how deep arrays and objects may stand in each other, as in
// encoding/json.
const maxJSONDepth = 10000

// jsonState is what a jsonValue expects.
type jsonState uint8

const (
	jsonAny       jsonState = iota // a value
	jsonAnyOrEnd                   // a value or the array's end
	jsonName                       // a member's name
	jsonNameOrEnd                  // a member's name or the object's end
	jsonColon                      // the colon after a name
	jsonNext                       // a comma or the end of the array or object
	jsonText                       // the rest of a string
	jsonNameText                   // the rest of a member's name
	jsonNumber                     // the rest of a number
	jsonLiteral                    // the rest of true, false or null
)

// jsonResult is what became of the bytes that a jsonValue has received.
type jsonResult uint8

const (
	jsonMore jsonResult = iota // the value goes on
	jsonDone                   // it is complete
	jsonBad                    // RFC 8259 knows no such value
)

// jsonValue follows one JSON text (RFC 8259) through any pieces of it, without
// recursion. It checks the grammar and not that strings are UTF-8. Numbers are
// of any size. The zero value stands before a value.
type jsonValue struct {
	state   jsonState
	number  numberState
	literal string // the bytes of a literal that are to come
	depth   int
	object  bool                        // the innermost is an object
	objects [maxJSONDepth/64 + 1]uint64 // a bit for each outer one
}

// begun says that a byte of the value was seen.
func (v *jsonValue) begun() bool { return v.state != jsonAny || v.depth > 0 }

// atEnd is the result when no bytes follow: a number may be complete.
func (v *jsonValue) atEnd() jsonResult {
	if v.state == jsonNumber && v.depth == 0 && v.number.complete() {
		return jsonDone
	}
	return jsonMore
}

// reset stands before the next value.
func (v *jsonValue) reset() { v.state, v.depth = jsonAny, 0 }

func (v *jsonValue) push(object bool) bool {
	if v.depth == maxJSONDepth {
		return false
	}
	if v.object {
		v.objects[v.depth/64] |= 1 << (v.depth % 64)
	} else {
		v.objects[v.depth/64] &^= 1 << (v.depth % 64)
	}
	v.depth++
	v.object = object
	return true
}

func (v *jsonValue) pop() {
	v.depth--
	v.object = v.objects[v.depth/64]>>(v.depth%64)&1 != 0
}

// next looks at b from pos on. at is after the value when it is complete, where
// it is wrong when it is bad, and else where to go on once more bytes are there.
func (v *jsonValue) next(b []byte, pos int) (at int, result jsonResult) {
	state := v.state
	for {
		if state < jsonText {
			for pos < len(b) && b[pos] <= ' ' {
				if !isJSONSpace(b[pos]) {
					return pos, jsonBad
				}
				pos++
			}
		}
		if pos == len(b) {
			v.state = state
			return pos, jsonMore
		}
		switch c := b[pos]; state {
		case jsonAny, jsonAnyOrEnd:
			pos++
			switch c {
			case '"':
				state = jsonText
				continue
			case '{':
				if !v.push(true) {
					return pos - 1, jsonBad
				}
				state = jsonNameOrEnd
				continue
			case '[':
				if !v.push(false) {
					return pos - 1, jsonBad
				}
				state = jsonAnyOrEnd
				continue
			case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
				pos--
				v.number = numberStart
				state = jsonNumber
				continue
			case 't', 'f', 'n':
				v.literal = literalRest(c)
				state = jsonLiteral
				continue
			case ']':
				if state != jsonAnyOrEnd {
					return pos - 1, jsonBad
				}
				v.pop()
			default:
				return pos - 1, jsonBad
			}
		case jsonName, jsonNameOrEnd:
			switch {
			case c == '"':
				pos++
				state = jsonNameText
				continue
			case c == '}' && state == jsonNameOrEnd:
				pos++
				v.pop()
			default:
				return pos, jsonBad
			}
		case jsonColon:
			if c != ':' {
				return pos, jsonBad
			}
			pos++
			state = jsonAny
			continue
		case jsonNext:
			switch {
			case c == ',':
				pos++
				state = jsonAny
				if v.object {
					state = jsonName
				}
				continue
			case c == '}' && v.object, c == ']' && !v.object:
				pos++
				v.pop()
			default:
				return pos, jsonBad
			}
		case jsonText, jsonNameText:
			var closed, ok bool
			pos, closed, ok = jsonString(b, pos)
			switch {
			case !ok:
				return pos, jsonBad
			case !closed:
				v.state = state
				return pos, jsonMore
			case state == jsonNameText:
				state = jsonColon
				continue
			}
		case jsonNumber:
			var closed bool
			pos, closed = v.number.next(b, pos)
			switch {
			case !closed:
				v.state = state
				return pos, jsonMore
			case !v.number.complete():
				return pos, jsonBad
			}
		case jsonLiteral:
			if c != v.literal[0] {
				return pos, jsonBad
			}
			pos++
			if v.literal = v.literal[1:]; v.literal != "" {
				continue
			}
		}
		// A value is complete.
		if v.depth == 0 {
			return pos, jsonDone
		}
		state = jsonNext
	}
}

// literalRest is what must follow a literal's first byte.
func literalRest(c byte) string {
	switch c {
	case 't':
		return "rue"
	case 'f':
		return "alse"
	}
	return "ull"
}

// jsonString looks for the quote that closes a string and returns the place after
// it. Until it is closed, at is where to go on. It is not ok at a control
// character and at an escape that JSON does not have.
func jsonString(b []byte, pos int) (at int, closed, ok bool) {
	for {
		for len(b)-pos >= 8 {
			w := binary.LittleEndian.Uint64(b[pos : pos+8])
			quote, slash := w^spread('"'), w^spread('\\')
			// The lowest bit set is right; those above it may not be.
			hits := ((quote-ones)&^quote | (slash-ones)&^slash | (w-spread(' '))&^w) & highs
			if hits != 0 {
				pos += bits.TrailingZeros64(hits) / 8
				break
			}
			pos += 8
		}
		for pos < len(b) && b[pos] >= ' ' && b[pos] != '"' && b[pos] != '\\' {
			pos++
		}
		switch {
		case pos == len(b):
			return pos, false, true
		case b[pos] == '"':
			return pos + 1, true, true
		case b[pos] != '\\':
			return pos, false, false
		}
		size, ok := jsonEscape(b[pos:])
		if !ok || size == 0 {
			return pos, false, ok
		}
		pos += size
	}
}

// jsonEscape is the size of the escape that b begins with, 0 when b ends in it.
func jsonEscape(b []byte) (size int, ok bool) {
	if len(b) < 2 {
		return 0, true
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		for _, c := range b[2:min(6, len(b))] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return 0, false
			}
		}
		if len(b) < 6 {
			return 0, true
		}
		return 6, true
	}
	return 0, false
}
