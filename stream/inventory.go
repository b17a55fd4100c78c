package stream

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// InventoryOptions says how an inventory is read. Nil means the zero value.
type InventoryOptions struct {
	// Schema names the columns of a CSV file that is given without its manifest,
	// as the manifest's fileSchema does: "Bucket", "Key", "Size", … Nil means
	// Bucket and Key, whatever follows.
	Schema []string

	// Prefix is what keys of the inventory begin with and keys of the Store do
	// not: it is cut off, and other keys are left out.
	Prefix string

	// ETags pins each object to the ETag of its row, where there is one. It is
	// for stores whose versions are ETags, as those of blob/s3store are.
	ETags bool

	// Read says how the files are read. Its Frame and Pool are not used:
	// they are read beside the objects, with at most 32 MiB of their own.
	Read ReadOptions
}

// Inventory is a Source of those of objects that an S3 Inventory lists, in its
// order, which is none in particular. key is the inventory's manifest.json in
// list, whose files are looked for under the keys it gives, or one CSV file,
// plain or compressed. Rows of old versions and of delete markers are left out;
// objects in archive classes count as archived. Inventories in ORC or Parquet are
// [ClassUnsupported].
//
// The file is looked up now and pinned: its version is part of the Source's name.
// It is read again, up to the mark, when a job goes on.
func Inventory(ctx context.Context, objects, list *blob.Store, key string, opts *InventoryOptions) (blob.Source, error) {
	var o InventoryOptions
	if opts != nil {
		o = *opts
	}
	at, err := list.Stat(ctx, key)
	if err != nil {
		return blob.Source{}, fmt.Errorf("stream: inventory: %w", err)
	}
	o.Read.Pool = NewPool(&PoolOptions{Memory: listMemory, Workers: 1})
	v := inventory{list: list, opts: o, files: []string{key}, versions: []string{at.Version}}
	schema := o.Schema
	if strings.HasSuffix(key, ".json") {
		if schema, err = v.manifest(ctx, key, at.Version); err != nil {
			return blob.Source{}, fmt.Errorf("stream: inventory %q: %w", key, err)
		}
	} else if schema == nil {
		schema = []string{"Bucket", "Key"}
	}
	if err := v.columns(schema); err != nil {
		return blob.Source{}, fmt.Errorf("stream: inventory %q: %w", key, err)
	}
	name := fmt.Sprintf("%s inventory %s %s version %s", objects.Name(), list.Name(), key, at.Version)
	if o.Prefix != "" {
		name += fmt.Sprintf(" prefix %q", o.Prefix)
	}
	return blob.Source{
		Store: objects,
		Name:  name,
		Objects: func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
			return behind(after, v.rows(ctx))
		},
	}, nil
}

// inventory is a set of CSV files with one schema.
type inventory struct {
	list     *blob.Store
	opts     InventoryOptions
	files    []string
	versions []string // to pin each to; empty for none

	key, size, modified, etag, class, latest, marker int // columns, -1 for none
	fields                                           int // the least that a row has
}

// manifestMost is the largest manifest read, in bytes: some 100,000 files.
const manifestMost = 64 << 20

// manifest reads manifest.json, as "Amazon S3 Inventory manifest" describes it.
func (v *inventory) manifest(ctx context.Context, key, version string) (schema []string, err error) {
	rd, err := Open(ctx, v.list, key, &OpenOptions{Version: version, Read: ReadOptions{Pool: v.opts.Read.Pool}})
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	data, err := io.ReadAll(io.LimitReader(rd, manifestMost+1))
	if err != nil {
		return nil, err
	}
	if len(data) > manifestMost {
		return nil, fmt.Errorf("manifest of more than %d bytes", manifestMost)
	}
	m := struct {
		FileFormat string `json:"fileFormat"`
		FileSchema string `json:"fileSchema"`
		Files      []struct {
			Key string `json:"key"`
		} `json:"files"`
	}{}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%w: no manifest of an S3 inventory", blob.ErrUnsupported)
	}
	if m.FileFormat != "CSV" {
		return nil, fmt.Errorf("%w: inventory in %q, CSV is read", blob.ErrUnsupported, m.FileFormat)
	}
	v.files, v.versions = nil, nil
	for _, f := range m.Files {
		v.files = append(v.files, f.Key)
		v.versions = append(v.versions, "")
	}
	for name := range strings.SplitSeq(m.FileSchema, ",") {
		schema = append(schema, strings.TrimSpace(name))
	}
	return schema, nil
}

// columns finds the columns of interest.
func (v *inventory) columns(schema []string) error {
	for name, at := range map[string]*int{
		"Key": &v.key, "Size": &v.size, "LastModifiedDate": &v.modified, "ETag": &v.etag,
		"StorageClass": &v.class, "IsLatest": &v.latest, "IsDeleteMarker": &v.marker,
	} {
		*at = slices.Index(schema, name)
		v.fields = max(v.fields, *at+1)
	}
	if v.key < 0 {
		return fmt.Errorf("no column Key among %q", schema)
	}
	return nil
}

// rows yields the objects of all files.
func (v *inventory) rows(ctx context.Context) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for i, key := range v.files {
			if more := v.file(ctx, key, v.versions[i], yield); !more {
				return
			}
		}
	}
}

// file yields the objects of one file. It tells whether more are wanted.
func (v *inventory) file(ctx context.Context, key, version string, yield func(blob.Object, error) bool) bool {
	o := OpenOptions{Read: v.opts.Read, Version: version}
	rd, err := Open(ctx, v.list, key, &o)
	if err != nil {
		yield(blob.Object{}, err)
		return false
	}
	defer rd.Close()
	in := csv.NewReader(rd)
	in.ReuseRecord, in.FieldsPerRecord = true, -1
	for {
		row, err := in.Read()
		if err == io.EOF {
			return true
		}
		var obj blob.Object
		var take bool
		if err == nil {
			obj, take, err = v.object(row)
		}
		if err != nil {
			line, _ := in.FieldPos(0)
			var at *csv.ParseError
			if errors.As(err, &at) {
				line = at.Line
			}
			yield(blob.Object{}, fmt.Errorf("stream: inventory %q line %d: %w", key, line, err))
			return false
		}
		if take && !yield(obj, nil) {
			return false
		}
	}
}

// object makes an object of a row. Keys are percent-encoded there, a space as "+".
func (v *inventory) object(row []string) (obj blob.Object, take bool, err error) {
	if len(row) < v.fields {
		return obj, false, fmt.Errorf("%d fields, want %d", len(row), v.fields)
	}
	field := func(at int) string {
		if at < 0 {
			return ""
		}
		return row[at]
	}
	if field(v.latest) == "false" || field(v.marker) == "true" {
		return obj, false, nil
	}
	key, err := url.QueryUnescape(field(v.key))
	if err != nil {
		return obj, false, err
	}
	key, under := strings.CutPrefix(key, v.opts.Prefix)
	if !under || key == "" {
		return obj, false, nil
	}
	obj = blob.Object{Key: key, Size: -1, StorageClass: strings.Clone(field(v.class))}
	if s := field(v.size); s != "" {
		if obj.Size, err = strconv.ParseInt(s, 10, 64); err != nil || obj.Size < 0 {
			return obj, false, fmt.Errorf("size %q", s)
		}
	}
	if s := field(v.modified); s != "" {
		if obj.ModTime, err = time.Parse(time.RFC3339, s); err != nil {
			return obj, false, err
		}
	}
	if v.opts.ETags {
		obj.Version = strings.Clone(strings.Trim(field(v.etag), `"`))
	}
	if obj.StorageClass == "GLACIER" || obj.StorageClass == "DEEP_ARCHIVE" {
		obj.Archive = blob.ArchiveArchived
	}
	return obj, true, nil
}
