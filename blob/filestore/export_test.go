package filestore

import "io/fs"

// Files and File are the seam for a file system that fails.
type (
	Files = files
	File  = file
)

// OS is the file system of the machine.
type OS = osFiles

// WithFiles makes a driver that reads through another file system.
func WithFiles(d *Driver, f Files) *Driver { return &Driver{dir: d.dir, files: f} }

// TempName makes a name as Put does.
func TempName() string { return tempName() }

// Version is the version of a file.
func Version(info fs.FileInfo) string { return version(info) }
