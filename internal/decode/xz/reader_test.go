package xz_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/xz"
)

// decode reads one stream and returns what is left after it.
func decode(r *xz.Reader, stored []byte) (data []byte, left int, err error) {
	src := bufio.NewReader(bytes.NewReader(stored))
	src.Discard(len(xz.Magic))
	if err := r.Begin(src); err != nil {
		return nil, 0, err
	}
	data, err = drain(r)
	rest, _ := io.ReadAll(src)
	return data, len(rest), err
}

// drain reads to the end; r gives nothing and no error at borders.
func drain(r *xz.Reader) (data []byte, err error) {
	p := make([]byte, 1000)
	for err == nil {
		var n int
		n, err = r.Read(p)
		data = append(data, p[:n]...)
	}
	if err == io.EOF {
		err = nil
	}
	return data, err
}

var (
	ice   = bytes.Repeat([]byte("ice "), 100)
	water = bytes.Repeat([]byte("water "), 70)
)

func both() []byte { return append(bytes.Clone(ice), water...) }

func TestStreams(t *testing.T) {
	t.Parallel()
	r := xz.Reader{Limit: 1 << 20} // one for all
	for _, c := range []struct {
		name   string
		stored []byte
		want   []byte
	}{
		{"no block", stream(t, xz.CRC32), nil},
		{"empty block", stream(t, xz.CRC32, block{}), nil},
		{"no check", stream(t, xz.None, block{data: ice}), ice},
		{"CRC32", stream(t, xz.CRC32, block{data: ice}), ice},
		{"CRC64", stream(t, xz.CRC64, block{data: ice}), ice},
		{"SHA-256", stream(t, xz.SHA256, block{data: ice}), ice},
		{"two blocks", stream(t, xz.CRC64, block{data: ice}, block{data: water}), both()},
		{"sizes", stream(t, xz.CRC64, block{data: ice, sizes: true}, block{data: water, sizes: true}), both()},
		{"an empty block between", stream(t, xz.SHA256, block{data: ice}, block{sizes: true}, block{data: water}), both()},
		{"largest header", stream(t, xz.CRC32, block{data: ice, extra: 1020 - 8}), ice},
	} {
		got, left, err := decode(&r, append(c.stored, "left"...))
		if err != nil || !bytes.Equal(got, c.want) || left != 4 {
			t.Errorf("%s: got %d bytes, %d left and %v; want %d, 4 left", c.name, len(got), left, err, len(c.want))
		}
	}
}

// TestBeginAfterCut: nothing of a stream that ended early is left in its Reader.
func TestBeginAfterCut(t *testing.T) {
	t.Parallel()
	stored := stream(t, xz.CRC64, block{data: ice}, block{data: water})
	r := xz.Reader{Limit: 1 << 20}
	for cut := len(xz.Magic); cut < len(stored); cut++ {
		if _, _, err := decode(&r, stored[:cut]); err != io.ErrUnexpectedEOF {
			t.Errorf("cut to %d: got %v, want %v", cut, err, io.ErrUnexpectedEOF)
		}
		if got, _, err := decode(&r, stored); err != nil || !bytes.Equal(got, both()) {
			t.Errorf("whole after a cut to %d: got %d bytes and %v, want %d", cut, len(got), err, len(both()))
		}
	}
}

// resum corrects the CRC32 over b[from:to], which stands at to.
func resum(b []byte, from, to int) []byte {
	binary.LittleEndian.PutUint32(b[to:], crc32.ChecksumIEEE(b[from:to]))
	return b
}

func TestRules(t *testing.T) {
	t.Parallel()
	one := func() []byte { return stream(t, xz.CRC32, block{data: ice, sizes: true}) }
	// Of one: stream header 12, block header 16 with sizes at 14.
	blockAt := 12
	headerEnd := blockAt + 4*int(one()[blockAt]) // where its CRC32 is
	set := func(at int, v ...byte) []byte {
		b := one()
		copy(b[at:], v)
		return resum(b, blockAt, headerEnd)
	}
	filtered := func(count int, filters ...byte) []byte {
		return stream(t, xz.CRC32, block{data: ice, count: count, filters: filters})
	}
	indexed := func(x []byte) []byte {
		k, _ := block{data: ice}.build(t, xz.CRC32)
		return bytes.Join([][]byte{header(xz.CRC32), k, x, footer(xz.CRC32, len(x))}, nil)
	}
	_, record := block{data: ice}.build(t, xz.CRC32)
	other := vli(vli(nil, 100), 100)
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	k, _ := block{data: ice}.build(t, xz.CRC32)
	flagged := func(flags ...byte) []byte {
		b := cat(header(xz.CRC32), k, index(record), footer(xz.CRC32, len(index(record))))
		copy(b[6:], flags)
		return resum(b, 6, 8)
	}
	for _, c := range []struct {
		reason string
		stored []byte
		want   fault.Kind
	}{
		{"reserved first flag byte", flagged(1, 1), fault.Unsupported},
		{"reserved flag bits", flagged(0, 0x11), fault.Unsupported},
		{"wrong CRC32 of the stream header", func() []byte { b := one(); b[8]++; return b }(), fault.Checksum},
		{"wrong CRC32 of the block header", func() []byte { b := one(); b[headerEnd]++; return b }(), fault.Checksum},
		{"reserved block flags", set(blockAt+1, 0xc4), fault.Unsupported},
		{"stored size of 0", set(blockAt+2, 0), fault.Corrupt},
		{"stored size too small", set(blockAt+2, 3), fault.Corrupt},
		{"stored size too large", set(blockAt+2, 120), fault.Corrupt},
		{"decoded size too small", set(blockAt+3, 0x81), fault.Corrupt},
		{"decoded size too large", set(blockAt+3, 0xff), fault.Corrupt},
		{"header too short for two more filters", set(blockAt+1, 0xc3), fault.Corrupt},
		{"header padding", func() []byte {
			b := stream(t, xz.CRC32, block{data: ice, extra: 4})
			end := blockAt + 4*int(b[blockAt])
			b[end-1] = 1
			return resum(b, blockAt, end)
		}(), fault.Corrupt},
		{"LZMA2 in front of LZMA2", filtered(1, 0x21, 1, 8), fault.Corrupt},
		{"unknown filter", filtered(1, 0x41, 0), fault.Unsupported},
		{"RISC-V", filtered(1, 0x0b, 0), fault.Unsupported},
		{"delta without distance", filtered(1, 3, 0), fault.Corrupt},
		{"x86 with two bytes of properties", filtered(1, 4, 2, 0, 0), fault.Corrupt},
		{"ARM with an odd offset", filtered(1, 7, 4, 2, 0, 0, 0), fault.Corrupt},
		{"IA-64 with an offset of 8", filtered(1, 6, 4, 8, 0, 0, 0), fault.Corrupt},
		{"integer not in its shortest form", filtered(1, 0x83, 0, 1, 0), fault.Corrupt},
		{"integer of ten bytes", filtered(1, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1, 0), fault.Corrupt},
		{"properties longer than the header", filtered(1, 3, 100, 0), fault.Corrupt},
		{"index without the block", indexed(index()), fault.Corrupt},
		{"index with a block more", indexed(index(record, other)), fault.Corrupt},
		{"index with another block", indexed(index(other)), fault.Corrupt},
		{"index with a block of 4 bytes", indexed(index(vli(vli(nil, 4), 1))), fault.Corrupt},
		{"index with an overlong integer", indexed(sum32(pad4(cat([]byte{0, 0x81, 0}, record)))), fault.Corrupt},
		{"index padding", indexed(sum32(func() []byte {
			b := pad4(cat([]byte{0, 1}, record, []byte{0}))
			b[len(b)-1] = 1
			return b
		}())), fault.Corrupt},
		{"wrong CRC32 of the index", indexed(func() []byte { b := index(record); b[len(b)-1]++; return b }()), fault.Checksum},
		{"footer with another check", cat(header(xz.CRC32), k, index(record), footer(xz.CRC64, len(index(record)))), fault.Corrupt},
		{"footer with another index size", cat(header(xz.CRC32), k, index(record), footer(xz.CRC32, 400)), fault.Corrupt},
		{"footer magic", func() []byte { b := one(); b[len(b)-1] = 'z'; return b }(), fault.Corrupt},
		{"wrong CRC32 of the footer", func() []byte { b := one(); b[len(b)-12]++; return b }(), fault.Checksum},
		{"wrong check", func() []byte { b := stream(t, xz.SHA256, block{data: ice}); b[len(b)-12-12-1]++; return b }(), fault.Checksum},
		{"two blocks in another order", func() []byte {
			a, ra := block{data: ice}.build(t, xz.CRC32)
			b, rb := block{data: water}.build(t, xz.CRC32)
			x := index(rb, ra)
			return cat(header(xz.CRC32), a, b, x, footer(xz.CRC32, len(x)))
		}(), fault.Corrupt},
		{"check of unknown kind", stream(t, 2, block{data: ice}), fault.Unsupported},
	} {
		r := xz.Reader{Limit: 1 << 20}
		_, _, err := decode(&r, c.stored)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != c.want {
			t.Errorf("%s: got %v, want a fault of cause %d", c.reason, err, c.want)
		}
	}
}

func TestUnknownCheck(t *testing.T) {
	t.Parallel()
	for kind := range xz.Check(16) {
		stored := stream(t, kind, block{data: ice}, block{data: water})
		r := xz.Reader{Limit: 1 << 20}
		got, _, err := decode(&r, stored)
		if !bytes.Equal(got, both()) || kind.Known() != (err == nil) {
			t.Errorf("check %d: got %d bytes and %v, want all %d and an error if it is unknown", kind, len(got), err, len(both()))
		}
		r.Skip = true
		if _, _, err := decode(&r, stored); err != nil {
			t.Errorf("check %d, skipped: got %v, want nil", kind, err)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	stored := stream(t, xz.SHA256, block{data: ice, sizes: true}, block{data: water})
	r := xz.Reader{Limit: 1 << 20}
	for n := len(xz.Magic); n < len(stored); n++ {
		got, _, err := decode(&r, stored[:n])
		if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(both(), got) {
			t.Fatalf("cut at %d of %d: got %d bytes and %v, want %v", n, len(stored), len(got), err, io.ErrUnexpectedEOF)
		}
	}
}

func TestWindowLimit(t *testing.T) {
	t.Parallel()
	r := xz.Reader{Limit: 64<<10 - 1}
	_, _, err := decode(&r, stream(t, xz.CRC32, block{data: ice}))
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Window || f.Needed != 64<<10 || f.Allowed != r.Limit {
		t.Errorf("window of 64 KiB: got %+v, want a fault that names it and the limit", err)
	}
	// A block that states a smaller size needs no more than that.
	if _, _, err := decode(&r, stream(t, xz.CRC32, block{data: ice, sizes: true})); err != nil {
		t.Errorf("small block with the same window: got %v, want nil", err)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	stored := stream(t, xz.CRC64, block{data: ice}, block{data: water, sizes: true}, block{data: ice})
	want := append(both(), ice...)
	r := xz.Reader{Limit: 1 << 20}
	src := bufio.NewReader(bytes.NewReader(stored))
	src.Discard(len(xz.Magic))
	if err := r.Begin(src); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 1000)
	given := 0
	for seen := int64(0); seen < 3; {
		n, err := r.Read(p)
		given += n
		if err != nil {
			t.Fatal(err)
		}
		if r.Blocks() == seen {
			continue
		}
		seen++
		state := r.State()
		rest, _ := src.Peek(src.Buffered())
		again := xz.Reader{Limit: 1 << 20}
		if err := again.Resume(bufio.NewReader(bytes.NewReader(rest)), state); err != nil {
			t.Fatalf("behind block %d: Resume: got %v", seen, err)
		}
		if got, err := drain(&again); err != nil || !bytes.Equal(got, want[given:]) {
			t.Errorf("behind block %d: got %d bytes and %v, want %d", seen, len(got), err, len(want)-given)
		}
		// The index is compared with the blocks before the point too.
		state[2]++
		if err := again.Resume(bufio.NewReader(bytes.NewReader(rest)), state); err == nil {
			if _, err = drain(&again); err == nil {
				t.Errorf("behind block %d with another state: got a clean end, want an error", seen)
			}
		}
	}
	for _, state := range [][]byte{nil, {1}, {1, 0x10}, {1, 4, 0}, {2, 4}, {3, 4}} {
		if err := r.Resume(src, state); err == nil {
			t.Errorf("Resume with state % x: got nil, want an error", state)
		}
	}
}

func TestNoAllocationPerRead(t *testing.T) {
	data := bytes.Repeat(both(), 500)
	stored := stream(t, xz.SHA256, block{data: data, count: 1, filters: []byte{4, 0}})
	// The check of data that went through a filter does not matter here.
	r := xz.Reader{Limit: 1 << 20, Skip: true}
	src := bufio.NewReader(bytes.NewReader(stored))
	src.Discard(len(xz.Magic))
	if err := r.Begin(src); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 1000)
	read := func() {
		if _, err := r.Read(p); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		read()
	}
	if got := testing.AllocsPerRun(100, read); got != 0 {
		t.Errorf("got %v allocations for a Read, want 0", got)
	}
}
