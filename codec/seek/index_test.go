package seek_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// indexed is an object and what is known of its index.
type indexed struct {
	name, codec  string
	stored, data []byte
	spacing      int64
	least        int // points
	maxSize      int64
}

// makeIndex reads o to its end through an Indexer.
func makeIndex(t testing.TB, o indexed, opts seek.IndexerOptions) *seek.Index {
	t.Helper()
	ix, err := seek.NewIndexer(open(t, o.codec, o.stored), o.codec, &opts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(ix)
	if err != nil || !bytes.Equal(got, o.data) {
		t.Fatalf("%s: got %d bytes, %v through the Indexer, want %d", o.name, len(got), err, len(o.data))
	}
	x, err := ix.Index()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// stored is the stored form of an index.
func storedIndex(t testing.TB, x *seek.Index) []byte {
	t.Helper()
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkIndex makes an index of o, stores and reads it, decodes from every point to
// the end, and reads ranges of it.
func checkIndex(t *testing.T, o indexed) {
	t.Helper()
	made := makeIndex(t, o, seek.IndexerOptions{Version: "v1", Spacing: o.spacing, MaxSize: o.maxSize})
	form := storedIndex(t, made)
	x, err := seek.ReadIndex(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	if x.Codec != o.codec || x.Version != "v1" || x.Stored != int64(len(o.stored)) || x.Decoded != int64(len(o.data)) || x.Len() != made.Len() {
		t.Errorf("got %+v, want what was stored, %+v", x, made)
	}
	if x.Len() < o.least {
		t.Errorf("got %d points, want %d or more", x.Len(), o.least)
	}
	if limit := cmp.Or(o.maxSize, int64(max(64<<10, len(o.stored)/64))); int64(len(form)) > limit {
		t.Errorf("got an index of %d bytes for %d stored ones, want at most %d", len(form), len(o.stored), limit)
	}
	last := int64(0)
	for i := range x.Len() {
		p, err := x.Point(i)
		if err != nil || p.Decoded < last+x.Spacing {
			t.Fatalf("point %d: got %d behind %d, %v, want a spacing of %d", i, p.Decoded, last, err, x.Spacing)
		}
		last = p.Decoded
		d, err := lookup(t, o.codec).Restart(bytes.NewReader(o.stored[p.Stored:]), p, new(codec.Options))
		if err != nil {
			t.Fatalf("point %d: %v", i, err)
		}
		rest := expected(o.data[p.Decoded:])
		if n, err := io.Copy(&rest, d); err != nil || len(rest) > 0 {
			t.Errorf("point %d: got %d bytes, %v, want %d", i, n, err, len(o.data)-int(p.Decoded))
		}
		d.Close()
	}
	checkRanges(t, o, x)
}

// expected is what is still to be written. Other bytes are an error.
type expected []byte

func (e *expected) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(*e, p) {
		return 0, errors.New("other bytes than expected")
	}
	*e = (*e)[len(p):]
	return len(p), nil
}

// checkRanges reads ranges at random, those at points and ends among them, from
// two goroutines at once, and everything by the test of the standard library.
func checkRanges(t *testing.T, o indexed, x *seek.Index) {
	t.Helper()
	r, err := seek.NewReaderAt(bytes.NewReader(o.stored), int64(len(o.stored)), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	size := int64(len(o.data))
	var wg sync.WaitGroup
	for seed := range uint64(2) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 1))
			offsets := []int64{0, size - 1, size, size + 1}
			for i := range x.Len() {
				p, _ := x.Point(i)
				offsets = append(offsets, p.Decoded-1, p.Decoded)
			}
			for range 20 {
				off := offsets[rnd.IntN(len(offsets))]
				if rnd.IntN(2) == 0 {
					off = rnd.Int64N(size + 1)
				}
				p := make([]byte, rnd.IntN(1<<rnd.IntN(21)+1))
				n, err := r.ReadAt(p, off)
				off = min(off, size)
				want := o.data[off:min(size, off+int64(len(p)))]
				if !bytes.Equal(p[:n], want) || err != nil && err != io.EOF || (err == io.EOF) != (len(p) > 0 && n < len(p)) && off < size {
					t.Errorf("%s: ReadAt of %d bytes at %d: got %d, %v, want %d", o.name, len(p), off, n, err, len(want))
				}
			}
		})
	}
	wg.Wait()
	got := make([]byte, size+1)
	if n, err := r.ReadAt(got, 0); n != len(o.data) || err != io.EOF || !bytes.Equal(got[:n], o.data) {
		t.Errorf("%s: got %d bytes, %v of all, want %d", o.name, n, err, size)
	}
	if err := iotest.TestReader(io.NewSectionReader(r, size-min(size, 5000), min(size, 5000)), o.data[size-min(size, 5000):]); err != nil {
		t.Error(err)
	}
}

// TestIndex goes over codecs whose points need no window.
func TestIndex(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 6000)
	var objects []indexed
	add := func(name, codec string, least int, encode func([]byte) []byte) {
		o := indexed{name: name, codec: codec, data: data, spacing: 100_000, least: least}
		for part := range slices.Chunk(data, 60_000) {
			o.stored = append(o.stored, encode(part)...)
		}
		objects = append(objects, o)
	}
	least := len(data)/120_000 - 2
	add("BGZF", "gzip", least, corpus.BGZF)
	add("members", "gzip", least, gz)
	add("frames", "zstd", least, zst)
	add("streams", "bzip2", least, encoder("bzip2"))
	add("frames", "lz4", least, encoder("lz4"))
	add("members", "lzip", least, lzip)
	objects = append(objects,
		indexed{"blocks", "bzip2", corpus.Bzip2{Level: 1}.Encode(data), data, 100_000, least, 0},
		indexed{"blocks", "lz4", lz4Frame(data), data, 100_000, least, 0},
		indexed{"chunks", "snappy", encoder("snappy")(data), data, 100_000, least, 0},
		indexed{"plain", "none", data, data, 100_000, 0, 0},
		indexed{"one frame", "zstd", zst(data), data, 100_000, 0, 0},
		indexed{"one byte", "gzip", gz([]byte("x")), []byte("x"), 1, 0, 0},
	)
	for _, o := range objects {
		t.Run(o.codec+" "+o.name, func(t *testing.T) {
			t.Parallel()
			checkIndex(t, o)
		})
	}
}

// TestIndexSize: as points take too much, the spacing doubles, and those that stay
// are no closer than it says.
func TestIndexSize(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 2000)
	o := indexed{codec: "gzip", data: data}
	for part := range slices.Chunk(data, 200) {
		o.stored = append(o.stored, gz(part)...)
	}
	all := makeIndex(t, o, seek.IndexerOptions{Spacing: 1, MaxSize: 1 << 20})
	for _, limit := range []int64{1000, 500, 250, 150, 1} {
		x := makeIndex(t, o, seek.IndexerOptions{Spacing: 1, MaxSize: limit})
		b := storedIndex(t, x)
		if int64(len(b)) > max(limit, 60) || x.Len() >= all.Len() || x.Spacing == 1 || limit >= 250 && x.Len() == 0 {
			t.Errorf("limit %d: got %d bytes, %d of %d points %d apart", limit, len(b), x.Len(), all.Len(), x.Spacing)
		}
		checkRanges(t, o, x)
	}
}

func TestIndexerErrors(t *testing.T) {
	t.Parallel()
	stored := gz(corpus.NDJSONBytes(1, 300))
	d := open(t, "gzip", stored)
	for _, opts := range []seek.IndexerOptions{
		{Spacing: -1}, {MaxSize: -1}, {MaxSize: 64<<20 + 1}, {Version: string(make([]byte, 5000))},
	} {
		if _, err := seek.NewIndexer(d, "gzip", &opts); err == nil {
			t.Errorf("%+v: got no error", opts)
		}
	}
	layers, err := codec.Default().Open(bytes.NewReader(gz(stored)), codec.Detection{Codec: "gzip", Inner: []string{"gzip"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer layers.Close()
	if _, err := seek.NewIndexer(layers, "gzip", nil); !errors.Is(err, codec.ErrUnsupported) {
		t.Errorf("two layers: got %v, want %v", err, codec.ErrUnsupported)
	}
	ix, err := seek.NewIndexer(d, "gzip", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Index(); err == nil {
		t.Error("got an index of nothing read")
	}
	ix, _ = seek.NewIndexer(open(t, "gzip", stored[:len(stored)-1]), "gzip", nil)
	if _, err := io.Copy(io.Discard, ix); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v from an object that is cut", err)
	}
	if _, err := ix.Index(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got an index of an object that is cut, %v", err)
	}
}

func TestIndexCheck(t *testing.T) {
	t.Parallel()
	x := seek.Index{Codec: "gzip", Version: "a", Stored: 5}
	for _, tc := range []struct {
		version string
		size    int64
		fits    bool
	}{{"a", 5, true}, {"", 5, true}, {"b", 5, false}, {"a", 6, false}, {"", 4, false}} {
		err := x.Check(tc.version, tc.size)
		if (err == nil) != tc.fits || err != nil && !errors.Is(err, seek.ErrOtherVersion) {
			t.Errorf("%+v: got %v", tc, err)
		}
	}
	if _, err := seek.NewReaderAt(bytes.NewReader(nil), 4, &x, nil); !errors.Is(err, seek.ErrOtherVersion) {
		t.Errorf("got %v for an object of another size", err)
	}
	for _, name := range []string{"brotli", "unheard-of"} {
		if _, err := seek.NewReaderAt(bytes.NewReader(nil), 5, &seek.Index{Codec: name, Stored: 5}, nil); !errors.Is(err, codec.ErrUnsupported) {
			t.Errorf("%s: got %v, want %v", name, err, codec.ErrUnsupported)
		}
	}
}

// TestIndexFaults: a read verifies what it runs across, and gives the bytes before
// a fault.
func TestIndexFaults(t *testing.T) {
	t.Parallel()
	part := corpus.NDJSONBytes(1, 300)
	member := gz(part)
	o := indexed{codec: "gzip", stored: bytes.Repeat(member, 3), data: bytes.Repeat(part, 3)}
	x := makeIndex(t, o, seek.IndexerOptions{Spacing: int64(len(part))})
	bad := bytes.Clone(o.stored)
	bad[2*len(member)-8] ^= 1 // checksum of the second
	size := int64(len(part))
	for _, tc := range []struct {
		why     string
		stored  []byte
		decoded int64 // of the index; 0 means as it is
		off, n  int64
		got     int64
		want    error
	}{
		{"before the fault", bad, 0, 0, size, size, nil},
		{"up to the checksum", bad, 0, size, size, size, nil},
		{"across it", bad, 0, size, size + 1, size, codec.ErrChecksum},
		{"behind it", bad, 0, 2 * size, size, size, nil},
		{"an object that is cut", o.stored[:len(o.stored)-1], 0, 2*size + 5, size - 5, size - 5, io.ErrUnexpectedEOF},
		{"an object that is cut, not read so far", o.stored[:len(o.stored)-1], 0, 2*size + 5, 100, 100, nil},
		{"an index that says less", o.stored, 3*size - 1, 2 * size, size - 1, size - 1, codec.ErrCorrupt},
		{"an index that says more", o.stored, 3*size + 1, 2 * size, size + 1, size, codec.ErrCorrupt},
		{"an index that says much more", o.stored, 9 * size, 8 * size, size, 0, codec.ErrCorrupt},
	} {
		y := *x
		if tc.decoded > 0 {
			y.Decoded = tc.decoded
		}
		r, err := seek.NewReaderAt(bytes.NewReader(tc.stored), y.Stored, &y, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, tc.n)
		n, err := r.ReadAt(p, tc.off)
		if int64(n) != tc.got || !errors.Is(err, tc.want) || tc.want == nil && err != nil || !bytes.Equal(p[:n], o.data[tc.off%size:][:n]) {
			t.Errorf("%s: got %d bytes, %v, want %d, %v", tc.why, n, err, tc.got, tc.want)
		}
		if _, err := r.ReadAt(p[:1], -1); err == nil {
			t.Errorf("%s: got no error at offset -1", tc.why)
		}
		r.Close()
		if _, err := r.ReadAt(p[:1], 0); err == nil {
			t.Errorf("%s: got no error after Close", tc.why)
		}
	}
}

func ExampleReaderAt() {
	object := bytes.Repeat(gz([]byte("0123456789")), 5)
	c, _ := codec.Default().Lookup("gzip")
	d, err := c.NewReader(bytes.NewReader(object), new(codec.Options))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	indexer, err := seek.NewIndexer(d, "gzip", &seek.IndexerOptions{Spacing: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := io.Copy(io.Discard, indexer); err != nil {
		fmt.Println(err)
		return
	}
	index, err := indexer.Index()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(index.Decoded, "bytes")

	r, err := seek.NewReaderAt(bytes.NewReader(object), int64(len(object)), index, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	p := make([]byte, 4)
	n, err := r.ReadAt(p, 38)
	fmt.Printf("%s, %v\n", p[:n], err)
	// Output:
	// 50 bytes
	// 8901, <nil>
}
