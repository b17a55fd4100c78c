package codec

import "io"

// LZ4Moved decodes frames, or a raw block, and returns how many bytes of history
// were moved to make room.
func LZ4Moved(src io.Reader, raw bool) (moved int64, err error) {
	name, make := "lz4", newLZ4
	if raw {
		name, make = "lz4-block", newLZ4Raw
	}
	d, err := opener(name, make)(src, nil)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	_, err = io.Copy(io.Discard, struct{ io.Reader }{d})
	if f, ok := d.(*decoder).f.(*lz4Frames); ok {
		return f.window.moved, err
	}
	return d.(*decoder).f.(*lz4Raw).seq.moved, err
}

// S2Whole tells whether b is a block of S2 whose elements add up to its length.
func S2Whole(b []byte) (length int64, whole bool) {
	f := snappyFramed{snappyGrammar: snappyGrammar{max: s2ChunkMax}}
	return f.wholeBlock(b)
}
