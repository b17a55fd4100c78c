package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	klauspost "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/zstd"
)

// zstdEngine decodes the blocks of a frame. Where a checksum proves what comes
// out, that is the work of klauspost's library. It takes some damaged blocks for
// good ones, so frames without a checksum are decoded by package zstd, which takes
// none.
type zstdEngine struct {
	strict *zstd.Reader
	dicts  map[uint32]*zstd.Dict

	library *klauspost.Decoder
	frame   zstdFrame // what the library reads

	proven bool // the frame has a checksum that is verified
}

func newZstdEngine(dicts [][]byte) (*zstdEngine, error) {
	e := &zstdEngine{strict: zstd.NewReader(), dicts: make(map[uint32]*zstd.Dict)}
	for i, d := range dicts {
		if len(d) < 8 {
			return nil, fmt.Errorf("dictionary %d: %w", i, io.ErrUnexpectedEOF)
		}
		dict, err := zstd.ParseDict(d)
		if err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", binary.LittleEndian.Uint32(d[4:]), zstdFault(err))
		}
		e.dicts[dict.ID()] = dict
	}
	var err error
	e.library, err = klauspost.NewReader(nil,
		klauspost.WithDecoderConcurrency(1),   // no goroutine
		klauspost.WithDecoderMaxWindow(1<<41), // limited by the format
		klauspost.WithDecoderMaxMemory(1<<62), // likewise
		klauspost.IgnoreChecksum(true),        // verified by the format
		klauspost.WithDecoderDicts(dicts...),
	)
	if err != nil {
		return nil, fmt.Errorf("dictionaries: %w", err)
	}
	return e, nil
}

// knows tells whether a dictionary is there. 0 is none.
func (e *zstdEngine) knows(dict uint32) bool { return dict == 0 || e.dicts[dict] != nil }

// reset begins a frame at the first block, which is the next byte of in. proven
// says that a checksum behind the blocks is going to be verified.
func (e *zstdEngine) reset(in *Input, window int64, dict uint32, proven bool) error {
	if e.proven = proven; !proven {
		e.strict.Reset(in.Reader, window, e.dicts[dict])
		return nil
	}
	e.frame.reset(in, window, dict)
	return e.library.Reset(&e.frame)
}

// read gives decoded bytes, and io.EOF behind the last block.
func (e *zstdEngine) read(p []byte) (int, error) {
	if !e.proven {
		n, err := e.strict.Read(p)
		return n, zstdFault(err)
	}
	n, err := e.library.Read(p)
	switch {
	case err == nil || err == io.EOF:
	case e.frame.err != nil:
		err = e.frame.err
	default:
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return n, err
}

// zstdFault is err as this package tells it.
func zstdFault(err error) error {
	if fault, ok := errors.AsType[*zstd.Error](err); ok {
		return fmt.Errorf("%w: %s", ErrCorrupt, fault.Reason)
	}
	return err
}
