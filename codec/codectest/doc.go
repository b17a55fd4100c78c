// Package codectest holds a [codec.Codec] to the promises of package codec.
//
// A test of a format is three lines:
//
//	func TestConformance(t *testing.T) {
//		codectest.Run(t, mine.Codec(), codectest.Format{Encode: mine.Encode, Concatenates: true})
//	}
//
// The suite decodes vectors under every chunking of the source, cuts and damages them,
// appends bytes, resets and closes Decoders at inconvenient moments, sets limits, and
// restarts, scans and splits where the codec can. It compares what a Decoder, a Scanner and
// units say of the same object. It uses small inputs and no clock.
package codectest
