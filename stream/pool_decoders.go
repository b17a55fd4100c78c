package stream

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// keptDecoder is a decoder with the memory that it holds: of an object, or kept for
// the next one.
type keptDecoder struct {
	key    decoderKey
	dec    codec.Decoder
	hook   *memoryHook
	memory int64
}

// memoryHook grants a decoder what it asks for by codec.Options.Grow. It stays with
// the decoder from object to object.
type memoryHook struct {
	reader decoderUser // nil while the decoder is kept
	ctx    context.Context
}

// decoderUser is what reads an object with a decoder.
type decoderUser interface {
	// grow reserves what the decoder is going to hold in all.
	grow(ctx context.Context, memory int64) error
}

func (h *memoryHook) grow(memory int64) error { return h.reader.grow(h.ctx, memory) }

// decoderKey says which objects a kept decoder can serve: those of the same codec,
// class of memory and options.
type decoderKey struct {
	codecs  *codec.Registry
	name    string
	class   int64 // of memory; -1 for a decoder that is not kept
	options codec.Options
}

// equal compares options by all their fields, dictionaries by their bytes.
func (k *decoderKey) equal(o *decoderKey) bool {
	return k.codecs == o.codecs && k.name == o.name && k.class == o.class && reflect.DeepEqual(&k.options, &o.options)
}

// decoderCache keeps decoders for reuse. Their memory stays charged to the budget,
// and is released when somebody waits for it.
type decoderCache struct {
	budget *memory.Budget
	most   int // decoders that are kept

	mu   sync.Mutex
	kept []keptDecoder // longest first
}

// take returns a decoder for the key, the one that was kept last, and releases the
// memory that it holds: the caller reserves that before it uses the decoder.
func (c *decoderCache) take(key *decoderKey) (keptDecoder, bool) {
	c.mu.Lock()
	i := len(c.kept) - 1
	for i >= 0 && !c.kept[i].key.equal(key) {
		i--
	}
	if i < 0 {
		c.mu.Unlock()
		return keptDecoder{}, false
	}
	k := c.kept[i]
	c.kept = slices.Delete(c.kept, i, i+1)
	c.mu.Unlock()
	c.budget.ReleaseKept(k.memory)
	return k, true
}

// put keeps a decoder, whose memory an account has handed over with Keep. The one
// that was kept longest makes room: the next objects are of the kind of the last.
func (c *decoderCache) put(k keptDecoder) {
	for !c.tryPut(k) {
		c.evict()
	}
	if c.budget.Wanted() {
		c.evict()
	}
}

func (c *decoderCache) tryPut(k keptDecoder) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= c.most {
		return false
	}
	c.kept = append(c.kept, k)
	return true
}

// evict closes the decoder that was kept longest, and reports whether there was one.
func (c *decoderCache) evict() bool {
	c.mu.Lock()
	if len(c.kept) == 0 {
		c.mu.Unlock()
		return false
	}
	k := c.kept[0]
	c.kept = slices.Delete(c.kept, 0, 1)
	c.mu.Unlock()
	defer c.budget.ReleaseKept(k.memory)
	k.dec.Close()
	return true
}
