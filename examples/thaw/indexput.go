package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/internal/amount"
)

// put writes an index and reports it. Nobody sees a part of one: a Put is atomic.
func (i *indexing) put(ctx context.Context, store *blob.Store, key string, x *seek.Index) error {
	if x.Len() == 0 {
		why := fmt.Sprintf("%s offers no place to begin at in it", x.Codec)
		if x.Decoded <= x.Spacing {
			why = fmt.Sprintf("its %s decoded are no more than the spacing of %s", amount.Data(x.Decoded), amount.Memory(x.Spacing))
		}
		write, err := i.wanted(ctx, store, key)
		if err != nil {
			return err
		}
		if !write {
			i.console.Note("%s: no index: %s", i.console.Object(key), why)
			return i.report(key, "", x, 0)
		}
		i.console.Note("%s: an index without places: %s", i.console.Object(key), why)
	}
	form, err := x.AppendBinary(nil)
	if err != nil {
		return err
	}
	name := i.file
	if name != "" {
		err = putFile(ctx, name, form)
	} else if err = onlyIndex(ctx, store, key+seek.Extension); err == nil {
		to := key + seek.Extension
		name = i.console.Full(to)
		_, err = store.Put(ctx, to, bytes.NewReader(form), int64(len(form)), nil)
	}
	if err != nil {
		return err
	}
	return i.report(key, name, x, len(form))
}

// onlyIndex refuses to replace anything but an index.
func onlyIndex(ctx context.Context, store *blob.Store, key string) error {
	rd, err := store.NewReader(ctx, key, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer rd.Close()
	head := make([]byte, len(seek.Magic))
	if _, err := io.ReadFull(rd, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if string(head) != seek.Magic {
		return cli.Of(key, cli.ErrForeign)
	}
	return nil
}

// putFile writes the file of -o. A symbolic link stays one, and what it leads to is
// written.
func putFile(ctx context.Context, file string, form []byte) error {
	path := file
	if to, err := filepath.EvalSymlinks(file); err == nil {
		path = to
	}
	folder, err := filestore.New(filepath.Dir(path), nil)
	if err == nil {
		store := blob.New(folder, nil)
		if err = onlyIndex(ctx, store, filepath.Base(path)); errors.Is(err, cli.ErrForeign) {
			err = cli.ErrForeign // its key is none of the objects that are read
		}
		if err == nil {
			_, err = store.Put(ctx, filepath.Base(path), bytes.NewReader(form), int64(len(form)), nil)
		}
	}
	if err != nil {
		return cli.In(cli.Key(file), err) // its key is none of the objects that are read
	}
	return nil
}

// wanted reports whether an index without places is written: one that was asked for,
// or that takes the place of an older one.
func (i *indexing) wanted(ctx context.Context, store *blob.Store, key string) (bool, error) {
	if i.file != "" {
		return true, nil
	}
	_, err := store.Stat(ctx, key+seek.Extension)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// reported is an index as JSON.
type reported struct {
	cli.Named
	Index   string `json:"index,omitempty"`
	Codec   string `json:"codec"`
	Stored  int64  `json:"stored_bytes"`
	Decoded int64  `json:"decoded_bytes"`
	Points  int    `json:"points"`
	Spacing int64  `json:"spacing_bytes"`
	Size    int    `json:"index_bytes"`
}

func (i *indexing) report(key, name string, x *seek.Index, size int) error {
	if !i.json {
		if name == "" {
			return nil
		}
		_, err := fmt.Fprintf(i.w, "%s  %s: %s, %s apart or more, in %s decoded\n",
			shownKey(name), amount.Data(int64(size)), cli.Count(x.Len(), "place"), amount.Memory(x.Spacing), amount.Data(x.Decoded))
		return err
	}
	t := reported{
		Named: cli.NewNamed(i.console.Full(key)),
		Codec: x.Codec, Stored: x.Stored, Decoded: x.Decoded, Points: x.Len(), Spacing: x.Spacing, Size: size,
	}
	if utf8.ValidString(name) {
		t.Index = name
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = i.w.Write(append(line, '\n'))
	return err
}
