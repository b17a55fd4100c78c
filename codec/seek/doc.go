// Package seek reads decoded bytes at any offset of a compressed object.
//
// Compressed data decodes from its start only, unless places are known at which decoding
// can begin again. An [Indexer] notes them while an object is read once. The [Index] that
// it makes is stored beside the object, under its name and [Extension], and a [ReaderAt]
// reads through it: it decodes from the last point before the offset that is asked for.
// docs/index-format.md describes the stored form.
//
// # Errors
//
// Errors wrap those of package codec. [ErrOtherVersion] is that of an index that does not
// belong to the object.
//
// # Concurrency
//
// An Indexer belongs to one goroutine. An Index and a ReaderAt are safe for concurrent use.
//
// # Limits
//
// An index is at most 64 MiB and has at most 65,536 points. Objects of several layers have
// none.
package seek
