// Package codec names, detects, opens and limits compression formats.
//
// A [Codec] is a recipe: a struct of functions that turn stored bytes into decoded bytes.
// A [Registry] holds recipes and finds the one for an object by evidence: explicit choice,
// magic bytes, Content-Encoding, extension, in this order. [Default] holds the built-in
// ones: [Registry.DetectInput] detects, and [Registry.Open] opens what it found.
//
// Package codec/seek reads at any offset of an object. Package stream reads the objects of a
// store, and uses this package.
//
// # Promises of a Decoder
//
// A [Decoder] decodes every member, frame and stream of its source and reads the source to
// its end. It returns [io.EOF] only after it decoded the last member to its end mark,
// verified every checksum present, compared declared sizes and found no byte left over. It
// returns data before the fault that follows it. After the end or an error, Read repeats
// that result. [Options] bound its memory, not what a header claims.
//
// # Parts
//
// A member is what decodes on its own and may be followed by another: a gzip or lzip
// member, a zstd or lz4 frame, a stream of other formats. A member may consist of blocks.
// A [Unit] is one or more members, or a block, that can be decoded side by side with others.
//
// A [Scanner] finds these parts by headers alone, either in bytes as they arrive or by
// jumping from header to header. [Inspect] lists what it finds, and Codec.Split makes units
// of it. A Scanner and a Decoder share the grammar of their format, so that they agree
// about an object, except for what lies between headers: only a Decoder reads that.
//
// # Layers
//
// An object may be encoded several times, up to 4. The outermost layer is the one that
// meets the stored bytes. Layers are written outermost first: "gzip,zstd" is zstd inside
// gzip.
//
// # Custom codecs
//
// A custom format needs a Codec with Name and NewReader, which [NewDecoder] makes of one
// function. Restart, by [NewDecoderAt], and Scan are optional: without them an object is
// decoded from its start, and Inspect finds members only by decoding. Register the Codec
// with a clone of Default. examples/customcodec has all of it, and package codectest holds a
// Codec to the promises above.
//
// # Errors
//
// Errors of data are an [*Error]: the codec, the stored and the decoded offset, and one of
// [ErrCorrupt], [ErrChecksum], [ErrLimit], [ErrTrailing], [ErrDictionary],
// [ErrUnsupported] and io.ErrUnexpectedEOF. A source that ends inside a member is
// io.ErrUnexpectedEOF, never ErrCorrupt. An error of the source is wrapped as it is.
//
// # Concurrency
//
// A Registry that nobody changes is safe for concurrent use, and so is a Codec. A Decoder,
// an Input and a Scanner belong to one goroutine each and start none.
package codec
