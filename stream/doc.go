// Package stream reads objects as decoded bytes ([Open]), as records ([Records]),
// and by the thousand ([Backfill]), and says where the time went ([Report]).
//
// A Backfill lists a source, reads its objects on several lanes, decompresses and
// frames them, hands batches of records to a [Sink], keeps a manifest, and ends by
// itself. Records of one object arrive in order on one goroutine; across objects
// there is no order.
//
// # Memory and workers
//
// Fetch buffers, windows, slabs, spilled and retained records are charged to one
// budget, Options.Memory. At most Options.Workers goroutines decode, frame or
// parse at once. Both belong to a [Pool], which several readers may share.
//
// # Time
//
// A lane is always in one stage: list, plan, restore, queue, fetch, decode, frame,
// parse, sink, checkpoint or idle. For each lane the times add up to the wall
// time exactly. Fetch is the time in which a lane waited for bytes; requests that
// are under way behind useful work cost nothing and are reported beside it.
//
// # Errors
//
// Errors are [*Error]: key, version, offsets, record and [Class] around the cause.
// Policies decide per class what is skipped, quarantined or tried again. Without
// a policy the first error ends the job.
//
// # Concurrency
//
// Open, Records, Backfill and Pool may be used by many goroutines at once; a
// [Reader] belongs to one.
package stream
