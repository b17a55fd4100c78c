package catalog

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

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

// file yields the objects of one file. It reports whether more are wanted.
func (v *inventory) file(ctx context.Context, key, version string, yield func(blob.Object, error) bool) bool {
	o := v.open
	o.Object = pinned(version)
	rd, err := stream.Open(ctx, v.store, key, &o)
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
			yield(blob.Object{}, fmt.Errorf("catalog: inventory %q line %d: %w", key, line, err))
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
	if field(v.column.latest) == "false" || field(v.column.marker) == "true" {
		return obj, false, nil
	}
	key, err := url.QueryUnescape(field(v.column.key))
	if err != nil {
		return obj, false, err
	}
	key, under := strings.CutPrefix(key, v.opts.Prefix)
	if !under || key == "" {
		return obj, false, nil
	}
	obj = blob.Object{Key: key, Size: -1, StorageClass: strings.Clone(field(v.column.class))}
	if s := field(v.column.size); s != "" {
		if obj.Size, err = strconv.ParseInt(s, 10, 64); err != nil || obj.Size < 0 {
			return obj, false, fmt.Errorf("size %q", s)
		}
	}
	if s := field(v.column.modified); s != "" {
		if obj.ModTime, err = time.Parse(time.RFC3339, s); err != nil {
			return obj, false, err
		}
	}
	if v.opts.ETags {
		obj.Version = strings.Clone(strings.Trim(field(v.column.etag), `"`))
	}
	if obj.StorageClass == "GLACIER" || obj.StorageClass == "DEEP_ARCHIVE" {
		obj.Archive = blob.ArchiveArchived
	}
	return obj, true, nil
}
