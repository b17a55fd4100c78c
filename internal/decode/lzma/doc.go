// Package lzma decodes raw LZMA and LZMA2 data: the layer that .xz, .lzma and
// .lzip containers put their headers and checks around. It follows the LZMA
// specification by Igor Pavlov and, for LZMA2, section 5.3.1 of The .xz File
// Format with the chunk rules of XZ Utils.
//
// [Decoder] reads one LZMA stream, [Decoder2] one LZMA2 stream. Both take their
// bytes from a *bufio.Reader, consume exactly those of the stream, and leave the
// rest there. They block for stored bytes only when no decoded byte is left to
// give.
//
// # Speed
//
// The loop over symbols exists twice: in Go, and for amd64 in assembly, which
// keeps range, code and positions in registers and decides inside trees without a
// branch. Both return the same for any bytes; a test compares them. The build tag
// purego leaves the second out.
//
// # Errors
//
// A [*fault.Error] for data that breaks a rule of the format, io.ErrUnexpectedEOF for a
// source that ends inside the stream. Other errors of the source are returned as
// they are. Bytes decoded before a fault are returned first.
//
// # Limits
//
// The window grows with the data up to the dictionary size. Callers compare a
// dictionary size with their limit before they start a decoder.
package lzma
