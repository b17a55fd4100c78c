//go:build (amd64 || arm64) && !thaw_klauspost

package codec_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestInflateRestart goes on at every restart point of each format over deflate.
func TestInflateRestart(t *testing.T) {
	t.Parallel()
	data := blocksOfAllKinds()
	type object struct {
		name, codec string
		stored      []byte
		data        []byte
		least       int // restart points
	}
	var objects []object
	for _, level := range []int{0, 1, 6, 9} {
		member := written(data, func(w io.Writer) io.WriteCloser {
			gw, _ := gzip.NewWriterLevel(w, level)
			return gw
		})
		objects = append(objects, object{fmt.Sprint("gzip ", level), "gzip", member, data, 2})
		if level == 6 {
			small := []byte(text)
			objects = append(objects, object{"members", "gzip", join(gz(small), member, make([]byte, 5), member, gz(small)), slices.Concat(small, data, data, small), 6})
		}
	}
	var blocks []byte
	for block := range slices.Chunk(data, 60_000) {
		blocks = append(blocks, bgzf(block)...)
	}
	objects = append(objects,
		object{"BGZF", "gzip", blocks, data, 45},
		object{"zlib", "zlib", encodeZlib(data), data, 2},
		object{"zlib 1", "zlib", written(data, func(w io.Writer) io.WriteCloser {
			zw, _ := zlib.NewWriterLevel(w, flate.BestSpeed)
			return zw
		}), data, 2},
		object{"deflate", "deflate", encodeDeflate(data), data, 2},
	)
	for _, o := range objects {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			checkRestarts(t, o.codec, o.stored, o.data, o.least)
		})
	}
}

// TestInflateRestartAgain restarts where a restarted decoder passes points, until
// the end, and reads each part once. Its checksum is that of the whole.
func TestInflateRestartAgain(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 30_000)
	for name, stored := range map[string][]byte{"gzip": gz(data), "zlib": encodeZlib(data), "deflate": encodeDeflate(data)} {
		for _, unverified := range []bool{false, true} {
			c, opts := lookup(t, name), &codec.Options{SkipChecksums: unverified}
			d, err := c.NewReader(bytes.NewReader(stored), opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			restarts := 0
			p := make([]byte, 50_000)
			for last := int64(0); ; {
				n, err := d.Read(p)
				got = append(got, p[:n]...)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				at, ok := d.(codec.Restarter).RestartPoint()
				if !ok || at.Decoded == last || at.State == nil {
					continue
				}
				last, got = at.Decoded, got[:at.Decoded]
				restarts++
				d.Close()
				if d, err = c.Restart(bytes.NewReader(stored[at.Stored:]), at, opts); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, data) || restarts < len(data)>>20-1 {
				t.Errorf("%s: got %d bytes with %d restarts, want %d with at least %d", name, len(got), restarts, len(data), len(data)>>20-1)
			}
			if off := d.(codec.Positioned).StoredOffset(); off != int64(len(stored)) {
				t.Errorf("%s: got stored offset %d at the end, want %d", name, off, len(stored))
			}
			d.Close()
		}
	}
}

// TestInflateRestartUnverified: a point of a reader that leaves checksums out is
// good for one that does not, which verifies what is left to verify.
func TestInflateRestartUnverified(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 15_000)
	member := gz(data)
	stored := join(member, member)
	bad := bytes.Clone(stored)
	bad[len(bad)-8] ^= 1 // checksum of the second member
	d, err := lookup(t, "gzip").NewReader(bytes.NewReader(stored), &codec.Options{SkipChecksums: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := io.CopyN(io.Discard, d, int64(len(data))*3/4); err != nil {
		t.Fatal(err)
	}
	at, ok := d.(codec.Restarter).RestartPoint()
	if !ok || at.State == nil {
		t.Fatalf("got no restart point inside the member")
	}
	for _, tc := range []struct {
		stored []byte
		fails  bool
	}{{stored, false}, {bad, true}} {
		d, err := lookup(t, "gzip").Restart(bytes.NewReader(tc.stored[at.Stored:]), at, new(codec.Options))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(d); int64(len(got)) != int64(2*len(data))-at.Decoded || (err != nil) != tc.fails {
			t.Errorf("got %d bytes and %v, want %d", len(got), err, int64(2*len(data))-at.Decoded)
		}
		d.Close()
	}
}

// TestInflatePointsKeep: a point that was told does not change as reading goes on.
func TestInflatePointsKeep(t *testing.T) {
	t.Parallel()
	d := open(t, "gzip", gz(corpus.NDJSONBytes(1, 30_000)))
	var points, copies [][]byte
	p := make([]byte, 256<<10)
	for err := error(nil); err == nil; _, err = d.Read(p) {
		if at, ok := d.(codec.Restarter).RestartPoint(); ok {
			points, copies = append(points, at.State), append(copies, bytes.Clone(at.State))
		}
	}
	if len(points) < 4 {
		t.Errorf("got %d points", len(points))
	}
	for i := range points {
		if !bytes.Equal(points[i], copies[i]) {
			t.Errorf("state of point %d changed", i)
		}
	}
}
