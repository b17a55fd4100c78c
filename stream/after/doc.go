// Package after has what a job may do with an object that is done: [Delete] it, [Move]
// it or [Tag] it. Options.After of package stream takes one:
//
//	opts := &stream.Options{Checkpoint: checkpoint, After: after.Delete()}
//
// The job acts upon an object only after its records are durable and the manifest says
// so; [stream.After] has the rules. All actions leave an object alone that was replaced
// meanwhile, and may be repeated.
//
// # Versions
//
// A store with the trait DeleteVersion deletes a version in one step. Another one, such
// as a folder of files, looks before: an object that is replaced in between is lost.
// Replace objects of such a store under other keys.
package after
