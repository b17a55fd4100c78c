// Package codec names, detects, inspects and decodes compression formats.
//
// It decodes objects that it knows nothing about, out of sources that may fail, in bounded
// memory, and never reports a truncated or damaged object as whole.
//
// [Registry.DetectInput] finds out how an object is compressed, and [Registry.Open] returns a
// [Decoder] for what it found. [Inspect] describes an object by its headers. Package
// codec/seek reads decoded data at any offset. Package stream uses all of them to read the
// objects of a store.
//
// # Terms
//
//   - Stored bytes are the bytes of an object as its store has them. A stored offset counts
//     them from the start of the object.
//   - Decoded bytes are the data that they stand for. A decoded offset counts these from the
//     start of the data.
//   - A member is the smallest part of an object that is an object itself: a gzip or lzip
//     member, a zstd or lz4 frame, an xz or bzip2 stream. An object is one member or several,
//     one after the other.
//   - A block is a part of a member. Whether it can be decoded alone depends on the format.
//   - A unit is a part of an object that decodes without what lies before it: a member, some
//     members, or a block. Several goroutines can decode the units of one object. See [Unit].
//   - A restart point is a place at which decoding can begin, with the state that it needs:
//     the start of a member, or of a block. See [Point].
//   - A window is how many decoded bytes back the data may refer to. A Decoder keeps so many
//     in memory. Each format has a name for it: window, dictionary, block size.
//   - The verdict on an object is what Read of a Decoder returns last: io.EOF for an object
//     that is proven whole, or an error that says what is wrong and where.
//
// # Promises of a Decoder
//
// A Decoder decodes all members of its source, in order, and reads the source to its end. It
// returns [io.EOF] only if
//
//   - the last member was decoded to its end mark,
//   - every checksum that the object has was verified,
//   - every size that a header or trailer states is the true one,
//   - and no bytes follow the last member, except padding that the format allows.
//
// Otherwise Read returns the data before the fault, and then an [*Error]. Read repeats its
// verdict when it is called again. [Options] bound the memory of a Decoder. A header that
// claims more is refused before anything is allocated.
//
// # Formats
//
// A [Codec] describes one format: how to recognise it, what memory it needs, and how to decode
// it. A [Registry] holds Codecs and finds the one for an object by evidence: an explicit
// choice, then the first bytes, then Content-Encoding, then the extension. [Default] holds
// the built-in ones.
//
// A [Scanner] finds members and blocks by their headers and does not decode what lies between.
// Inspect lists what it finds, and Codec.Split returns the units. A Scanner reads headers by
// the same rules as the Decoder of its format. Only the Decoder reads what lies between, so
// that only its verdict proves anything.
//
// # Layers
//
// An object may be compressed several times, at most 4. Each time is a layer. The outermost
// layer is the one whose input is the stored bytes. Names of layers are joined by commas, the
// outermost first: "gzip,zstd" is zstd data inside gzip.
//
// # Custom codecs
//
// A custom format needs a Codec with a Name and NewReader, for which [NewDecoder] does most of
// the work. Two more functions are optional. With Restart, which [NewDecoderAt] helps to
// write, an interrupted read continues inside an object. With Scan, Inspect lists its members,
// and Split returns units. Register the Codec with a clone of Default. Package codectest tests
// that it keeps the promises above. The program examples/customcodec is a complete one.
//
// # Errors
//
// An [*Error] has the name of the codec, the stored and the decoded offset, and a cause.
// errors.Is finds the cause: [ErrCorrupt], [ErrChecksum], [ErrLimit], [ErrTrailing],
// [ErrDictionary], [ErrUnsupported], or io.ErrUnexpectedEOF. A truncated object is
// io.ErrUnexpectedEOF, never ErrCorrupt. The Error of a source that fails wraps the source's
// error.
//
// # Concurrency
//
// A Codec is safe for concurrent use, and so is a Registry once no more Register calls are
// made. A Decoder, an Input, a Scanner and a Summary belong to one goroutine each. None of
// them starts a goroutine.
package codec
