package stream_test

import (
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// panicking is a Decoder whose first Read panics.
type panicking struct {
	codec.Decoder
	panics bool
}

func (d *panicking) Read(p []byte) (int, error) {
	if d.panics {
		d.panics = false
		panic("of the decoder")
	}
	return d.Decoder.Read(p)
}

// A decoder that panicked is not used for another object: what it was about to do is
// half done.
func TestPanickedDecodersAreNotKept(t *testing.T) {
	for _, panics := range []bool{false, true} {
		all := codec.Default().Clone()
		none, _ := codec.Default().Lookup("none")
		c, opened := none, 0
		c.Name, c.Extensions, c.Magic = "kind", []string{".k"}, nil
		c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			opened++
			d, err := none.NewReader(src, opts)
			return &panicking{d, panics && opened == 1}, err
		}
		all.Register(c)
		s := store(t, map[string][]byte{"a.k": []byte("x\n")})
		pool := stream.NewPool(&stream.PoolOptions{Memory: 16 << 20})
		read := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			for _, err := range stream.Records(t.Context(), s, "a.k", &stream.RecordsOptions{Read: stream.ReadOptions{Pool: pool, Codecs: all}}) {
				if err != nil {
					t.Error(err)
				}
			}
			return false
		}
		want := 1
		if panics {
			want = 2
		}
		if first, second := read(), read(); first != panics || second || opened != want {
			t.Errorf("panics %t: got panics %t and %t, %d decoders; want %d", panics, first, second, opened, want)
		}
	}
}
