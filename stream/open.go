package stream

import (
	"context"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// Reader reads the decoded bytes of one object. It belongs to one goroutine, except for
// Report. Time between its calls counts as stage sink: the program has the bytes then.
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
// missing, denied, archived or undecodable object is an error of Open. Damage further
// on is an error of Read or WriteTo: a server that has sent a status by then must break
// the connection. Open uses no framer, and returns the decoded bytes of any format, also
// of one that Records refuses, such as Parquet. nil opts mean the zero value. ctx bounds
// the Reader's whole life. The caller closes it.
//
// Errors are *[Error], those of options too. They answer errors.Is for fs.ErrNotExist,
// fs.ErrPermission, fs.ErrInvalid, io.ErrUnexpectedEOF, [ErrPoolBusy], the errors of
// packages blob and codec, and the context's.
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

// Object describes what is read: size and version as served. The size is that of the
// stored bytes; how many they decode to is known at the end only.
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

// WriteTo writes all decoded bytes to w, as [io.Copy] does. An error of w is returned as
// it is; the Reader then continues after the bytes that w took.
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
