// Package seek reads decoded data at any offset of a compressed object.
//
// A compressed object can be decoded from its start only, unless restart points are known:
// places at which decoding can begin. An [Indexer] collects them while an object is decoded
// once. The [Index] that it returns can be stored beside the object, under the object's name
// with [Extension]. A [ReaderAt] uses an Index: it decodes from the last restart point before
// the offset that is asked for.
//
// Package codec defines stored and decoded bytes, restart points and members. The file
// docs/index-format.md describes the stored form of an Index.
//
// # Errors
//
// Errors of the data are those of package codec. [ErrOtherVersion] says that an index does not
// belong to the object.
//
// # Concurrency
//
// An Indexer belongs to one goroutine. An Index and a ReaderAt are safe for concurrent use.
//
// # Limits
//
// An index has at most 64 MiB and 65,536 restart points. An object of several layers cannot be
// indexed.
package seek
