package codec

// Trailing returns, after d has returned io.EOF, which bytes after the last member d ignored:
// the stored offset at which they begin, and how many there are. [Options.IgnoreTrailing]
// allows that, and so does the lzip format. Both are 0 if there were none, before io.EOF, and
// for a Decoder without a method Trailing() (offset, size int64).
func Trailing(d Decoder) (offset, size int64) {
	if t, ok := d.(interface{ Trailing() (offset, size int64) }); ok {
		return t.Trailing()
	}
	return 0, 0
}
