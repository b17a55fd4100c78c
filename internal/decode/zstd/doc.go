// Package zstd decodes the blocks of Zstandard frames, RFC 8878, strictly.
//
// A [Reader] decodes one frame after the other into its own buffer, which
// holds the window. Its caller has read the frame's header and reads the checksum
// after the last block: what headers and checksums say is not looked at here.
//
// # Exactness
//
// A Reader takes from its source the bytes of the blocks and none after them. It
// decodes a block when all of the one before was given, and none of a block's
// bytes are returned before the whole block is found right. It starts no goroutine.
//
// # Strictness
//
// Everything that the format rules out is an error: an offset of 0, one beyond
// the window or the data, bits that are left over or missing, tables whose
// weights or probabilities do not add up, more literals than there are, blocks
// that are too large, modes and reserved bits that have no meaning.
//
// # Errors
//
// A fault of the data is an [*fault.Error], io.ErrUnexpectedEOF
// where the source ends inside a block. An error of the source is returned as it
// is. All blocks before the fault are returned before the error.
//
// # Memory
//
// The buffer grows with the data decoded, up to the window and 256 KiB: it is at most
// 128 times the data, or 256 KiB. While it grows a 64th of the window and 256 KiB may be
// held beside it. A Reader keeps its memory for the frames that follow.
//
// # Concurrency
//
// A Reader belongs to one goroutine. A [Dict] may serve many Readers at once.
package zstd
