package codec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// decoder is the [Decoder] of all built-in codecs. It runs a format over an
// Input, member after member, to the end of the source.
//
// Offsets are those of the object, also where decoding began in its middle:
//
//	stored  = base + in.Offset()
//	decoded = bytes before the restart point + bytes returned
type decoder struct {
	name string
	opts Options
	f    format
	in   *Input
	own  *Input // made here, kept for Reset; nil while in belongs to the caller

	base      int64 // stored offset less in.Offset()
	decoded   int64
	start     int64   // decoded offset at which the current member began
	memberEnd Point   // after the last member
	inside    bool    // a member began and did not end
	first     bool    // no member ended yet
	err       error   // sticky, io.EOF included
	refused   error   // that of ask
	probe     [1]byte // for the byte that would be too many

	ask    func(memory int64) error // the caller's Grow; that of opts is grow
	memory int64                    // what it granted

	ignoredAt, ignored int64 // where ignored bytes begin, and how many there are
}

// opener makes the NewReader of a codec from the constructor of its format.
func opener(name string, make func(o *Options) (format, error)) func(io.Reader, *Options) (Decoder, error) {
	return func(src io.Reader, opts *Options) (Decoder, error) {
		d, err := newDecoder(name, opts, make)
		if err != nil {
			return nil, err
		}
		d.adopt(src)
		return d, nil
	}
}

// restarter makes the Restart of a codec. A Point with State is for a resumer.
func restarter(name string, make func(o *Options) (format, error)) func(io.Reader, Point, *Options) (Decoder, error) {
	return func(src io.Reader, p Point, opts *Options) (Decoder, error) {
		d, err := newDecoder(name, opts, make)
		if err != nil {
			return nil, err
		}
		if err := d.ResetAt(src, p); err != nil {
			return nil, err
		}
		return d, nil
	}
}

// ResetAt implements [ResetterAt].
func (d *decoder) ResetAt(src io.Reader, p Point) error {
	if d.f == nil {
		return d.err
	}
	d.adopt(src)
	d.base += p.Stored
	d.decoded, d.start = p.Decoded, p.Decoded
	d.memberEnd = p
	d.first = p.Stored == 0
	if p.State == nil {
		return nil
	}
	r, ok := d.f.(resumer)
	if !ok {
		return d.fault(fmt.Errorf("%w: restart with state", ErrUnsupported))
	}
	err := r.resume(d.in, p.State)
	if err != nil && err != errBetween {
		return d.fault(err)
	}
	d.inside, d.first = err == nil, false
	return nil
}

func newDecoder(name string, opts *Options, make func(o *Options) (format, error)) (*decoder, error) {
	d := &decoder{name: name}
	if opts != nil {
		d.opts = *opts
	}
	if d.ask = d.opts.Grow; d.ask != nil {
		d.opts.Grow = d.grow
	}
	f, err := make(&d.opts)
	if err != nil {
		return nil, d.fault(err)
	}
	d.f = f
	return d, nil
}

// adopt begins on src as if just opened.
func (d *decoder) adopt(src io.Reader) {
	d.in = asInput(src, d.own)
	if _, theirs := src.(*Input); !theirs {
		d.own = d.in
	}
	d.base = -d.in.Offset()
	d.decoded, d.start = 0, 0
	d.memberEnd = Point{}
	d.inside, d.first = false, true
	d.err, d.refused = nil, nil
	d.ignoredAt, d.ignored = 0, 0
}

// Read returns decoded bytes. Data comes before the fault that follows it, and a read of
// nothing has no effect.
func (d *decoder) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n := 0
	for n < len(p) && d.err == nil {
		// Data is not held back for more that may take long.
		if n > 0 && d.in.Buffered() == 0 {
			break
		}
		m, err := d.step(p[n:])
		n += m
		if err != nil {
			d.err = d.stop(err)
		}
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, d.err
}

// step begins a member or reads from the current one. Its io.EOF is that of the
// source.
func (d *decoder) step(p []byte) (int, error) {
	if !d.inside {
		if err := d.f.begin(d.in, d.first); err != nil {
			return 0, err
		}
		d.inside, d.start = true, d.decoded
		return 0, nil
	}
	beyond := false // one byte more would be too many
	if d.opts.MaxDecoded > 0 {
		room := d.opts.MaxDecoded - d.decoded
		if beyond = room <= 0; beyond {
			p = d.probe[:]
		} else if int64(len(p)) > room {
			p = p[:room]
		}
	}
	if d.opts.MaxRatio > 0 && len(p) > ratioFloor {
		p = p[:ratioFloor]
	}
	n, err := d.f.read(p)
	if beyond && n > 0 {
		return 0, &LimitError{What: "decoded size", Allowed: d.opts.MaxDecoded}
	}
	d.decoded += int64(n)
	if err == io.EOF {
		d.inside, d.first = false, false
		d.pass()
		err = nil
	}
	if err == nil && d.opts.MaxRatio > 0 && d.decoded > ratioFloor && d.decoded/d.opts.MaxRatio > d.StoredOffset() {
		err = &LimitError{What: "expansion ratio", Allowed: d.opts.MaxRatio}
	}
	return n, err
}

// pass notes where a member ended.
func (d *decoder) pass() {
	p := Point{Stored: d.StoredOffset(), Decoded: d.decoded}
	if c, ok := d.f.(carrier); ok {
		if p.State, ok = c.carry(); !ok {
			return
		}
	}
	d.memberEnd = p
}

// ratioFloor is how many bytes may come out before MaxRatio is looked at: a few
// stored bytes may stand for much more than the average.
const ratioFloor = 1 << 20

// stop turns the error of a step into the one that Read repeats.
func (d *decoder) stop(err error) error {
	src := d.in.fault()
	switch {
	case d.refused != nil:
		return d.fault(d.refused)
	case errors.Is(err, ErrLimit):
		return d.fault(err)
	case src != nil:
		return d.fault(src)
	case err == io.EOF && !d.inside:
		if d.first && d.StoredOffset() == 0 {
			return d.fault(io.ErrUnexpectedEOF) // an empty source has no member
		}
		return io.EOF
	case !errors.Is(err, errNoMember):
		return d.fault(noEOF(err))
	case d.first:
		return d.fault(fmt.Errorf("%w: not %s data", ErrCorrupt, d.name))
	case !d.opts.IgnoreTrailing:
		return d.fault(ErrTrailing)
	}
	d.ignoredAt = d.StoredOffset()
	if _, err := io.Copy(io.Discard, d.in); err != nil {
		return d.fault(err)
	}
	d.ignored = d.StoredOffset() - d.ignoredAt
	return io.EOF
}

func (d *decoder) fault(err error) error {
	return &Error{Codec: d.name, StoredOffset: d.StoredOffset(), DecodedOffset: d.decoded, Err: err}
}

// StoredOffset implements [Positioned].
func (d *decoder) StoredOffset() int64 {
	if d.in == nil {
		return d.base
	}
	return d.base + d.in.Offset()
}

// RestartPoint implements [Restarter].
func (d *decoder) RestartPoint() (Point, bool) {
	if d.inside {
		if f, ok := d.f.(pointer); ok {
			if p, ok := f.point(); ok {
				p.Stored += d.base
				p.Decoded += d.start
				return p, true
			}
		}
	}
	return d.memberEnd, d.memberEnd.Stored > 0
}

// Trailing implements [Trailing].
func (d *decoder) Trailing() (offset, size int64) { return d.ignoredAt, d.ignored }

// Reset implements [Decoder].
func (d *decoder) Reset(src io.Reader) error {
	if d.f == nil {
		return d.err
	}
	d.adopt(src)
	return nil
}

// Close implements [Decoder].
func (d *decoder) Close() error {
	if d.f == nil {
		return nil
	}
	d.f.close()
	d.err = d.fault(fs.ErrClosed)
	d.base = d.StoredOffset()
	d.f, d.own, d.in = nil, nil, nil
	return nil
}
