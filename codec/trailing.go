package codec

// Trailing returns which stored bytes d ignored under [Options.IgnoreTrailing]: the offset at
// which they begin, and how many there are. Both are 0 before the end, where there were
// none, and for a Decoder without a method Trailing() (offset, size int64).
func Trailing(d Decoder) (offset, size int64) {
	if t, ok := d.(interface{ Trailing() (offset, size int64) }); ok {
		return t.Trailing()
	}
	return 0, 0
}
