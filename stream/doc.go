// Package stream reads objects as decoded bytes ([Open]), as records ([Records]),
// and by the thousand ([Backfill]), and reports where the time went ([Report]).
//
// A job is one call of Backfill, or several that continue one manifest. It lists a source,
// reads its objects on several lanes, decompresses them, splits them into records,
// delivers batches of records to a [Sink], saves a manifest, and ends when the source
// does. Records of one object arrive in order on one goroutine; objects have no order
// among each other.
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
// A lane is always in one stage; [Stages] says what each is. For each lane the times add
// up to the wall time exactly. Requests that run while a lane works cost it nothing and
// are reported separately.
//
// # Errors
//
// An [*Error] has the key, version and offsets of an object, a [Class] and the cause. If
// one record failed, the cause is a [*RecordError]. A [Policy] decides by class what is
// skipped, quarantined or read again. Without a policy the first error ends the job.
// [Redrive] delivers later what a [Quarantine] has recorded.
//
// # Concurrency
//
// Open, Records, Backfill, Redrive and Pool may be used by many goroutines at once; a
// [Reader] belongs to one.
//
// # Glossary
//
//   - Lane: one line of work of a job, on one goroutine, which reads one object at a
//     time. With 16 lanes, up to 16 objects are open.
//   - Stage: what a lane does or waits for. See [Stages].
//   - Worker: the right of a goroutine to decode, frame or parse. With 16 lanes and 4
//     workers, up to 4 lanes compute while the others wait for bytes or in a sink. A
//     lane that finds no worker free waits in stage queue.
//   - Class: what kind of error it is, and so what can be done. See [Class].
//   - Budget: the accounting of a Pool's memory. Readers take from it before they
//     allocate, and wait where too little is free.
//   - Slab: the buffer that a lane decodes into, 128 KiB and room for an unfinished
//     record of up to 64 KiB before them. Records are parts of it; nothing is copied.
//   - Spill: the separate buffer of a record that outgrows the room in the slab: a
//     record of 1 MiB is in a spill. It doubles up to MaxRecord.
//   - Batch: a run of records of one object, in order, in one slab. A [Writer] receives
//     batches.
//   - Mark: how far the source was listed: the key of the last object, and its number.
//     After 1000 objects it is the key of the 1000th. See [blob.Mark].
//   - Manifest: what a [Checkpoint] keeps of a job: the mark, and every object before it
//     that is not finished or not flushed yet: those in work, up to 64 of each lane that
//     wait for a flush, and those listed ahead, 64 and one for each lane at most.
//   - Layer: one compression of an object that was compressed several times. See package
//     codec.
//   - Unit: a part of an object that decodes alone, such as a member of gzip or a block
//     of xz. See [codec.Unit].
//   - Restart point: a place inside an object where decoding can begin, with the state
//     that a decoder needs there. See [codec.Point].
//   - Savepoint: a place between two records from which a later run continues: the index
//     and offset of the next record, a restart point at or before it, and the state of
//     the framer. A [ManifestEntry] has one. If the restart point is at 64 MB and the
//     record at 65 MB, that run decodes 1 MB again and delivers none of it.
package stream
