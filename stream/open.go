package stream

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// Reader reads the decoded bytes of one object. It belongs to one goroutine, except for
// Report. Time between its calls counts as stage sink.
type Reader struct {
	directRead
	slab *slab.Slab
	o    *decodedReader
	buf  []byte // decoded and not yet returned; in slab
	err  error  // after buf
	shut bool

	index *seek.Index // nil for none
}

// Open opens one object, detects its codec and decodes its first bytes, so that a
// missing, denied, archived or undecodable object is an error of Open. It uses no framer:
// of a format that is read by its index, and of one that no framer cuts, it
// returns the bytes. nil opts mean the zero value. ctx bounds the Reader's whole
// life. The caller closes it.
//
// Errors are *[Error] and answer errors.Is for fs.ErrNotExist, fs.ErrPermission,
// io.ErrUnexpectedEOF, the errors of packages blob and codec, and the context's.
func Open(ctx context.Context, store *blob.Store, key string, opts *OpenOptions) (*Reader, error) {
	if opts == nil {
		opts = &OpenOptions{}
	}
	r := &Reader{index: opts.Index}
	if err := r.begin(ctx, store, key, &opts.Read); err != nil {
		return nil, err
	}
	r.read.bytes = true
	r.slab = r.lane.pool.slabs.Get()
	opened := false
	defer func() {
		if !opened { // or a codec has panicked
			r.Close()
		}
	}()
	if err := r.openAt(ctx, store, key, opts); err != nil {
		return nil, err
	}
	r.ledger.listedOne(r.o.object.info.Size)
	r.buf, r.err = r.fill(r.slab.Bytes()[:firstBytes])
	if r.err != nil && r.err != io.EOF && len(r.buf) == 0 {
		return nil, r.err
	}
	opened = true
	return r, nil
}

// firstBytes is how many decoded bytes Open waits for at most.
const firstBytes = 32 << 10

// Object describes what is read: size and version as served.
func (r *Reader) Object() blob.Object { return r.o.object.info }

// Detection returns which codec was chosen, and why.
func (r *Reader) Detection() codec.Detection { return r.o.detection }

// Read returns decoded bytes. It ends with [io.EOF] only when the object's end is
// proven; data decoded before a fault comes first.
func (r *Reader) Read(p []byte) (int, error) {
	if r.shut {
		return 0, r.closed()
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.buf) == 0 && r.err == nil {
		if len(p) >= firstBytes {
			var b []byte
			b, r.err = r.fill(p)
			if len(b) > 0 {
				return len(b), nil
			}
			return 0, r.err
		}
		r.buf, r.err = r.fill(r.slab.Bytes())
	}
	if len(r.buf) == 0 {
		return 0, r.err
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// WriteTo writes all decoded bytes to w.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	if r.shut {
		return 0, r.closed()
	}
	var total int64
	for {
		if len(r.buf) > 0 {
			n, err := w.Write(r.buf)
			total += int64(n)
			r.buf = r.buf[n:]
			if err == nil && len(r.buf) > 0 {
				err = io.ErrShortWrite
			}
			if err != nil {
				return total, err
			}
		}
		if r.err == io.EOF {
			return total, nil
		}
		if r.err != nil {
			return total, r.err
		}
		r.buf, r.err = r.fill(r.slab.Bytes())
	}
}

// fill decodes into p until something is there, and counts it.
func (r *Reader) fill(p []byte) ([]byte, error) {
	n, err := 0, error(nil)
	for n == 0 && err == nil {
		n, err = r.lane.decode(r.ctx, r.o, p)
	}
	if n > 0 {
		r.ledger.firstRecord(time.Now(), &r.lane.meter)
	}
	r.lane.enterLending(meter.Sink)
	err = r.indexed(err)
	r.account(r.o, err)
	return p[:n], err
}

// Report says where the time went so far; after Close, in all. What was decoded is
// counted with each call of Read. The object is done with io.EOF and failed with
// another error; it remains before, and when the context ends. Report may be called
// from any goroutine.
func (r *Reader) Report() *Report { return r.report() }

// Close ends the read. It may be called twice. Closing before the end is no
// error.
func (r *Reader) Close() error {
	if r.shut {
		return nil
	}
	r.shut = true
	defer r.end()
	defer r.slab.Release()
	if r.o != nil {
		r.o.close()
	}
	return nil
}

// Records yields the records of one object in order, then its error if it has
// one, as the last pair. nil opts mean the zero value. A record's Data is valid
// until the next step. Errors are those of [Open], and a *[RecordError] in an *[Error]
// for a record that cannot be framed.
func Records(ctx context.Context, store *blob.Store, key string, opts *RecordsOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if opts == nil {
			opts = &RecordsOptions{}
		}
		obj, err := knownObject(key, opts.Object)
		if err != nil {
			yield(Record{}, &Error{Source: store.Name(), Key: key, Class: classOf(err), Err: err})
			return
		}
		var s directRead
		if err := s.begin(ctx, store, key, &opts.Read); err != nil {
			yield(Record{}, err)
			return
		}
		defer s.end()
		b, err := s.lane.newBatcher(ctx, &s.read, store, store.Name(), obj, nil)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer b.close()
		for {
			batch, err := b.next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			s.lane.enterLending(meter.Sink)
			for i := range batch.Len() {
				if !yield(batch.Record(i), nil) {
					return
				}
			}
		}
	}
}
