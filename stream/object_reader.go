package stream

import (
	"context"
	"io"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// objectReader reads one object in order. It is the middle of three:
//
//	storedReader ─▶ objectReader ─▶ batcher
//	stored bytes    decoded bytes    records
//	                or records of
//	                an index
//
// A byteReader is one whose bytes a framer cuts, a recordReader one whose format cuts
// its own records. Where idle workers decode units of the object ahead (object_ahead.go), a
// byteReader also hands over slabs that they have filled.
//
// Whoever reads is in the stage that the read is charged to and holds a permit. A reader
// belongs to one goroutine.
//
// Invariants:
//   - bytes and records come in order, each once, whatever is opened again below;
//   - all stored bytes are of the version that the first open has pinned;
//   - io.EOF of a byteReader comes only after every stored byte was read;
//   - an error comes after the data before it, and is final.
type objectReader interface {
	// facts returns what is known of the object so far. Reads change it.
	facts() *objectFacts

	// offsets returns how many stored bytes the data read so far took, and the
	// decoded offset of what is read next.
	offsets() (stored, decoded int64)

	// progress returns what this reader alone has read and decoded, and what of that
	// was decoded a second time.
	progress() (stored, decoded, again int64)

	// helped returns how long other goroutines have decoded for this reader, beyond what its
	// lane was charged for waiting for them.
	helped() time.Duration

	// restartPoint returns where decoding can begin again for data from a decoded
	// offset on, and the memory that a decoder holds there. The zero Point means that
	// the format has no such place.
	restartPoint(decoded int64) (p codec.Point, memory int64)

	// reserve takes n bytes of memory for a record that outgrew its slab, of which up
	// to later more may follow. While it waits, the decoder may be suspended: the next
	// read resumes it.
	reserve(ctx context.Context, n, later int64) error

	// changed returns an error if the object was written to while it was read.
	changed() error

	// fail returns err as an error of the object. Once ctx is over, failIn returns the
	// end of ctx instead.
	fail(err error) error
	failIn(ctx context.Context, err error) error

	// close ends the read. facts and offsets still answer.
	close()
}

// byteReader is an objectReader of decoded bytes.
type byteReader interface {
	objectReader

	// read decodes into p. io.EOF means that the end of the object is proven. Other
	// errors are *[Error], come after the bytes before them, and repeat.
	read(ctx context.Context, p []byte) (int, error)

	// decodesAhead reports whether slab may have something.
	decodesAhead() bool

	// slab returns the next decoded bytes in a slab, n of them from slabHead on, that another
	// goroutine has filled. It is the caller's. Nil means that read has to be called.
	slab(ctx context.Context) (s *slab.Slab, n int, err error)

	// mayWait reports whether the next bytes have yet to arrive.
	mayWait() bool

	// refuseContainers makes an error of an object whose data is one that no framer
	// cuts, from now on. containerError returns that error once the data is known.
	refuseContainers()
	containerError() error
}

// recordReader is an objectReader of records whose ends the format knows.
type recordReader interface {
	objectReader

	// fill writes records to slab and appends their ends to ends, which is empty.
	// io.ErrShortBuffer, without ends, asks for a larger slab.
	fill(slab []byte, ends []uint32) ([]uint32, error)

	// state is what the format needs to go on after the last of ends.
	state() []byte
}

// objectFacts is what is known of an object that is read.
type objectFacts struct {
	object    *object
	detection codec.Detection
	doubt     string // why it may have been cut although it ended cleanly

	// At the end: stored bytes after the last member that were accepted as none.
	trailingAt, trailing int64
}

// objectState is what both kinds of reader have.
type objectState struct {
	objectFacts
	lane       *lane
	config     *readConfig
	stored     *storedReader
	decoded    int64 // offset of what is read next
	began      int64 // decoded offset at which the read began
	emptyReads int   // reads in a row that returned nothing
}

func (o *objectState) facts() *objectFacts   { return &o.objectFacts }
func (o *objectState) helped() time.Duration { return 0 }
func (o *objectState) changed() error        { return o.stored.changed() }

// mostEmptyReads is how often a decoder, or the reader of an indexed format, may return
// nothing.
const mostEmptyReads = 100

// progressed is an error once n was 0 too often: what returns nothing again and again
// would be asked without end.
func (o *objectState) progressed(n int) error {
	if o.emptyReads++; n > 0 {
		o.emptyReads = 0
	}
	if o.emptyReads >= mostEmptyReads {
		return io.ErrNoProgress
	}
	return nil
}

// decodeSlab takes a slab from r in stage decode.
func (l *lane) decodeSlab(ctx context.Context, r byteReader) (*slab.Slab, int, error) {
	if !r.decodesAhead() {
		return nil, 0, nil
	}
	if err := l.enterHolding(ctx, meter.Decode); err != nil {
		return nil, 0, r.failIn(ctx, err)
	}
	return r.slab(ctx)
}

// decode reads from r in stage decode.
func (l *lane) decode(ctx context.Context, r byteReader, p []byte) (int, error) {
	if err := l.enterHolding(ctx, meter.Decode); err != nil {
		return 0, r.failIn(ctx, err)
	}
	n, err := r.read(ctx, p)
	l.permit.Did(int64(n))
	return n, err
}
