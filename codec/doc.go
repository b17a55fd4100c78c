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
// # Parts
//
// A [Scanner] finds the members, blocks and units of an object by headers alone, in
// bytes that it is shown as they arrive or from header to header. [Inspect] lists what
// it finds, and Codec.Split makes units of it that decode side by side. It uses the
// same grammar as the Decoder, so both say the same of an object, up to what lies
// between headers: only a Decoder reads that.
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
