package stream

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
)

// knownObject is what is known of the object of a key before it is opened.
func knownObject(key string, known *blob.Object) (blob.Object, error) {
	obj := blob.Object{Size: -1}
	if known != nil {
		obj = *known
	}
	if obj.Key != "" && obj.Key != key {
		return obj, fmt.Errorf("Object is %q: %w", obj.Key, fs.ErrInvalid)
	}
	obj.Key = key
	return obj, nil
}

// object is knownObject, with what an index knows.
func (o *OpenOptions) object(key string) (blob.Object, error) {
	obj, err := knownObject(key, o.Object)
	x := o.Index
	if x == nil || err != nil {
		return obj, err
	}
	if obj.Size < 0 {
		obj.Size = x.Stored
	}
	if err := x.Check(obj.Version, obj.Size); err != nil {
		return obj, err
	}
	if obj.Version == "" {
		obj.Version = x.Version
	}
	return obj, nil
}

// position is where decoding begins for Offset, nil for the start.
func (o *OpenOptions) position() (*savepoint, error) {
	if o.Offset < 0 {
		return nil, fmt.Errorf("OpenOptions.Offset is %d: %w", o.Offset, fs.ErrInvalid)
	}
	if o.Index == nil || o.Offset == 0 {
		return nil, nil
	}
	if o.Offset > o.Index.Decoded {
		return nil, &pastEnd{o.Offset, o.Index.Decoded}
	}
	p, err := o.Index.Before(o.Offset)
	if err != nil || p.Stored == 0 {
		return nil, err
	}
	return &savepoint{codec: o.Index.Codec, point: p, decoded: o.Offset}, nil
}

// codec is the name of the codec for Read with an Index.
func (o *OpenOptions) codec() (string, error) {
	name := o.Read.Codec
	if o.Index == nil {
		return name, nil
	}
	if name != "" && name != o.Index.Codec {
		return "", fmt.Errorf("the index is for codec %s, not %s: %w", o.Index.Codec, name, fs.ErrInvalid)
	}
	return o.Index.Codec, nil
}

// pastEnd is the fs.ErrInvalid of an Offset beyond the object.
type pastEnd struct{ offset, decoded int64 }

func (e *pastEnd) Error() string {
	return fmt.Sprintf("offset %d is past the end, at decoded offset %d", e.offset, e.decoded)
}

func (e *pastEnd) Is(target error) bool { return target == fs.ErrInvalid }

// openAt opens the object and stands before the byte at opts.Offset.
func (r *Reader) openAt(ctx context.Context, store *blob.Store, key string, opts *OpenOptions) (err error) {
	fail := func(err error) error {
		return &Error{Source: store.Name(), Key: key, Class: classOf(err), Err: err}
	}
	if r.read.Codec, err = opts.codec(); err != nil {
		return fail(err)
	}
	obj, err := opts.object(key)
	if err != nil {
		return fail(err)
	}
	pos, err := opts.position()
	if err != nil {
		return fail(err)
	}
	o, err := r.lane.open(ctx, &r.read, store, store.Name(), obj, pos)
	if err != nil {
		return err
	}
	r.o = o.(*decodedReader) // of bytes, as r.read asks for
	if pos != nil {
		if err := r.o.compareNames(); err != nil {
			return fail(err) // it has no position
		}
	}
	for buf := r.slab.Bytes(); r.o.decoded < opts.Offset; {
		_, err := r.lane.decode(ctx, r.o, buf[:min(int64(len(buf)), opts.Offset-r.o.decoded)])
		if err == io.EOF && r.o.decoded < opts.Offset {
			return fail(&pastEnd{opts.Offset, r.o.decoded})
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// indexed holds the end of the object against its index.
func (r *Reader) indexed(err error) error {
	if x := r.index; err == io.EOF && x != nil && r.o.decoded != x.Decoded {
		return r.o.fail(fmt.Errorf("%w: ends at decoded offset %d, the index says %d", codec.ErrCorrupt, r.o.decoded, x.Decoded))
	}
	return err
}
