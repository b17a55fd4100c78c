package codec

// Trailing tells which stored bytes d left out under [Options.IgnoreTrailing]:
// the offset at which they begin and how many there are. Both are 0 before the
// end, when nothing was left out, and for a Decoder without a method of the same
// name and results.
func Trailing(d Decoder) (offset, size int64) {
	if t, ok := d.(interface{ Trailing() (offset, size int64) }); ok {
		return t.Trailing()
	}
	return 0, 0
}
