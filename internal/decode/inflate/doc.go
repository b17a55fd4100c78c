// Package inflate decodes deflate data, RFC 1951, as a stream.
//
// A [Decoder] decodes straight into slabs of its caller, which carry the last
// [Window] bytes of output in front of the new ones, so that nothing is copied
// out of a window. A [Reader] owns one slab and is an io.Reader.
//
// # Exactness
//
// A Decoder takes from its [Source] the bytes of the deflate stream and none
// after them; bytes that it looked at and did not use stay in the Source. It
// never waits for input while it has output to return. Its memory does not depend on
// the data.
//
// # Assembly
//
// The loop over symbols is written twice: in Go, and for amd64 with AVX2 and BMI2
// in assembly, which decodes the same tables and stops at the same places. The
// build tag noasm leaves the second out, purego that and package unsafe.
//
// # Restart
//
// Decoding can begin again at every block border from a [Point] and the last
// Window bytes of output. [Decoder.StopAt] makes decoding halt at a border. A
// [Marked] stream, of which an index keeps such places, is decoded by several
// goroutines at once; nothing else here starts one.
//
// # Errors
//
// A fault of the data is an [*Error] around a [*fault.Error], or io.ErrUnexpectedEOF
// where the source ends inside the stream. An error of the source is wrapped as
// it is. All bytes decoded before a fault are returned before the error. What is
// corrupt is what compress/flate calls so: a code must be complete, or empty, or
// consist of one code of one bit.
//
// # Concurrency
//
// A Decoder and a Reader belong to one goroutine.
package inflate
