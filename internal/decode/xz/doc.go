// Package xz decodes one stream of The .xz File Format after the other, and finds
// the blocks of a file by its indexes.
//
// It knows every check of the format, LZMA2, delta and the filters for branches
// of x86, PowerPC, IA-64, ARM, ARM Thumb, ARM64 and SPARC code. Everything that a
// stream states twice is compared: sizes in block headers and in the index with
// those met, header with footer, and every CRC32.
//
// # Errors
//
// A [*fault.Error] for what the data is to blame for, io.ErrUnexpectedEOF for a
// source that ends inside a stream. Other errors of the source are returned as
// they are. Bytes decoded before a fault are returned first.
package xz
