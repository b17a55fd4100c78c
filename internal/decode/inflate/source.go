package inflate

// Source is buffered input. A *bufio.Reader is one; its buffer may be of any
// size.
type Source interface {
	// Peek returns the next n bytes without taking them, reading more until n
	// are buffered. It returns fewer only with an error. The bytes are valid
	// until the next call.
	Peek(n int) ([]byte, error)

	// Discard takes n buffered bytes.
	Discard(n int) (int, error)

	// Buffered is how many bytes Peek returns without reading.
	Buffered() int
}
