// Package sinks has Sinks for the places that records usually go to: [NDJSON] writes
// lines to an io.Writer, [Files] a file for each object, and [Objects] an object for
// each object. For typed values there is [stream.ParseTo].
//
//	report, err := stream.Backfill(ctx, src, sinks.Files("out", nil), &stream.Options{
//		Checkpoint: stream.FileCheckpoint("out.manifest"),
//	})
//
// # Lines
//
// Every record becomes one line that ends in "\n". A record that fits on a line is
// written as it is, whether it is JSON or other text. One that holds "\n", or ends in
// "\r", is compacted if it is JSON, and else refused: Options.OnRecordError of the job
// decides about it. [LineOptions] change this.
//
// # Whole objects
//
// Files and Objects write an object when it has ended, and all of it at once. A job that
// is killed, or drained (Options.Drain), and then continued reads the objects that it had
// begun again from their start. One that was written a moment before the job was killed
// is written once more, with the same bytes. So each object is there once, complete, or
// not at all.
//
// An object that fails, and one that a policy leaves out, is not written; what an
// earlier run wrote under its name stays. A record that a policy leaves out is missing
// from its object.
//
// # Names
//
// The name of what is written is [Name] of the object's key. It is valid on every file
// system, does not lead out of its folder, and differs for different keys, also on file
// systems that ignore case. [Key] is the way back.
package sinks
