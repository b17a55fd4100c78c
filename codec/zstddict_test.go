package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// dictionary is one of about n bytes.
func dictionary(t testing.TB, id uint32, n int) []byte {
	t.Helper()
	history := corpus.NDJSONBytes(uint64(id), n/100)
	history = history[:min(n, len(history))]
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: id, Contents: [][]byte{corpus.NDJSONBytes(2, 20), corpus.NDJSONBytes(3, 20)}, History: history, Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dict
}

// withDict is data compressed with a dictionary.
func withDict(t testing.TB, dict, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// dictFrame is the frame in which an object holds its dictionary.
func dictFrame(content []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("\x5d\x2a\x4d\x18"), uint32(len(content)))
	return append(b, content...)
}

func TestZstdOwnDictionary(t *testing.T) {
	t.Parallel()
	dict, other := dictionary(t, 7, 4000), dictionary(t, 8, 4000)
	again := dictionary(t, 9, 3000)
	binary.LittleEndian.PutUint32(again[4:], 7) // another one under the same id
	data := corpus.NDJSONBytes(7, 30)
	member, plain := withDict(t, dict, data), zst(data)
	broken := bytes.Clone(dict)
	for i := 8; i < 60; i++ {
		broken[i] = 0xff
	}
	twice := join(data, data)
	long := dictionary(t, 7, 300<<10)
	for _, tc := range []struct {
		why    string
		stored []byte
		data   []byte
		err    error
		opts   codec.Options
	}{
		{why: "as it is", stored: join(dictFrame(dict), member, member), data: twice},
		{why: "compressed", stored: join(dictFrame(zst(dict)), member, member), data: twice},
		{why: "frames without a dictionary", stored: join(dictFrame(dict), plain, member), data: twice},
		{why: "skippable frames behind", stored: join(dictFrame(dict), skippable(3), member, dictFrame(other), member), data: twice},
		{why: "300 KiB", stored: join(dictFrame(long), withDict(t, long, data)), data: data},
		{why: "300 KiB, compressed", stored: join(dictFrame(zst(long)), withDict(t, long, data)), data: data},
		{why: "alone", stored: dictFrame(dict)},
		{why: "another one given", stored: join(dictFrame(dict), member, withDict(t, other, data)), data: twice, opts: codec.Options{Dictionaries: [][]byte{other}}},
		{why: "one given under the same id", stored: join(dictFrame(dict), member), data: data, opts: codec.Options{Dictionaries: [][]byte{again}}},
		{why: "given alone", stored: member, data: data, opts: codec.Options{Dictionaries: [][]byte{dict}}},
		{why: "of another id", stored: join(dictFrame(other), member), err: codec.ErrDictionary},
		{why: "not in the first frame", stored: join(skippable(3), dictFrame(dict), member), err: codec.ErrDictionary},
		{why: "behind a frame", stored: join(plain, dictFrame(dict), member), data: data, err: codec.ErrDictionary},
		{why: "in a frame of another magic", stored: join([]byte("\x5c"), dictFrame(dict)[1:], member), err: codec.ErrDictionary},
		{why: "no dictionary in the frame", stored: join(dictFrame([]byte("something else")), plain), data: data},
		{why: "nothing in the frame", stored: join(dictFrame(nil), plain), data: data},
		{why: "the magic alone", stored: join(dictFrame(dict[:4]), plain), data: data},
		{why: "data in the frame", stored: join(dictFrame(zst(data)), plain), data: data},
		{why: "data in the frame, and a dictionary wanted", stored: join(dictFrame(zst(data)), member), err: codec.ErrCorrupt},
		{why: "broken, not wanted", stored: join(dictFrame(broken), plain), data: data},
		{why: "broken", stored: join(dictFrame(broken), member), err: codec.ErrCorrupt},
		{why: "broken in its packing, not wanted", stored: join(dictFrame(zst(dict)[:500]), plain), data: data},
		{why: "broken in its packing", stored: join(dictFrame(zst(dict)[:500]), member), err: codec.ErrCorrupt},
		{why: "cut", stored: dictFrame(dict)[:1000], err: io.ErrUnexpectedEOF},
		{why: "cut in its packing", stored: dictFrame(zst(dict))[:600], err: io.ErrUnexpectedEOF},
		{why: "cut before its magic", stored: dictFrame(dict)[:10], err: io.ErrUnexpectedEOF},
		{why: "4 GiB claimed", stored: []byte("\x5d\x2a\x4d\x18\xff\xff\xff\xff\x37\xa4\x30\xec"), err: io.ErrUnexpectedEOF},
		{why: "too large", stored: join(dictFrame(long), withDict(t, long, data)), err: codec.ErrLimit, opts: codec.Options{MaxWindow: 1 << 20}},
		{why: "too large in its packing", stored: join(dictFrame(zst(long)), withDict(t, long, data)), err: codec.ErrLimit, opts: codec.Options{MaxWindow: 1 << 20}},
		{why: "too large, not wanted", stored: join(dictFrame(long), plain), data: data, opts: codec.Options{MaxWindow: 1 << 20}},
		{why: "no room beside it", stored: join(dictFrame(long), frame(0, "\x60", bytes.Repeat(block(false, 1, 128<<10, "x"), 40), raw(""))), err: codec.ErrLimit, opts: codec.Options{MaxWindow: 4 << 20}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := decodeTo(&got, lookup(t, "zstd"), tc.stored, &tc.opts); !errors.Is(err, tc.err) || !bytes.Equal(got.Bytes(), tc.data) {
				t.Errorf("got %d bytes, %v; want %d, %v", got.Len(), err, len(tc.data), tc.err)
			}
		})
	}
}

// What an object holds before its frames comes along to every point and unit.
func TestZstdOwnDictionaryConformance(t *testing.T) {
	t.Parallel()
	dict := dictionary(t, 7, 4000)
	var vs []codectest.Vector
	for name, front := range map[string][]byte{"plain": dictFrame(dict), "packed": dictFrame(zst(dict))} {
		v := codectest.Vector{Name: name, Stored: front}
		for i := range 12 {
			data := corpus.NDJSONBytes(uint64(i), 20)
			v.Stored = join(v.Stored, withDict(t, dict, data))
			v.Decoded = append(v.Decoded, data...)
		}
		vs = append(vs, v)
	}
	codectest.Run(t, lookup(t, "zstd"), codectest.Format{Vectors: vs, MayEnd: func(stored []byte, n int) bool {
		for u, err := range lookup(t, "zstd").Split(bytes.NewReader(stored), int64(len(stored))) {
			if err == nil && int64(n) == u.Offset+u.Size {
				return true
			}
		}
		return n == 8+int(binary.LittleEndian.Uint32(stored[4:]))
	}})
	for _, v := range vs {
		info, err := codec.Inspect(bytes.NewReader(v.Stored), int64(len(v.Stored)), &codec.InspectOptions{Decode: true})
		if err != nil || info.Members.Count != 12 || info.Units.Count != 12 || info.Decoded != int64(len(v.Decoded)) || len(info.Notes) != 1 {
			t.Errorf("%s: got %d members, %d units, %d bytes, notes %q, %v", v.Name, info.Members.Count, info.Units.Count, info.Decoded, info.Notes, err)
		}
		units := 0
		for u, err := range lookup(t, "zstd").Split(bytes.NewReader(v.Stored), int64(len(v.Stored))) {
			if err != nil || (u.State == nil) != (u.Offset == 0) {
				t.Errorf("%s: unit %+v: got %v", v.Name, u, err)
			}
			units++
		}
		if units != 12 {
			t.Errorf("%s: got %d units, want 12", v.Name, units)
		}
	}
}

// A dictionary too large for the state of a point leaves one place to begin at.
func TestZstdLargeDictionary(t *testing.T) {
	t.Parallel()
	dict := dictionary(t, 7, 300<<10)
	data := corpus.NDJSONBytes(7, 200)
	stored := join(dictFrame(dict), withDict(t, dict, data), withDict(t, dict, data))
	c := lookup(t, "zstd")
	d, err := c.NewReader(bytes.NewReader(stored), new(codec.Options))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		_, err := d.Read(make([]byte, 1000))
		if p, ok := d.(codec.Restarter).RestartPoint(); ok {
			t.Fatalf("got point %+v, want none", p)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var units []codec.Unit
	for u, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
	info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), nil)
	if err != nil || len(units) != 1 || units[0].Size != int64(len(stored)) || info.Units.Count != 1 || info.Members.Count != 2 {
		t.Errorf("got units %+v, %d of Inspect, %d members, %v", units, info.Units.Count, info.Members.Count, err)
	}
	// The next object knows nothing of it.
	d.Reset(bytes.NewReader(stored[8+len(dict):]))
	if _, err := io.Copy(io.Discard, d); !errors.Is(err, codec.ErrDictionary) {
		t.Errorf("another object: got %v, want %v", err, codec.ErrDictionary)
	}
}

// The memory of a dictionary is asked for as it grows, and bounded with the window.
func TestZstdDictionaryMemory(t *testing.T) {
	t.Parallel()
	dict := dictionary(t, 7, 300<<10)
	data := corpus.NDJSONBytes(7, 200)
	c := lookup(t, "zstd")
	zeros := make([]byte, 64<<20)
	for why, stored := range map[string][]byte{
		"plain":         join(dictFrame(dict), withDict(t, dict, data)),
		"packed":        join(dictFrame(zst(dict)), withDict(t, dict, data)),
		"a large claim": join([]byte("\x5d\x2a\x4d\x18\x00\x00\x10\x00\x37\xa4\x30\xec"), dict),
		"a bomb":        join(dictFrame(zst(zeros)), zst(data)),
	} {
		const maxWindow = 8 << 20
		asked := int64(0)
		opts := &codec.Options{MaxWindow: maxWindow, Grow: func(memory int64) error {
			asked = max(asked, memory)
			return nil
		}}
		decodeTo(io.Discard, c, stored, opts)
		if most := c.MaxMemory(maxWindow); asked == 0 || asked > most {
			t.Errorf("%s: got %d bytes asked for, want %d at most", why, asked, most)
		}
		if why != "a bomb" && why != "a large claim" && asked < 300<<10 {
			t.Errorf("%s: got %d bytes asked for, want those of the dictionary at least", why, asked)
		}
		refuse := errors.New("refused")
		opts.Grow = func(memory int64) error {
			if memory > 200<<10 {
				return refuse
			}
			return nil
		}
		if err := decodeTo(io.Discard, c, stored, opts); !errors.Is(err, refuse) {
			t.Errorf("%s: got %v, want the refusal", why, err)
		}
	}
}

// An index reaches into an object with a dictionary of its own.
func TestZstdDictionaryIndex(t *testing.T) {
	t.Parallel()
	dict := dictionary(t, 7, 4000)
	stored := dictFrame(zst(dict))
	var data []byte
	for i := range 40 {
		part := corpus.NDJSONBytes(uint64(i), 50)
		stored = append(stored, withDict(t, dict, part)...)
		data = append(data, part...)
	}
	c := lookup(t, "zstd")
	d, err := c.NewReader(bytes.NewReader(stored), new(codec.Options))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x, err := seek.NewIndexer(d, "zstd", &seek.IndexerOptions{Spacing: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{x}); err != nil {
		t.Fatal(err)
	}
	index, err := x.Index()
	if err != nil || index.Len() == 0 {
		t.Fatalf("got %v, an index of %d points", err, index.Len())
	}
	r, err := seek.NewReaderAt(bytes.NewReader(stored), int64(len(stored)), index, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for at := 0; at < len(data); at += len(data) / 17 {
		p := make([]byte, 3000)
		n, err := r.ReadAt(p, int64(at))
		if want := data[at:min(at+3000, len(data))]; !bytes.Equal(p[:n], want) || err != nil && err != io.EOF {
			t.Errorf("at %d: got %d bytes, %v; want %d", at, n, err, len(want))
		}
	}
}

// FuzzZstdDictionary: whatever an object holds in place of its dictionary, frames
// that need none are read, and those that need one give its bytes or a typed error.
func FuzzZstdDictionary(f *testing.F) {
	dict := dictionary(f, 7, 2000)
	data := corpus.NDJSONBytes(7, 10)
	plain, member := zst(data), withDict(f, dict, data)
	for _, content := range [][]byte{dict, zst(dict), zst(data), dict[:100], zst(dict)[:200], []byte("x"), nil} {
		f.Add(content)
	}
	c := lookup(f, "zstd")
	f.Fuzz(func(t *testing.T, content []byte) {
		var got bytes.Buffer
		opts := &codec.Options{MaxWindow: 8 << 20, MaxDecoded: fuzzLimit}
		if err := decodeTo(&got, c, join(dictFrame(content), plain), opts); err != nil || !bytes.Equal(got.Bytes(), data) {
			t.Fatalf("without need: got %d bytes, %v; want %d", got.Len(), err, len(data))
		}
		got.Reset()
		err := decodeTo(&got, c, join(dictFrame(content), plain, member), opts)
		checkTyped(t, err)
		if !bytes.HasPrefix(got.Bytes(), data) {
			t.Fatalf("got %d bytes, %v; want those before", got.Len(), err)
		}
	})
}
