// Package filestore reads and writes the files of a folder as objects. Importing it
// registers the scheme file:
//
//	store, err := blob.Open(ctx, "file:///srv/logs/", nil)
//
// A program that has a path passes it to [New]:
//
//	folder, err := filestore.New("logs", nil)
//	store := blob.New(folder, nil)
//
// # Parameters
//
// create=true makes the folder if it does not exist. A "?" in a path is written %3F.
//
// # Keys
//
// A key is the relative path as it is on disk, with slashes: no character is
// escaped, cleaned or folded, and on Unix it need not be UTF-8. Keys with an empty
// element, "." or "..", and absolute ones are refused with fs.ErrInvalid; so a key
// never leads out of the folder. A folder is no object: to read one is
// fs.ErrNotExist.
//
// # Listing
//
// The order is that of the bytes of whole keys ("a-b" comes before "a/b").
// Listing holds the names of one directory for each level it is in, and does not
// enter a directory in which the globs of the listing leave nothing. A file that
// vanishes while the listing runs is left out.
//
// Symbolic links are followed, to files and to directories, also out of the folder.
//
// What cannot be read neither ends a listing nor is left out: a directory that may not
// be read or holds itself through a link, a link that leads nowhere, a device, pipe or
// socket. It is listed as an object of size -1, a directory with a slash at its end, and
// opening it fails with the reason. Only an error of the listed folder itself ends the
// listing.
//
// # Versions
//
// The version is size and modification time in nanoseconds. Inode numbers are no part of
// it, since many mounts make them up. A file that is written to while it is read is
// blob.ErrChanged at the latest at its end, where size and time are looked at again; a
// write that leaves both as they are goes unseen. Readers of a
// file that is replaced by renaming still read the old file to its end.
//
// A file that has bytes although its size is 0, as those of /proc, is
// blob.ErrUnsupported: nothing could prove that it was read whole.
//
// # Writing
//
// Put writes a temporary file beside the target, syncs it and renames it. The
// temporary files (".thaw-tmp-" and 16 hexadecimal digits) are never listed or
// opened. PutOptions.IfAbsent is checked in one step, by a hard link; IfVersion is
// blob.ErrUnsupported, because file systems have no such step.
//
// # Concurrency
//
// A [Driver] is safe for concurrent use, by several processes as well.
package filestore
