// Package catalog makes Sources of lists of objects that are objects themselves: files
// of keys ([KeyFile]) and inventories of S3 ([Inventory]). A job over such a Source does
// not list the store, which can take hours, and can read a selection that another
// program made.
//
//	src, err := catalog.KeyFile(ctx, lists, "2026-12-01.keys", &catalog.KeyFileOptions{Objects: logs})
//
// # Lists
//
// A list may be compressed in any format of package codec. It is looked up once, when
// the Source is made, and pinned: its version is part of the Source's name, so that a
// manifest of one list is refused for another. A job that resumes reads the list again
// up to its mark.
//
// A list is read while a job reads the objects that it names, with at most 32 MiB of
// memory and one worker that are not of the job's Pool: the job may hold all of that
// while it waits for the list.
//
// # Errors
//
// A list that does not exist is fs.ErrNotExist, options that make no sense are
// fs.ErrInvalid, a list in a format that is not read is blob.ErrUnsupported. Faults of
// the list are errors of stream, with the list's key and line.
//
// # Concurrency
//
// All functions may be called concurrently.
package catalog
