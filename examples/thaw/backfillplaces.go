package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
)

// checkPlaces refuses flags that make no sense together: a place that two of them would write
// to, or that one writes to and another reads.
func (b *backfillFlags) checkPlaces(onError string) error {
	quarantine, _ := strings.CutPrefix(onError, "quarantine=")
	if quarantine == onError {
		quarantine = ""
	}
	dir, isDir := strings.CutPrefix(b.to, "dir:")
	switch {
	case isDir && dir == "", !isDir && b.to != "null" && b.to != "stdout" && !strings.Contains(b.to, "://"):
		return fmt.Errorf("-to is null, stdout, dir:PATH or a URL, not %q", b.to)
	}
	seen := map[string]string{}
	for _, p := range []struct{ flag, where string }{
		{"-manifest", b.manifest}, {"-report", b.report}, {"-on-error", quarantine}, {"-keys", b.keys}, {"-inventory", b.inventory}, {"QUARANTINE", b.quarantine},
	} {
		if p.where == "" {
			continue
		}
		where := resolved(canonical(p.where))
		if other, ok := seen[where]; ok {
			return fmt.Errorf("%s and %s name one file: give each a file of its own", other, p.flag)
		}
		seen[where] = p.flag
	}
	return nil
}

// canonical is a place as an absolute URL or path. It is the same before the place is there
// and after, links in it or not: a manifest holds it.
func canonical(where string) string {
	if path, ok := strings.CutPrefix(where, "file://"); ok {
		where = path
	} else if strings.Contains(where, "://") {
		return where
	}
	if path, err := filepath.Abs(filepath.FromSlash(where)); err == nil {
		where = path
	}
	return where
}

// resolved is a canonical place without links, as far as it is there.
func resolved(where string) string {
	if strings.Contains(where, "://") {
		return where
	}
	if path, err := filepath.EvalSymlinks(where); err == nil {
		return path
	}
	if folder := filepath.Dir(where); folder != where {
		return filepath.Join(resolved(folder), filepath.Base(where))
	}
	return where
}

// output names for the manifest where records go.
func (b *backfillFlags) output() string {
	if dir, ok := strings.CutPrefix(b.to, "dir:"); ok {
		return "dir:" + canonical(dir)
	}
	return b.to
}

// errAround is the error of a job whose output lies around what it reads: all of that would
// be taken for output.
var errAround = errors.New("-to lies around what is read: send records elsewhere, or into a folder in it")

// checkAround refuses a source that lies where records go.
func (b *backfillFlags) checkAround(src blob.Source, to *blob.Store) error {
	root := "file://" + filepath.ToSlash(canonical(strings.TrimPrefix(b.to, "dir:"))) + "/"
	switch {
	case to != nil:
		root = to.ObjectName("")
	case !strings.HasPrefix(b.to, "dir:"):
		return nil
	}
	if strings.Contains(root, "://") && strings.HasPrefix(src.Store.ObjectName(""), root) {
		return errAround
	}
	return nil
}

// openManifest opens what keeps the manifest, and refuses what is there and is none, so that
// no lock is made beside data.
func openManifest(ctx context.Context, where string, console *cli.Console) (cp stream.Checkpoint, closeIt func(), err error) {
	inFile := !strings.Contains(where, "://")
	store, key, err := cli.At(ctx, where, console)
	switch {
	case inFile && errors.Is(err, fs.ErrNotExist): // the Checkpoint makes the folder
		return stream.FileCheckpoint(where), func() {}, nil
	case err != nil:
		return nil, nil, cli.In("-manifest "+where, err)
	}
	if _, err := stream.ReadManifest(ctx, store, key); errors.Is(err, stream.ErrManifest) {
		store.Close()
		return nil, nil, cli.In("-manifest "+where, err)
	}
	if inFile {
		store.Close()
		return stream.FileCheckpoint(where), func() {}, nil
	}
	return stream.BlobCheckpoint(store, key), func() { store.Close() }, nil
}

// checkReport looks, before anything is read, whether the report can be written.
func checkReport(ctx context.Context, where string, console *cli.Console) error {
	if info, err := os.Stat(canonical(where)); err == nil && !info.Mode().IsRegular() {
		return cli.In("-report "+where, cli.ErrForeign) // a folder or a device
	}
	store, key, err := cli.At(ctx, where, console)
	if err != nil {
		return cli.In("-report "+where, err)
	}
	defer store.Close()
	r, err := store.NewReader(ctx, key, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return nil // it may be written and not read
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, 64<<20))
	var report struct {
		Counts *json.RawMessage `json:"counts"`
	}
	if err == nil && len(bytes.TrimSpace(head)) > 0 && (json.Unmarshal(head, &report) != nil || report.Counts == nil) {
		return cli.In("-report "+where, cli.ErrForeign)
	}
	return nil
}
