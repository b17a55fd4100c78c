package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/thaw-go/thaw/blob/driver"
)

// What a listing could not look at is looked at again when it is opened, by the key
// that the listing gave. These are the reasons, beside those of the system.
var (
	errLoop     = errors.New("directory holds itself through a symbolic link")
	errNoFile   = errors.New("is no regular file")
	errDangling = fmt.Errorf("symbolic link leads nowhere: %w", fs.ErrNotExist)
	errReadable = fmt.Errorf("could not be read when it was listed, and can be now: %w", driver.ErrChanged)
)

// unread is the version of a folder that could not be listed. Should it be readable when
// it is opened, what lies in it is missing from the listing.
const unread = "unread"

// folderFault is why the folder of a key that ends in a slash is none of this driver's
// objects: what keeps it from being read, else that it is a folder.
func (d *Driver) folderFault(key string) error {
	name := strings.TrimSuffix(key, "/")
	if checkKey(name) != nil {
		return errFolder
	}
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	info, err := d.files.Stat(path)
	switch {
	case err != nil:
		return cause(err)
	case !info.IsDir():
		return fs.ErrNotExist
	}
	for above := filepath.Dir(path); len(above) >= len(d.dir); above = filepath.Dir(above) {
		if i, err := d.files.Stat(above); err == nil && os.SameFile(i, info) {
			return errLoop
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	if _, err := d.files.ReadDir(path); err != nil && !errors.Is(err, syscall.ENOTDIR) {
		return cause(err)
	}
	return errFolder
}
