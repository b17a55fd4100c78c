// Package codec names, detects, opens and limits compression formats.
//
// A [Codec] is a recipe: a struct of functions that turns stored bytes into
// decoded bytes. A [Registry] holds recipes and finds the one for an object
// by evidence: explicit choice, magic bytes, Content-Encoding, extension, in
// this order.
//
// # Promises of a Decoder
//
// A [Decoder] decodes every member, frame and stream of its source and reads the
// source to its end. It ends with [io.EOF] only when the last member was decoded
// to its end mark, every checksum present was verified, declared sizes match and
// no byte is left over. Data decoded before a fault is given before the error.
// After the end or an error, Read repeats it. No memory is sized by what a header
// claims beyond [Options].
//
// # Errors
//
// Errors are [*Error]: codec, stored offset and decoded offset around
// [ErrCorrupt], [ErrChecksum], [ErrLimit], [ErrTrailing], [ErrDictionary],
// [ErrUnsupported] or io.ErrUnexpectedEOF. A source that ends inside a member is
// io.ErrUnexpectedEOF, never ErrCorrupt. An error of the source is wrapped as it is.
//
// # Concurrency
//
// A Registry that is not changed any more is safe for concurrent use. A Decoder
// belongs to one goroutine and starts none.
package codec
