package frametest

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"github.com/thaw-go/thaw/frame"
)

// ErrContract is wrapped by errors for a Scanner, or a Framer's Body, that breaks its
// contract.
var ErrContract = errors.New("contract broken")

// maxKept is how many bytes a call of Resync may leave for the next, and how many after
// a record's end a Scanner may wait for.
const maxKept = 64 << 10

// poison overwrites slabs after use, so that a reference kept to one shows.
const poison = 0xdb

// Record is a copy of one record.
type Record struct {
	Data   []byte // its body
	Offset int64  // where its raw bytes begin in the object
	Raw    int    // number of raw bytes
}

// Driver passes data to a framer in slabs. Bytes after the last end that the Scanner
// reported are passed again, in front of new ones. Slabs that were passed are
// overwritten, so that a Scanner that keeps a reference to one fails. The zero value of
// every field but Framer is usable.
type Driver struct {
	Framer frame.Framer

	// Options are passed to Framer.New. Records of more than MaxRecord raw bytes are
	// refused also where the Scanner does not refuse them. A record without an end
	// within MaxRecord and 64 KiB is too long, unless the Scanner finds it bad
	// within these bytes. Nil means the zero value.
	Options *frame.Options

	// Slab is the size of a slab in bytes. It doubles while a record needs more. 0
	// means the size of the data.
	Slab int

	// Chunk is the largest number of new bytes in a call of Scan. 0 means as many as
	// the slab has room for.
	Chunk int

	// Late passes eof with an empty slab after the last byte, as for a stream whose
	// length is not known. Else eof comes with the last byte.
	Late bool

	// Skip leaves out records that are bad or too long, if the Scanner is a
	// [frame.Resyncer].
	Skip bool

	// AtEnd, if not nil, is called after each Scan that reported ends and no error,
	// with the offset of the last end in the object and the Scanner's State there.
	AtEnd func(offset int64, state []byte)
}

// Split returns the records of data, which begins at Options.Offset. The error is that of
// the record after the last one returned. With Skip it is the first one after which the
// Scanner does not resync, and skipped is the number of records left out.
func (d *Driver) Split(data []byte) (records []Record, skipped int, err error) {
	opts := d.Options
	if opts == nil {
		opts = &frame.Options{}
	}
	s, err := d.Framer.New(opts)
	if err != nil {
		return nil, 0, err
	}
	run := &run{driver: d, opts: opts, scanner: s, data: data, offset: opts.Offset, refused: -1}
	err = run.all()
	return run.records, run.skipped, err
}

// Split returns the records of data, passed to f in slabs of slab bytes with chunk new
// ones each; 0 means what it does in a [Driver]. The error is that of the record after
// the last one returned.
func Split(f frame.Framer, data []byte, slab, chunk int) ([]Record, error) {
	records, _, err := (&Driver{Framer: f, Slab: slab, Chunk: chunk}).Split(data)
	return records, err
}

// run is the state of one Split.
type run struct {
	driver  *Driver
	opts    *frame.Options
	scanner frame.Scanner
	data    []byte // not yet fed
	tail    []byte // fed, after the last end
	slab    []byte // memory that tail lies in
	offset  int64  // decoded offset of tail
	ends    []uint32
	records []Record
	skipped int
	refused int64 // where the last bad record began, -1 for none
	left    bool  // it was left out, and no record came since
}

func (r *run) all() error {
	for {
		eof := r.fill()
		for again := true; again; {
			again = false
			if err := r.scan(eof); err != nil {
				if eof, err = r.resync(err, eof); err != nil {
					return err
				}
				again = eof || len(r.tail) > 0
			}
		}
		if eof {
			return nil
		}
	}
}

// fill moves tail to the front of a fresh slab, appends new bytes and poisons
// the old slab. It says that no bytes follow.
func (r *run) fill() (eof bool) {
	size := r.driver.Slab
	if size == 0 {
		size = len(r.tail) + max(len(r.data), 1)
	}
	for size <= len(r.tail) {
		size = max(2*size, 1)
	}
	n := min(size-len(r.tail), len(r.data))
	if r.driver.Chunk > 0 {
		n = min(n, r.driver.Chunk)
	}
	old := r.slab
	r.slab = make([]byte, 0, len(r.tail)+n)
	r.slab = append(r.slab, r.tail...)
	r.slab = append(r.slab, r.data[:n]...)
	r.tail, r.data = r.slab, r.data[n:]
	overwrite(old)
	return len(r.data) == 0 && (n == 0 || !r.driver.Late)
}

// overwrite poisons b.
func overwrite(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = poison
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// scan takes the records in tail. The error is that of the record after them.
func (r *run) scan(eof bool) error {
	if r.left && len(r.tail) == 0 { // the end was left out, and is not reported
		return nil
	}
	state := bytes.Clone(r.scanner.State())
	ends, err := r.report(r.tail, eof)
	if errors.Is(err, ErrContract) {
		return err
	}
	if before, far := r.outOfSight(ends); far {
		if ends, err = r.judge(before, state); err == nil {
			err = &frame.Error{Framer: r.driver.Framer.Name, Offset: int64(r.opts.MaxRecord), Err: frame.ErrTooLong}
		}
	}
	slab, last := r.tail, 0
	for _, end := range ends {
		raw := slab[last:end:end]
		if limit := r.opts.MaxRecord; limit > 0 && len(raw) > limit {
			r.tail = slab[last:]
			if !r.driver.Skip {
				return &frame.Error{Framer: r.driver.Framer.Name, Offset: int64(limit), Err: frame.ErrTooLong}
			}
			r.skipped++ // its end is known: the Scanner need not help
		} else if err := r.deliver(raw); err != nil {
			return err
		}
		r.offset += int64(len(raw))
		last = int(end)
		r.tail = slab[last:]
		r.left = false
	}
	if err != nil {
		return err
	}
	if at := r.driver.AtEnd; at != nil && last > 0 {
		at(r.offset, bytes.Clone(r.scanner.State()))
	}
	return nil
}

// report calls Scan and checks what it reports.
func (r *run) report(slab []byte, eof bool) ([]uint32, error) {
	const sentinel = 0xfeedface // an end from before, which must stay
	ends, err := r.scanner.Scan(slab, eof, append(r.ends[:0], sentinel))
	if len(ends) == 0 || ends[0] != sentinel {
		return nil, fmt.Errorf("%w: Scan does not append to ends", ErrContract)
	}
	r.ends = ends
	last := 0
	for _, end := range ends[1:] {
		if int(end) <= last || int(end) > len(slab) {
			return nil, fmt.Errorf("%w: end %d after end %d in a slab of %d bytes", ErrContract, end, last, len(slab))
		}
		last = int(end)
	}
	if _, ok := errors.AsType[*frame.Error](err); err != nil && !ok {
		return nil, fmt.Errorf("%w: error of Scan is no *frame.Error: %w", ErrContract, err)
	}
	return ends[1:], err
}

// outOfSight counts the records before one that has no end within sight.
func (r *run) outOfSight(ends []uint32) (before int, far bool) {
	most, last := r.opts.MaxRecord+maxKept, 0
	for i, end := range append(ends, uint32(len(r.tail))) {
		if r.opts.MaxRecord > 0 && int(end)-last > most {
			return i, true
		}
		last = int(end)
	}
	return 0, false
}

// judge scans again, with a new Scanner, up to where a record after these before
// it is out of sight: what is made of it does not depend on how its bytes arrive.
func (r *run) judge(before int, state []byte) ([]uint32, error) {
	ends, from := r.ends[1:1+before], 0
	if before > 0 {
		from = int(ends[before-1])
	}
	s, err := r.driver.Framer.New(&frame.Options{Offset: r.offset, State: state, MaxRecord: r.opts.MaxRecord})
	if err != nil {
		return nil, err
	}
	r.scanner = s
	again, err := r.report(r.tail[:from+r.opts.MaxRecord+maxKept+1], false)
	if errors.Is(err, ErrContract) {
		return nil, err
	}
	if len(again) != before || before > 0 && int(again[before-1]) != from {
		return nil, fmt.Errorf("%w: other ends in the same bytes at offset %d", ErrContract, r.offset)
	}
	return again, err
}

// deliver takes one record.
func (r *run) deliver(raw []byte) error {
	body := raw
	if r.driver.Framer.Body != nil {
		body = r.driver.Framer.Body(raw, r.offset)
		if !within(body, raw) {
			return fmt.Errorf("%w: Body is not within the raw bytes at offset %d", ErrContract, r.offset)
		}
	}
	r.records = append(r.records, Record{Data: bytes.Clone(body), Offset: r.offset, Raw: len(raw)})
	return nil
}

// resync goes on after the record that failed with cause, if that is wanted and
// possible. A second refusal at one place would never end.
func (r *run) resync(cause error, eof bool) (bool, error) {
	s, ok := r.scanner.(frame.Resyncer)
	if !ok || !r.driver.Skip || errors.Is(cause, ErrContract) || errors.Is(cause, frame.ErrNoResync) {
		return eof, cause
	}
	if r.offset <= r.refused {
		return eof, fmt.Errorf("%w: offset %d is refused again: %w", ErrContract, r.offset, cause)
	}
	r.refused = r.offset
	r.skipped++
	r.left = true
	for {
		n, done := s.Resync(r.tail, eof)
		switch {
		case n < 0 || n > len(r.tail):
			return eof, fmt.Errorf("%w: Resync leaves out %d of %d bytes", ErrContract, n, len(r.tail))
		case !done && len(r.tail)-n > maxKept:
			return eof, fmt.Errorf("%w: Resync keeps %d bytes", ErrContract, len(r.tail)-n)
		case !done && eof:
			return eof, fmt.Errorf("%w: Resync is not done at the end", ErrContract)
		}
		r.tail = r.tail[n:]
		r.offset += int64(n)
		if done {
			return eof, nil
		}
		eof = r.fill()
	}
}

// within says that b is part of a's memory, or empty.
func within(b, a []byte) bool {
	if len(b) == 0 {
		return true
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	base := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	return from >= base && from+uintptr(len(b)) <= base+uintptr(len(a))
}
