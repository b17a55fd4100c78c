// Package codectest tests that a [codec.Codec] keeps the promises of package codec.
//
// The test of a codec is three lines:
//
//	func TestConformance(t *testing.T) {
//		codectest.Run(t, mine.Codec(), codectest.Format{Encode: mine.Encode, Concatenates: true})
//	}
//
// [Run] decodes objects of several shapes from sources that return their bytes in every way
// that io.Reader allows. It cuts the objects, flips bits in them and appends bytes. It resets
// and closes Decoders at many moments and sets each limit. If the codec can do so, Run begins
// at each restart point, also of objects that are damaged after the point, and compares what
// the Decoder, the Scanner and the units say about one object. The objects are small, and no
// test depends on the time that it takes.
package codectest
