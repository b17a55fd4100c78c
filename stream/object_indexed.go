package stream

import (
	"context"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
)

// indexedReader is the recordReader of formats that are read by their index: the
// format fills slabs with records and reads stored ranges as it needs them.
//
//	rangeReader (stage fetch; the format's Open is stage plan) ─▶ indexed.Reader ─▶ slab (stage parse)
type indexedReader struct {
	objectState
	format   indexed.Format
	evidence frame.Evidence
	rd       indexed.Reader // nil before begin
	ranges   *rangeReader
}

// findIndex looks for an indexed format, unless bytes, a codec or another framer
// are asked for. Nil means that there is none; else o is of no use any more.
func (o *decodedReader) findIndex(ctx context.Context, head []byte) *indexedReader {
	if o.config.bytes || o.config.framer != nil || o.config.Codec != "" && o.config.Codec != codec.None {
		return nil
	}
	f, ok := indexed.Find(o.config.indexed, o.config.Frame, head)
	if !ok {
		return nil
	}
	x := &indexedReader{objectState: o.objectState, format: f, evidence: frame.ByChoice}
	if o.config.Frame == "" {
		x.evidence = frame.Evidence(codec.ByMagic)
	}
	x.ranges = &rangeReader{ctx: ctx, stored: o.stored}
	x.detection = codec.Detection{Codec: codec.None, Evidence: codec.ByMagic}
	o.closeInput()
	o.stored.stop() // what it fetches ahead is not what the index asks for
	return x
}

// begin opens the format at pos, nil for its start. The lane is in stage plan.
func (x *indexedReader) begin(pos *savepoint) (err error) {
	opts := indexed.Options{MaxRecord: x.config.MaxRecord}
	if pos != nil {
		opts.Offset, opts.State = pos.decoded, pos.state
		x.decoded, x.began = pos.decoded, pos.decoded
	}
	x.rd, err = x.format.Open(x.ranges, x.object.info.Size, &opts)
	return err
}

// fill implements recordReader.
func (x *indexedReader) fill(slab []byte, ends []uint32) ([]uint32, error) {
	ends, err := x.rd.Fill(slab, ends)
	if len(ends) > 0 {
		x.decoded += int64(ends[len(ends)-1])
	}
	if err == nil {
		err = x.progressed(len(ends))
	}
	return ends, err
}

// state implements recordReader.
func (x *indexedReader) state() []byte { return x.rd.State() }

// offsets implements objectReader.
func (x *indexedReader) offsets() (stored, decoded int64) { return x.ranges.read, x.decoded }

// progress implements objectReader.
func (x *indexedReader) progress() (stored, decoded, again int64) {
	return x.ranges.read, x.decoded - x.began, 0
}

// restartPoint implements objectReader: the state says where to go on.
func (x *indexedReader) restartPoint(int64) (codec.Point, int64) { return codec.Point{}, 0 }

// reserve implements objectReader. There is no decoder that could be suspended.
func (x *indexedReader) reserve(ctx context.Context, n, later int64) error {
	if x.lane.account.TryExtend(n, later) {
		return nil
	}
	return x.lane.awaitInQueue(func() error { return x.lane.account.Extend(ctx, n, later) })
}

// close implements objectReader.
func (x *indexedReader) close() {
	defer x.stored.close()
	if x.rd != nil {
		x.rd.Close()
		x.rd = nil
	}
	x.ranges.close()
}
