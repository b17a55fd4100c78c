// Package frame splits decoded bytes into records.
//
// A [Framer] is a recipe. Its [Scanner] is given a slab of decoded bytes and
// appends where records end; nothing is copied. The raw bytes of a record run
// from the previous end to its own; [Framer.Body] cuts what frames the record
// (separator, prefix, padding) off the raw bytes.
//
// # Errors
//
// A bad or unfinished record is [*Error] around [ErrRecord] or
// io.ErrUnexpectedEOF.
//
// # Concurrency
//
// A Scanner belongs to one goroutine. A Registry that is not changed any more and
// a Framer are safe for concurrent use.
package frame
