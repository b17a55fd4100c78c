package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// InventoryOptions configures [Inventory]. Nil means the zero value.
type InventoryOptions struct {
	// Objects is the store of the objects that the inventory lists. Nil means the
	// store of the inventory.
	Objects *blob.Store

	// Schema names the columns of a CSV file that is read without its
	// manifest.json, as fileSchema does there: "Bucket", "Key", "Size", … It must
	// have "Key". Nil means Bucket and Key, whatever follows.
	Schema []string

	// Prefix is removed from the keys of the inventory, for a Store that is narrowed to
	// a folder. Other keys are left out. Empty means that keys are taken as they
	// are.
	Prefix string

	// ETags pins each object to the ETag of its row, where there is one. Set it
	// for stores whose versions are ETags, such as those of blob/s3store.
	ETags bool

	// Read says how the files are read. Its Frame and Pool must not be set.
	Read stream.ReadOptions
}

// Inventory returns a Source of the objects that an S3 Inventory lists, in the order of
// its files, which is none in particular. key is the inventory's manifest.json in
// store, which also has the files that the manifest names, or one CSV file, plain or
// compressed. Rows of old versions and of delete markers are left out; objects in
// archive classes count as archived. An inventory in ORC or Parquet is
// blob.ErrUnsupported.
//
// ctx bounds the look-up and the manifest; the Source's Objects takes its own. The
// stores stay the caller's to close.
func Inventory(ctx context.Context, store *blob.Store, key string, opts *InventoryOptions) (blob.Source, error) {
	var o InventoryOptions
	if opts != nil {
		o = *opts
	}
	fail := func(err error) (blob.Source, error) {
		return blob.Source{}, fmt.Errorf("catalog: inventory %q: %w", key, err)
	}
	l, err := pin(ctx, store, key, o.Read)
	if err != nil {
		return fail(err)
	}
	v := inventory{list: l, opts: o, files: []string{key}, versions: []string{l.version}}
	schema := o.Schema
	if strings.HasSuffix(key, ".json") {
		if schema, err = v.manifest(ctx); err != nil {
			return fail(err)
		}
	} else if schema == nil {
		schema = []string{"Bucket", "Key"}
	}
	if err := v.columns(schema); err != nil {
		return fail(err)
	}
	objects := cmp.Or(o.Objects, store)
	name := l.name(objects, "inventory")
	if o.Prefix != "" {
		name += fmt.Sprintf(" prefix %q", o.Prefix)
	}
	return blob.Source{
		Store: objects,
		Name:  name,
		Objects: func(ctx context.Context, mark blob.Mark) iter.Seq2[blob.Object, error] {
			return after(mark, v.rows(ctx))
		},
	}, nil
}

// inventory is a set of CSV files with one schema.
type inventory struct {
	list
	opts     InventoryOptions
	files    []string
	versions []string // that each file is pinned to; empty: none

	column struct{ key, size, modified, etag, class, latest, marker int } // -1: none
	fields int                                                            // that a row has at least
}

// manifestMost is the largest manifest read, in bytes: some 100,000 files.
const manifestMost = 64 << 20

// manifest reads manifest.json, as "Amazon S3 Inventory manifest" describes it.
func (v *inventory) manifest(ctx context.Context) (schema []string, err error) {
	rd, err := stream.Open(ctx, v.store, v.key, &stream.OpenOptions{Object: pinned(v.version), Read: stream.ReadOptions{Pool: v.open.Read.Pool}})
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	data, err := io.ReadAll(io.LimitReader(rd, manifestMost+1))
	if err != nil {
		return nil, err
	}
	if len(data) > manifestMost {
		return nil, &codec.LimitError{What: "manifest", Allowed: manifestMost}
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
		"Key": &v.column.key, "Size": &v.column.size, "LastModifiedDate": &v.column.modified, "ETag": &v.column.etag,
		"StorageClass": &v.column.class, "IsLatest": &v.column.latest, "IsDeleteMarker": &v.column.marker,
	} {
		*at = slices.Index(schema, name)
		v.fields = max(v.fields, *at+1)
	}
	if v.column.key < 0 {
		return fmt.Errorf("no column Key among %q", schema)
	}
	return nil
}
