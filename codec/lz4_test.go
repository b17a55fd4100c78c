package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// lines is n bytes or a few more of text that compresses.
func lines(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "{\"n\":%d,\"s\":\"line %d\"}\n", i, i*7919%1009)
	}
	return b.Bytes()
}

// noise is n bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 32)
	}
	return b
}

// lz4Frame makes a frame with pierrec/lz4.
func lz4Frame(t testing.TB, data []byte, opts ...lz4.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(opts...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lz4Hand assembles frames field by field.
type lz4Hand struct {
	flg, bd byte
	out     []byte
	content []byte
}

func handFrame(flg, bd byte, extra ...byte) *lz4Hand {
	h := &lz4Hand{flg: flg | 0x40, bd: bd}
	descriptor := append([]byte{h.flg, h.bd}, extra...)
	h.out = append([]byte{0x04, 0x22, 0x4d, 0x18}, descriptor...)
	h.out = append(h.out, byte(xxh32.Of(0, descriptor)>>8))
	return h
}

// block appends a block: stored is what is stored, data what it stands for.
func (h *lz4Hand) block(raw bool, stored, data []byte) *lz4Hand {
	n := uint32(len(stored))
	if raw {
		n |= 1 << 31
	}
	h.out = binary.LittleEndian.AppendUint32(h.out, n)
	h.out = append(h.out, stored...)
	if h.flg&0x10 != 0 {
		h.out = binary.LittleEndian.AppendUint32(h.out, xxh32.Of(0, stored))
	}
	h.content = append(h.content, data...)
	return h
}

func (h *lz4Hand) end() []byte {
	h.out = append(h.out, 0, 0, 0, 0)
	if h.flg&0x04 != 0 {
		h.out = binary.LittleEndian.AppendUint32(h.out, xxh32.Of(0, h.content))
	}
	return h.out
}

// linkedFrame splits data into blocks of n bytes; every second one is a match that
// repeats the block before it.
func linkedFrame(data []byte, n int) (stored, decoded []byte) {
	h := handFrame(0x14, 0x40)
	for len(data) >= n {
		b := data[:n]
		data = data[n:]
		h.block(true, b, b)
		// One match of n-1 bytes at offset n, then the last literal.
		rest := n - 1 - 19
		match := []byte{0x0f, byte(n), byte(n >> 8)}
		for ; rest >= 255; rest -= 255 {
			match = append(match, 255)
		}
		match = append(match, byte(rest), 0x10, b[n-1])
		h.block(false, match, b)
	}
	return h.end(), h.content
}

func skippableFrame(i byte, data string) []byte {
	b := []byte{0x50 | i, 0x2a, 0x4d, 0x18}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

func lz4Vectors(t testing.TB) []framing {
	text := lines(300)
	sum := lz4.ChecksumOption(true)
	frame := lz4Frame(t, text, sum, lz4.BlockChecksumOption(true), lz4.SizeOption(uint64(len(text))))
	empty := lz4Frame(t, nil, sum)
	legacy := lz4Frame(t, text, lz4.LegacyOption(true))
	linked, linkedData := linkedFrame(noise(600), 100)
	skip := skippableFrame(3, "user data")
	cat := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	twice := cat(text, text)
	return []framing{
		{name: "all checksums and size", stored: frame, data: text, summed: true},
		{name: "no checksum", stored: lz4Frame(t, text, lz4.ChecksumOption(false)), data: text},
		{name: "empty frame", stored: empty, data: nil, summed: true},
		{name: "incompressible", stored: lz4Frame(t, noise(300), sum), data: noise(300), summed: true},
		{name: "linked blocks", stored: linked, data: linkedData, summed: true},
		{name: "two frames", stored: cat(frame, frame), data: twice, summed: true,
			ends: map[int][]byte{len(frame): text}},
		{name: "empty frame between", stored: cat(frame, empty, frame), data: twice,
			ends: map[int][]byte{len(frame): text, len(frame) + len(empty): text}},
		{name: "skippable first, between and last", stored: cat(skip, frame, skip, frame, skip), data: twice,
			ends: map[int][]byte{len(skip): nil, len(skip) + len(frame): text, 2*len(skip) + len(frame): text, 2*len(skip) + 2*len(frame): twice}},
		{name: "legacy", stored: legacy, data: text},
		{name: "legacy, legacy", stored: cat(legacy, legacy), data: twice,
			ends: map[int][]byte{len(legacy): text}},
		{name: "legacy, then modern", stored: cat(legacy, frame), data: twice,
			ends: map[int][]byte{len(legacy): text}},
		{name: "modern, then legacy", stored: cat(frame, legacy), data: twice,
			ends: map[int][]byte{len(frame): text}},
		{name: "legacy, then skippable", stored: cat(legacy, skip, frame), data: twice,
			ends: map[int][]byte{len(legacy): text, len(legacy) + len(skip): text}},
		{name: "empty stored block", data: text, summed: true,
			stored: handFrame(0x24, 0x40).block(true, nil, nil).block(true, text, text).end()},
	}
}

func TestLZ4Vectors(t *testing.T) {
	t.Parallel()
	for _, v := range lz4Vectors(t) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			v.codec = "lz4"
			checkFraming(t, v)
		})
	}
}

// TestLZ4Large reads frames of every block size, with data of several blocks.
func TestLZ4Large(t *testing.T) {
	t.Parallel()
	data := slices.Concat(lines(2<<20), noise(100<<10), make([]byte, 8<<20), lines(300<<10))
	for _, size := range []lz4.BlockSize{lz4.Block64Kb, lz4.Block256Kb, lz4.Block1Mb, lz4.Block4Mb} {
		frame := lz4Frame(t, data, lz4.BlockSizeOption(size), lz4.ChecksumOption(true))
		got, err := unframe(t, "lz4", bytes.NewReader(frame), nil)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("blocks of %v: got %d bytes, error %v; want %d bytes", size, len(got), err, len(data))
		}
	}
	legacy := lz4Frame(t, data, lz4.LegacyOption(true))
	got, err := unframe(t, "lz4", bytes.NewReader(legacy), nil)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("legacy: got %d bytes, error %v; want %d bytes", len(got), err, len(data))
	}
	linked, want := linkedFrame(noise(1<<20), 50000)
	got, err = unframe(t, "lz4", bytes.NewReader(linked), nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("linked: got %d bytes, error %v; want %d bytes", len(got), err, len(want))
	}
}

func TestLZ4Faults(t *testing.T) {
	t.Parallel()
	text := lines(300)
	frame := lz4Frame(t, text, lz4.ChecksumOption(true))
	legacy := lz4Frame(t, text, lz4.LegacyOption(true))
	kernel := binary.LittleEndian.AppendUint32(slices.Clone(legacy), uint32(len(text)))
	size := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	with := func(b []byte, more ...byte) []byte { return append(slices.Clone(b), more...) }
	for _, c := range []struct {
		name   string
		stored []byte
		data   []byte // what comes before the error
		err    error
		text   string // in the message
	}{
		{"empty source", nil, nil, io.ErrUnexpectedEOF, ""},
		{"a bare legacy magic is a cut frame", []byte{0x02, 0x21, 0x4c, 0x18}, nil, io.ErrUnexpectedEOF, ""},
		{"trailing byte", with(frame, '\n'), text, codec.ErrTrailing, ""},
		{"trailing bytes", append(slices.Clone(frame), "junk, long enough to be a header"...), text, codec.ErrTrailing, ""},
		{"trailing zeros", with(frame, make([]byte, 512)...), text, codec.ErrTrailing, ""},
		{"the beginning of another magic", with(frame, 0x04, 0x22), text, io.ErrUnexpectedEOF, ""},
		{"the size that a kernel build appends", kernel, text, codec.ErrTrailing, ""},
		{"more behind the size after legacy", append(slices.Clone(kernel), make([]byte, 100)...), text, codec.ErrTrailing, ""},
		{"trailing text after legacy", append(slices.Clone(legacy), "text"...), text, codec.ErrTrailing, ""},
		{"zeros after legacy", with(legacy, 0, 0, 0, 0, 0), text, codec.ErrTrailing, ""},
		{"legacy block size too large", []byte{0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 1, 0}, nil, codec.ErrCorrupt, ""},
		{"dictionary", handFrame(0x21, 0x40, 7, 0, 0, 0).end(), nil, codec.ErrDictionary, "id 7"},
		{"version 0", []byte{0x04, 0x22, 0x4d, 0x18, 0x24, 0x40, 0}, nil, codec.ErrUnsupported, "version 0"},
		{"reserved FLG bit", handFrame(0x22, 0x40).end(), nil, codec.ErrUnsupported, "reserved"},
		{"reserved BD bit", handFrame(0x20, 0x41).end(), nil, codec.ErrUnsupported, "reserved"},
		{"block size code 3", handFrame(0x20, 0x30).end(), nil, codec.ErrUnsupported, "block size"},
		{"header checksum", with(frame[:6], frame[6]^1), nil, codec.ErrChecksum, "header"},
		{"stored block over the maximum", handFrame(0x20, 0x40).block(true, make([]byte, 64<<10+1), nil).end(), nil, codec.ErrCorrupt, "65537"},
		{"match before the start", handFrame(0x20, 0x40).block(false, []byte{0x10, 'a', 2, 0, 0x10, 'b'}, nil).end(), nil, codec.ErrCorrupt, ""},
		{"offset 0", handFrame(0x20, 0x40).block(false, []byte{0x10, 'a', 0, 0, 0x10, 'b'}, nil).end(), nil, codec.ErrCorrupt, ""},
		{"match into an independent block before", handFrame(0x20, 0x40).block(true, text, text).
			block(false, []byte{0x00, 9, 0, 0x10, 'b'}, nil).end(), text, codec.ErrCorrupt, ""},
		{"less than the declared size", handFrame(0x28, 0x40, size(301)...).block(true, text[:300], nil).end(), text[:300], codec.ErrCorrupt, "declares 301"},
		{"more than the declared size", handFrame(0x28, 0x40, size(299)...).block(true, text[:300], nil).end(), nil, codec.ErrCorrupt, "299"},
		{"content checksum", func() []byte { b := slices.Clone(frame); b[len(b)-1] ^= 1; return b }(), text, codec.ErrChecksum, "content"},
		{"skippable frame longer than the rest", []byte{0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff, 1}, nil, io.ErrUnexpectedEOF, ""},
		{"plain text", []byte("plain text, no frame at all\n"), nil, codec.ErrCorrupt, "no lz4 frame"},
		{"hadoop framing", lz4HadoopBlock(t, text), nil, codec.ErrCorrupt, "lz4-hadoop"},
		{"raw block", lz4RawBlock(t, text), nil, codec.ErrCorrupt, "lz4-block"},
		{"lz4-java", lz4JavaStream(t, text, 100), nil, codec.ErrCorrupt, "lz4-java"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data, err := unframe(t, "lz4", bytes.NewReader(c.stored), nil)
			if !errors.Is(err, c.err) || !bytes.Equal(data, c.data) || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %d bytes and %v; want %d bytes and %v with %q", len(data), err, len(c.data), c.err, c.text)
			}
		})
	}
}

// TestLZ4LinkedBound has a block that decodes to more than its declared maximum.
func TestLZ4LinkedBound(t *testing.T) {
	t.Parallel()
	long := append([]byte{0x1f, 'a', 1, 0}, bytes.Repeat([]byte{255}, 300)...)
	long = append(long, 0, 0x10, 'b') // 76,520 bytes
	for _, flg := range []byte{0x00, 0x20} {
		frame := handFrame(flg, 0x40).block(false, long, nil).end()
		if data, err := unframe(t, "lz4", bytes.NewReader(frame), nil); !errors.Is(err, codec.ErrCorrupt) || len(data) > 0 {
			t.Errorf("flags %#x: got %d bytes, error %v; want %v", flg, len(data), err, codec.ErrCorrupt)
		}
	}
}

// TestLZ4Lies reads headers that claim much and bring little: memory follows what
// is there.
func TestLZ4Lies(t *testing.T) {
	huge := binary.LittleEndian.AppendUint64(nil, 1<<62)
	block := func(b []byte, n uint32) []byte { return append(binary.LittleEndian.AppendUint32(b, n), 'x') }
	for name, stored := range map[string][]byte{
		"content size":       handFrame(0x2c, 0x70, huge...).block(true, []byte("x"), nil).end(),
		"block of 4 MiB":     block(handFrame(0x24, 0x70).out, 4<<20),
		"raw block of 4 MiB": block(handFrame(0x24, 0x70).out, 4<<20|1<<31),
		"linked 4 MiB":       block(handFrame(0x04, 0x70).out, 4<<20),
		"legacy of 8 MiB":    block([]byte{0x02, 0x21, 0x4c, 0x18}, 8<<20),
		"skippable of 4 GiB": block([]byte{0x50, 0x2a, 0x4d, 0x18}, 1<<32-1),
	} {
		if got := allocated(func() {
			if _, err := unframe(t, "lz4", bytes.NewReader(stored), nil); err == nil {
				t.Errorf("%s: got no error", name)
			}
		}); got > 512<<10 {
			t.Errorf("%s: got %d bytes allocated, want less than 512 KiB", name, got)
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestLZ4Restart(t *testing.T) {
	t.Parallel()
	data := lines(300 << 10)
	sums := []lz4.Option{lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true), lz4.BlockChecksumOption(true)}
	frame := lz4Frame(t, data, append(sums, lz4.SizeOption(uint64(len(data))))...)
	linked, linkedData := linkedFrame(noise(200<<10), 30000)
	legacy := lz4Frame(t, make([]byte, 17<<20), lz4.LegacyOption(true))
	checkRestarts(t, "lz4", frame, data, 5)
	checkRestarts(t, "lz4", slices.Concat(frame, frame), slices.Concat(data, data), 10)
	checkRestarts(t, "lz4", linked, linkedData, 12)
	checkRestarts(t, "lz4", legacy, make([]byte, 17<<20), 3)
}

func TestLZ4Split(t *testing.T) {
	t.Parallel()
	data := lines(200 << 10)
	frame := lz4Frame(t, data, lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true))
	sized := lz4Frame(t, data, lz4.SizeOption(uint64(len(data))))
	legacy := lz4Frame(t, data, lz4.LegacyOption(true))
	skip := skippableFrame(0, "x")
	checkUnits(t, "lz4", frame, data, 1)
	checkUnits(t, "lz4", slices.Concat(skip, frame, skip, skip, sized, legacy, legacy, frame, skip), bytes.Repeat(data, 5), 5)
	for _, err := range lookup(t, "lz4").Split(bytes.NewReader(frame), int64(len(frame)-1)) {
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut frame: got %v, want %v", err, io.ErrUnexpectedEOF)
		}
	}
}

func TestLZ4Requires(t *testing.T) {
	t.Parallel()
	size := binary.LittleEndian.AppendUint64(nil, 12345)
	head := handFrame(0x28, 0x70, size...).out
	for n := range head {
		if _, err := lookup(t, "lz4").Requires(head[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("head of %d bytes: got %v, want %v", n, err, io.ErrUnexpectedEOF)
		}
	}
	needs, err := lookup(t, "lz4").Requires(head)
	if err != nil || needs.Window != 64<<10 || needs.Size != 12345 || needs.Memory < 12345 || needs.Memory > 5<<20 {
		t.Errorf("got %+v, error %v", needs, err)
	}
}

func TestLZ4Options(t *testing.T) {
	t.Parallel()
	text := lines(300)
	frame := lz4Frame(t, text, lz4.ChecksumOption(true))
	bad := slices.Clone(frame)
	bad[len(bad)-1] ^= 1
	if got, err := unframe(t, "lz4", bytes.NewReader(bad), &codec.Options{SkipChecksums: true}); err != nil || !bytes.Equal(got, text) {
		t.Errorf("SkipChecksums: got %d bytes, error %v", len(got), err)
	}
	_, err := unframe(t, "lz4", bytes.NewReader(frame), &codec.Options{MaxWindow: 32 << 10})
	var limit *codec.LimitError
	if !errors.As(err, &limit) || limit.Needed != 64<<10 {
		t.Errorf("MaxWindow: got %v, want a LimitError that needs 64 KiB", err)
	}
	if got, err := unframe(t, "lz4", bytes.NewReader(frame), &codec.Options{MaxDecoded: 100}); !errors.Is(err, codec.ErrLimit) || !bytes.Equal(got, text[:100]) {
		t.Errorf("MaxDecoded: got %d bytes, error %v", len(got), err)
	}
}
