// Package brotli decodes Brotli streams, RFC 7932, strictly, and those of RFC 9841
// with large windows.
//
// A [Reader] decodes one stream after the other into its own ring, which
// holds the window.
//
// # Exactness
//
// A Reader takes from its source the bytes of the stream and none after them. It
// does not wait for input while it has output to return. It starts no goroutine.
//
// # Strictness
//
// Everything that the format rules out is an error: codes that are not complete,
// or name a symbol twice or one that there is not, runs beyond the end of what
// they fill, lengths with more digits than they need, lengths of more than their
// meta-block has, distances that are not positive or lie beyond the data and the
// dictionary, bits set in reserved places and before a whole byte.
//
// # Errors
//
// A fault of the data is an [*fault.Error], io.ErrUnexpectedEOF
// where the source ends inside the stream. An error of the source is returned as
// it is. All bytes decoded before the fault are returned before the error: those of
// the literals, copies and words before the element in which it is, whatever the
// pieces in which the source delivers its bytes.
//
// # Memory
//
// The ring grows with the data decoded, up to the window and 64 KiB; while it
// grows, no more than half a window is held beside it. Tables of codes and maps
// grow with what the stream describes, up to 3 MiB. A Reader keeps its memory for
// the streams that follow. The static dictionary is inflated when a stream first
// refers to it, and shared.
//
// # Concurrency
//
// A Reader belongs to one goroutine.
package brotli
