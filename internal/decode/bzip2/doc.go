// Package bzip2 decodes one bzip2 stream, faster than compress/bzip2 and with
// nothing read past its end.
//
// There is no specification by the format's author beside bzip2 1.0.8 itself; "BZIP2:
// Format Specification" by Joe Tsai (2016) describes the same. Randomised blocks,
// which versions before 0.9.5 wrote, are decoded. A block's checksum and the
// stream's are verified.
//
// # Speed
//
// Symbols come from a table lookup on a 64-bit buffer, and the first eight places
// of the move-to-front list live in a register. The inverse of the
// Burrows-Wheeler transform is walked from both ends of the block to its middle:
// every step waits for memory, and two walks wait together. The price is a second
// table, and that a whole block must be undone before its first byte is returned.
//
// # Memory
//
// Nine bytes for each byte of the largest block met, at most 8.1 MB; the level of
// the header only bounds it.
package bzip2
