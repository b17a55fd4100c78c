package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/thaw-go/thaw/blob"
)

// KeyFile is a Source of those of objects that the file key of list names, in its
// order. A line is a key as it is, whatever its bytes, or a JSON object with "key" and
// optionally "size" and "version"; a key that begins with "{", or holds a line break,
// is written as JSON, and one that is not UTF-8 beside as "key_base64" instead of
// "key". So a line that [Quarantine] wrote names its object. Empty lines are skipped. The file may be compressed; opts says
// how it is read, nil by the defaults.
//
// The file is looked up now and pinned: its version is part of the Source's name,
// so that a manifest is refused for another list. It is read again, up to the
// mark, when a job goes on. It is read beside the objects, with memory and a worker
// of its own, at most 32 MiB: a Pool in opts is not used, since the job that reads
// the objects may hold all of it. A size is only for the listing; a version is
// held to.
func KeyFile(ctx context.Context, objects, list *blob.Store, key string, opts *ReadOptions) (blob.Source, error) {
	at, err := list.Stat(ctx, key)
	if err != nil {
		return blob.Source{}, fmt.Errorf("stream: key file: %w", err)
	}
	o := OpenOptions{Version: at.Version}
	if opts != nil {
		o.Read = *opts
	}
	o.Read.Frame, o.Read.Pool = "lines", NewPool(&PoolOptions{Memory: listMemory, Workers: 1})
	return blob.Source{
		Store: objects,
		Named: true,
		Name:  fmt.Sprintf("%s keys of %s %s version %s", objects.Name(), list.Name(), key, at.Version),
		Objects: func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
			return behind(after, keyLines(ctx, list, key, &o))
		},
	}, nil
}

// listMemory is what reading a list of objects may take.
const listMemory = 32 << 20

// behind yields what follows a mark of a sequence that has no other way to find
// its place than to begin at the start.
func behind(after blob.Mark, all iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		passed := int64(0)
		found := after.Ordinal >= 0 || after.Key == ""
		for obj, err := range all {
			switch {
			case err != nil:
				yield(blob.Object{}, err)
				return
			case !found:
				found = obj.Key == after.Key
			case passed < after.Ordinal:
				passed++
			case !yield(obj, nil):
				return
			}
		}
		switch {
		case !found:
			yield(blob.Object{}, fmt.Errorf("stream: no object %q to go on behind", after.Key))
		case passed < after.Ordinal:
			yield(blob.Object{}, fmt.Errorf("stream: %d objects, the mark is behind %d", passed, after.Ordinal))
		}
	}
}

// keyLines yields the objects of a key file.
func keyLines(ctx context.Context, list *blob.Store, key string, o *OpenOptions) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for rec, err := range Records(ctx, list, key, o) {
			if err != nil {
				yield(blob.Object{}, err)
				return
			}
			if len(rec.Data) == 0 {
				continue
			}
			obj, err := parseKeyLine(rec.Data)
			if err != nil {
				yield(blob.Object{}, fmt.Errorf("stream: key file %q line %d: %w", key, rec.Index+1, err))
				return
			}
			if !yield(obj, nil) {
				return
			}
		}
	}
}

func parseKeyLine(line []byte) (blob.Object, error) {
	if line[0] != '{' {
		return blob.Object{Key: string(line), Size: -1}, nil
	}
	l := struct {
		Key     string `json:"key"`
		Bytes   []byte `json:"key_base64"`
		Size    *int64 `json:"size"`
		Version string `json:"version"`
	}{}
	if err := json.Unmarshal(line, &l); err != nil {
		return blob.Object{}, err
	}
	if err := checkText(line, l.Key, l.Version); err != nil {
		return blob.Object{}, err
	}
	obj := blob.Object{Key: cmp.Or(l.Key, string(l.Bytes)), Size: -1, Version: l.Version}
	switch {
	case obj.Key == "":
		return blob.Object{}, errors.New(`no "key"`)
	case l.Key != "" && l.Bytes != nil:
		return blob.Object{}, errors.New(`both "key" and "key_base64"`)
	case l.Size != nil && *l.Size < 0:
		return blob.Object{}, fmt.Errorf("size %d", *l.Size)
	case l.Size != nil:
		obj.Size = *l.Size
	}
	return obj, nil
}
