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
// Burrows-Wheeler transform is walked backwards, from the block's last byte to
// its first: the table for that direction is written in order, while the one
// for the usual direction is written all over memory. The price is that a whole
// block must be undone before its first byte is given.
//
// # Memory
//
// Five bytes for each byte of the largest block met, at most 4.5 MB; the level of
// the header only bounds it.
package bzip2
