// Package filestore reads and writes the files of a folder as objects. It
// registers the scheme "file" for package blob:
//
//	import _ "github.com/thaw-go/thaw/blob/filestore"
//
//	file:///dir/           the folder /dir
//	file:///new/?create=true  the folder, made if it is not there
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
// Listing holds the names of one directory for each level it is in. It skips
// what has no stored bytes: devices, pipes, sockets, and links that lead nowhere.
// A file that vanishes while the listing runs is left out; what cannot be looked
// at (an unreadable directory) is an error.
//
// Symbolic links are followed, to files and to directories, wherever the owner of
// the folder let them lead. A directory that holds itself through a link is an error.
//
// # Versions
//
// A version is size, modification time in nanoseconds and, on Unix, inode. A
// file that is written to while it is read is blob.ErrChanged at the latest at its
// end, where size and time are looked at again; a write that leaves both as they
// are goes unseen. A file replaced by renaming keeps its open readers whole.
//
// A file that gives bytes though its size is 0, as those of /proc do, is
// blob.ErrUnsupported: nothing could prove that it was read whole.
//
// # Writing
//
// Put writes a temporary file beside the target, syncs it and renames it. The
// temporary files (".thaw-tmp-" and 16 hexadecimal digits) are never listed or
// opened. The condition Absent is honoured atomically, by a hard link; a version
// condition is blob.ErrUnsupported, since file systems have no such step.
//
// # Concurrency
//
// A [Driver] is safe for concurrent use, by several processes as well.
package filestore
