// Package stream reads objects as decoded bytes ([Open]), as records ([Records]),
// and by the thousand ([Backfill]), and reports where the time went ([Report]).
//
// A Backfill lists a source, reads its objects on several lanes, decompresses them, cuts
// them into records, delivers batches of records to a [Sink], saves a manifest, and ends
// when the source does. Records of one object arrive in order on one goroutine; objects
// have no order among each other.
//
// # Memory and workers
//
// Fetch buffers, windows, slabs, spilled and retained records are charged to one
// budget, Options.Memory. At most Options.Workers goroutines decode, frame or
// parse at once. Both belong to a [Pool], which several readers may share.
// [MinMemory] returns the least memory that works.
//
// # Time
//
// A lane is always in one stage: list, plan, restore, queue, fetch, decode, frame,
// parse, sink, checkpoint or idle. For each lane the times add up to the wall
// time exactly. Fetch is the time in which a lane waited for bytes. Requests that
// run while a lane works cost it nothing and are reported separately.
//
// # Errors
//
// Errors of objects are [*Error]: key, version, offsets and [Class] around the cause,
// which is a [*RecordError] if one record failed. Policies decide by class what is
// skipped, quarantined or read again. Without a policy the first error ends the job.
//
// # Concurrency
//
// Open, Records, Backfill and Pool may be used by many goroutines at once; a
// [Reader] belongs to one.
//
// # Glossary
//
//   - Lane: one line of work of a job, on one goroutine, which reads one object at a
//     time. With 16 lanes, up to 16 objects are open.
//   - Worker: the right of a goroutine to decode, frame or parse. With 16 lanes and 4
//     workers, up to 4 lanes compute while the others wait for bytes or in a sink.
//   - Permit: what a lane holds while it uses a worker. It lends the permit while it
//     waits, and takes it back afterwards unless another lane has it by then.
//   - Budget: the accounting of a Pool's memory. Readers take from it before they
//     allocate, and wait where too little is free.
//   - Slab: the buffer that a lane decodes into, 128 KiB and room for an unfinished
//     record of up to 64 KiB before them. Records are parts of it; nothing is copied.
//   - Spill: the buffer of its own that a record gets when it outgrows the room in the
//     slab: a record of 1 MiB is in a spill. It doubles up to MaxRecord.
//   - Batch: a run of records of one object, in order, in one slab. A [Writer] receives
//     batches.
//   - Mark: how far the source was listed: the name and the number of the last object.
//     After 1000 objects it is the name of the 1000th.
//   - Manifest: what a [Checkpoint] keeps of a job: the mark, and every object before it
//     that is not finished. Of 1000 listed objects with 3 in work it names 3.
//   - Unit: a part of an object that decodes alone, such as a member of gzip or a block
//     of xz. See [codec.Unit].
//   - Restart point: a place inside an object where decoding can begin, with the state
//     that a decoder needs there. See [codec.Point].
//   - Savepoint: a place between two records from which a later run continues: the index
//     and offset of the next record, a restart point at or before it, and the state of
//     the framer. If the restart point is at 64 MB and the record at 65 MB, that run
//     decodes 1 MB again and delivers none of it.
package stream
