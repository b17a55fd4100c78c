// Package ahead decodes the units of one object on several goroutines, and returns their
// data in order.
//
//	             ┌─ feed ─▶ codec.Input ─▶ inline decoder ─┐
//	stored bytes ┤                                         ├─▶ Read, in order
//	             └─ parts ─▶ helpers ─▶ slabs of each part ┘
//
// A [finder] looks at the stored bytes as they pass, and finds where units begin. While no
// worker is idle, the bytes go to one decoder, which runs on the goroutine of the reader
// ("inline"), and nothing is copied or held. Once a worker is idle, the bytes from the next
// unit on are held in parts: one unit or a run of small ones. Helpers take parts and decode
// them into slabs. The inline decoder meets the end of its source where the first part begins
// that a helper has taken. Where a part begins that none has taken, inline decoding goes on.
//
// What a finder says is a hint. Each part must be proven: its decoder ends cleanly at exactly
// the part's last byte, and the decoder before it ended cleanly at its first. Where that does
// not hold, or anything else is unusual, the part is decoded inline, from the bytes that are
// still held, and so is all that follows: faults are those of the inline decoder, at its
// offsets and after its data.
//
// Invariants:
//   - Only the reader's goroutine reads stored bytes, asks for memory, and moves parts. A
//     helper owns the decoder and the output of the part that it has taken.
//   - A helper works under a permit, and holds none while it waits.
//   - A part holds no more slabs than it was granted. The first part may always go on, since
//     its slabs are read.
package ahead
