package httpstore

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Body is a response body that yields exactly the bytes due.
type Body struct {
	ctx   context.Context
	src   io.ReadCloser
	left  int64
	fail  func(error) error
	ended error
	last  [1]byte
}

// NewBody returns a body of the first due bytes of src: what follows them is left out,
// what is missing is io.ErrUnexpectedEOF. It ends with ctx. fail returns other errors
// with a class.
func NewBody(ctx context.Context, src io.ReadCloser, due int64, fail func(error) error) *Body {
	return &Body{ctx: ctx, src: src, left: due, fail: fail}
}

// Read reads stored bytes. After the last one it reads the response once more, so that
// its connection is free for the next request.
func (b *Body) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	if err := b.ctx.Err(); err != nil {
		return 0, b.end(err)
	}
	if b.left == 0 {
		b.src.Read(b.last[:]) // every byte due was returned: how the response ends does not matter
		return 0, b.end(io.EOF)
	}
	n, err := b.src.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case err == nil:
		return n, nil
	case b.left == 0:
		return n, b.end(io.EOF)
	case b.ctx.Err() != nil:
		return n, b.end(b.fail(err))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return n, b.end(fmt.Errorf("response ended %d bytes early: %w", b.left, io.ErrUnexpectedEOF))
	}
	return n, b.end(b.fail(err))
}

func (b *Body) end(err error) error {
	b.ended = err
	return err
}

// Close closes the response. A body closed before its end takes its connection
// with it.
func (b *Body) Close() error { return b.src.Close() }
