package codec_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

var (
	agreeFlips = flag.Int("agree.flips", 200, "damaged copies of objects of each codec that TestAgree makes")
	agreeCuts  = flag.Int("agree.cuts", 0, "TestAgree cuts real files of up to so many stored bytes everywhere, and larger ones at more places; 0 cuts them at a few")
)

const (
	agreeMost  = 256 << 10 // data that a cut or damaged object may have
	agreeWhole = 64 << 20  // data that a whole one may have
	agreeSmall = 4 << 10   // stored bytes of an own object, which is cut everywhere
)

// verdicts are what errors of this package are about.
var verdicts = []struct {
	err  error
	name string
}{
	{codec.ErrLimit, "limit"}, {codec.ErrTrailing, "trailing"}, {codec.ErrDictionary, "dictionary"},
	{codec.ErrUnsupported, "unsupported"}, {codec.ErrChecksum, "checksum"}, {codec.ErrCorrupt, "corrupt"},
	{io.ErrUnexpectedEOF, "truncated"},
}

func verdict(err error) string {
	if err == nil {
		return "clean"
	}
	for _, v := range verdicts {
		if errors.Is(err, v.err) {
			return v.name
		}
	}
	return fmt.Sprintf("%T", err)
}

// inData says of a verdict that it may come from bytes between headers, which only
// decoding reads, or from what a reader has, such as its dictionaries.
func inData(verdict string) bool {
	return slices.Contains([]string{"corrupt", "checksum", "limit", "unsupported", "dictionary"}, verdict)
}

// endless are the codecs whose headers do not tell where a member ends. What only
// decoding can see there is not held against Split and Inspect.
var endless = map[string]string{
	"none":         "every object is whole",
	"gzip":         "only blocks of BGZF state their size",
	"zlib":         "a stream states no size",
	"deflate":      "a stream states no size",
	"brotli":       "a stream states no size",
	"bzip2":        "a stream states no size; where the next one begins is found by its first bytes",
	"lzma":         "a stream states its decoded size alone",
	"lzip":         "a member states its size behind it: one that is cut has none",
	"lz4-block":    "a block states no size",
	"lz4-hadoop":   "a chunk states no decoded size, so that the end of its block is not known",
	"snappy-block": "a block is the object, and states its decoded size alone",
}

// oneKnown are the differences that headers cannot settle.
func oneKnown(name, difference string, stored []byte) bool {
	switch {
	case name == "lz4" && strings.HasSuffix(difference, "decoder: trailing"), name == "lz4" && strings.Contains(difference, "trailing, decoder: truncated"):
		// Four bytes after a legacy block: the size that a kernel's build appends, or
		// that of the next block. What was decoded tells, not headers.
		return bytes.Contains(stored, []byte{0x02, 0x21, 0x4c, 0x18})
	case name == "xz" && strings.HasPrefix(difference, "units: corrupt, decoder: "):
		// An index that lies is met by a unit at its block, by the Decoder after all.
		return true
	case name == "gzip" && strings.HasPrefix(difference, "sizes: "):
		// A size of BGZF that lies over several whole members reads like one member.
		return bytes.Contains(stored, []byte("BC\x02\x00"))
	}
	return false
}

// reading is what one way of reading an object came to.
type reading struct {
	data     []byte
	verdict  string
	at       int64 // of the error
	trailing int64
}

func readAll(d codec.Decoder, err error) (r reading) {
	var b bytes.Buffer
	if err == nil {
		defer d.Close()
		_, err = io.Copy(&b, struct{ io.Reader }{d})
		_, r.trailing = codec.Trailing(d)
	}
	r.data, r.verdict = b.Bytes(), verdict(err)
	if e, ok := errors.AsType[*codec.Error](err); ok {
		r.at = e.StoredOffset
	}
	return r
}

// byUnits reads an object unit after unit.
func byUnits(c codec.Codec, stored []byte) (r reading, sizes bool) {
	sizes = true
	at := int64(0)
	for u, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
		if err != nil {
			r.verdict = verdict(err)
			if e, ok := errors.AsType[*codec.Error](err); ok {
				r.at = e.StoredOffset
			}
			return r, sizes
		}
		if u.Offset != at || u.Size <= 0 || u.Offset+u.Size > int64(len(stored)) {
			r.verdict = fmt.Sprintf("unit of %d at %d, want one at %d", u.Size, u.Offset, at)
			return r, sizes
		}
		at += u.Size
		src := io.NewSectionReader(bytes.NewReader(stored), u.Offset, u.Size)
		opts := &codec.Options{MaxDecoded: 1 << 40}
		var one reading
		if u.State == nil {
			one = readAll(c.NewReader(src, opts))
		} else {
			one = readAll(c.Restart(src, codec.Point{Stored: u.Offset, Decoded: int64(len(r.data)), State: u.State}, opts))
		}
		r.data = append(r.data, one.data...)
		if r.verdict = one.verdict; r.verdict != "clean" {
			return r, sizes
		}
		if u.Decoded >= 0 && u.Decoded != int64(len(one.data)) {
			sizes = false
		}
	}
	if r.verdict = "clean"; at != int64(len(stored)) {
		r.verdict = fmt.Sprintf("units up to %d of %d", at, len(stored))
	}
	return r, sizes
}

// disagreements compares what the Decoder, the units and Inspect say of an object.
// The Decoder is right. An object of more than most bytes of data is left out.
func disagreements(c codec.Codec, stored []byte, most int64) (list []string) {
	differ := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !oneKnown(c.Name, s, stored) {
			list = append(list, s)
		}
	}
	whole := readAll(c.NewReader(bytes.NewReader(stored), &codec.Options{MaxDecoded: most}))
	if whole.verdict == "limit" || len(stored) == 0 {
		return nil
	}
	_, free := endless[c.Name]
	hidden := func(v string) bool { return inData(v) || free }

	// same compares the verdict of headers with that of decoding: before where they
	// found a fault, and in the part that ends too early, data may have had another.
	same := func(what, v string, at int64, indexed bool) {
		switch {
		case v == whole.verdict:
		case v == "clean" && indexed: // between what an index names, no header was read
		case v == "clean" && hidden(whole.verdict):
		case v != "clean" && whole.verdict != "clean" && hidden(whole.verdict) && (free || whole.at <= at || v == "truncated"):
		default:
			differ("%s: %s, decoder: %s", what, v, whole.verdict)
		}
	}
	if c.Split != nil {
		units, sizes := byUnits(c, stored)
		switch {
		case units.verdict == whole.verdict && !bytes.Equal(units.data, whole.data) && whole.verdict == "clean",
			!bytes.HasPrefix(whole.data, units.data):
			differ("units: other data")
		case whole.verdict == "clean" || units.verdict == "clean":
			if units.verdict != whole.verdict {
				differ("units: %s, decoder: %s", units.verdict, whole.verdict)
			}
		default:
			same("units", units.verdict, units.at, false)
		}
		if !sizes {
			differ("sizes: a unit has more or less data than it states")
		}
	}
	info, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Codec: c.Name})
	at := int64(0)
	if e, ok := errors.AsType[*codec.Error](err); ok {
		at = e.StoredOffset
	}
	same("Inspect", verdict(err), at, strings.HasPrefix(info.How, "index"))
	full, err := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Codec: c.Name, Decode: true})
	if v := verdict(err); v != whole.verdict {
		differ("Inspect with decoding: %s, decoder: %s", v, whole.verdict)
	}
	if full.Decoded != int64(len(whole.data)) {
		differ("Inspect with decoding: other size")
	}
	if whole.verdict != "clean" {
		return list
	}
	if info.Declared >= 0 && info.Declared != int64(len(whole.data)) {
		differ("sizes: declared %d, decoder: %d", info.Declared, len(whole.data))
	}
	if full.Declared >= 0 && full.Declared != int64(len(whole.data)) {
		list = append(list, "sizes: declared is not corrected by decoding")
	}
	if info.Members.Count >= 0 && info.Members.Count != full.Members.Count {
		differ("sizes: %d members, decoder: %d", info.Members.Count, full.Members.Count)
	}
	for what, i := range map[string]*codec.Info{"Inspect": info, "Inspect with decoding": full} {
		if what == "Inspect" && (free || info.Members.Count < 0) {
			continue // later members were not seen
		}
		asked := int64(0)
		opts := &codec.Options{MaxWindow: max(i.Window, 1), Grow: func(memory int64) error { asked = max(asked, memory); return nil }}
		if r := readAll(c.NewReader(bytes.NewReader(stored), opts)); r.verdict != "clean" {
			differ("%s: a reader with its window: %s", what, r.verdict)
		}
		if asked > i.Memory {
			differ("%s: memory %d, a reader takes %d", what, i.Memory, asked)
		}
	}
	return list
}

type agreeObject struct {
	codec, name string
	stored      []byte
}

// agreeObjects are objects of every codec, from encoders of this project.
func agreeObjects(t testing.TB) []agreeObject {
	text := strings.Repeat("the ice on the lake, the lake under the ice\n", 6)[:250]
	line := []byte(text)
	sized, block := zstdSized(text), bgzf(line)
	n, d := uint32(len(sized)), uint32(len(text))
	bare := frame(size8, "\x50"+u64(3), raw("abc"))
	modern := handFrame(0x7c, 0x40, []byte(u64(uint64(len(text))))...).block(true, line, line).end()
	legacy := lz4Frame(t, line, lz4.LegacyOption(true))
	linked, _ := linkedFrame([]byte(strings.Repeat(text, 3)), 100)
	dict := dictionary(t, 7, 600)
	return []agreeObject{
		{"none", "text", line},
		{"gzip", "members and zeros", join(gz(line), gz(nil), make([]byte, 3), gz(line))},
		{"gzip", "BGZF", join(block, bgzf(line[:30]), bgzf(nil))},
		{"gzip", "BGZF, then gzip", join(block, gz(line))},
		{"gzip", "empty blocks of BGZF", join(bgzf(nil), bgzf(nil), bgzf(nil))},
		{"zlib", "stream", encodeZlib(line)},
		{"deflate", "stream", encodeDeflate(line)},
		{"zstd", "frames", join(skippable(2), sized, skippable(3), zst(line), frame(0, window1K, raw("abc")))},
		{"zstd", "seekable", join(sized, sized, seekTable(n, d, n, d))},
		{"zstd", "pzstd", join(pzstd(sized), pzstd(sized))},
		{"zstd", "pzstd without checksums", join(pzstd(bare), pzstd(bare))},
		{"zstd", "dictionary in it", join(dictFrame(dict), withDict(t, dict, line), withDict(t, dict, line))},
		{"lz4", "frames", join(skippable(2), modern, skippable(3), linked, modern)},
		{"lz4", "legacy", join(legacy, legacy, modern, skippable(1), legacy)},
		{"lz4", "legacy, small blocks", []byte("\x02\x21\x4c\x18\x02\x00\x00\x00\x10A\x02\x00\x00\x00\x10A\x02\x00\x00\x00\x10A")},
		{"lz4", "legacy and its size", join(legacy, []byte{byte(len(text)), byte(len(text) >> 8), 0, 0})},
		{"lz4", "bare magics", []byte("\x02\x21\x4c\x18\x02\x21\x4c\x18")},
		{"lz4-java", "streams", join(lz4JavaStream(t, line, 64), lz4JavaStream(t, nil, 64), lz4JavaStream(t, line, 100))},
		{"lz4-hadoop", "blocks", join(lz4HadoopBlock(t, line), lz4HadoopBlock(t, line[:40], line[40:]))},
		{"lz4-block", "block", lz4RawBlock(t, line)},
		{"snappy", "streams", join(snappyStream(line, 50), chunk(0xfe, 1, 2), snappyStream(line, 500), s2Stream(line))},
		{"s2", "streams", join(s2Stream(line, s2.WriterAddIndex()), snappyStream(line, 50))},
		{"snappy-xerial", "streams", join(xerialStream(line, line[:9]), xerialStream(line))},
		{"snappy-hadoop", "blocks", join(snappyHadoopBlock(line), snappyHadoopBlock(line[:40], line[40:]))},
		{"snappy-block", "block", snappy.Encode(nil, line)},
		{"bzip2", "streams", join(encodeBzip2(line), encodeBzip2(nil), corpus.Bzip2{Level: 3}.Encode(line), corpus.Bzip2{Level: 9}.Encode(line))},
		{"xz", "streams", join(encodeXZ(line), make([]byte, 8), encodeXZ(nil), xzWith(xz.WriterConfig{BlockSize: 60, DictCap: 64 << 10}, line), make([]byte, 4))},
		{"lzip", "members", join(encodeLZIP(line), encodeLZIP(nil), encodeLZIP(line), make([]byte, 5))},
		{"lzip", "version 0", join(lzipMember(0, line), encodeLZIP(line))},
		{"lzma", "stream", encodeLZMA(line)},
		{"brotli", "stream", encodeBrotli(line)},
	}
}

// corpusObjects are the small files of the corpus, if there is one.
func corpusObjects(t *testing.T, most int) (list []agreeObject) {
	t.Run("corpus", func(t *testing.T) {
		for _, f := range manifest.Files(t) {
			name := f.Format
			if n, ok := corpusCodecs[name]; ok {
				name = n
			}
			if c, err := codec.Default().Lookup(name); err != nil || c.Name == "none" {
				continue
			}
			if stored, err := os.ReadFile(f.Path); err == nil && len(stored) <= most {
				list = append(list, agreeObject{name, f.Name, stored})
			}
		}
	})
	return list
}

// damage changes a copy of stored: mostly it flips one bit of it.
func damage(r *rand.Rand, stored []byte, others [][]byte) []byte {
	d := bytes.Clone(stored)
	at := r.IntN(len(d))
	switch r.IntN(18) {
	case 0:
		return d[:at]
	case 1:
		junk := make([]byte, 1+r.IntN(12))
		if r.IntN(2) == 0 {
			for i := range junk {
				junk[i] = byte(r.Uint32())
			}
		}
		return append(d, junk...)
	case 2:
		return append(d, others[r.IntN(len(others))]...)
	case 3:
		skip := skippable(byte(r.IntN(20)))
		if r.IntN(3) == 0 {
			skip = skip[:r.IntN(len(skip))]
		}
		if r.IntN(2) == 0 {
			return append(skip, d...)
		}
		return append(d, skip...)
	case 4:
		d[min(at, r.IntN(24))] ^= 1 << r.IntN(8)
	case 5:
		d[len(d)-1-min(at, r.IntN(24))] ^= 1 << r.IntN(8)
	case 6:
		return slices.Delete(d, at, at+min(1+r.IntN(8), len(d)-at))
	case 7:
		return slices.Insert(d, at, make([]byte, 1+r.IntN(8))...)
	case 8:
		d[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
	default:
		d[at] ^= 1 << r.IntN(8)
	}
	return d
}

// cuts are the lengths to which an object is cut: all of them, or of a large object
// those around the ends of its parts, and others spread over it.
func cuts(c codec.Codec, stored []byte, every bool) (list []int) {
	if every && len(stored) <= max(agreeSmall, *agreeCuts) {
		for n := 1; n < len(stored); n++ {
			list = append(list, n)
		}
		return list
	}
	spread := 8
	if every {
		spread = 64
		info, _ := codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Codec: c.Name, List: 8})
		for _, parts := range []codec.Parts{info.Members, info.Blocks, info.Skipped, info.Units} {
			for _, p := range parts.First {
				for n := int(p.Offset) - 2; n <= int(p.Offset)+8; n++ {
					list = append(list, n)
				}
			}
		}
	}
	for n := 1; n < len(stored); n += max(1, len(stored)/spread) {
		list = append(list, n)
	}
	for n := len(stored) - 12; n < len(stored); n++ {
		list = append(list, n)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(n int) bool { return n < 1 || n >= len(stored) })
}

// TestAgree: the Decoder, the units of Split and Inspect say the same of an object:
// whole, cut, or damaged. Differences that headers cannot settle are in endless and
// oneKnown, with their reasons. All of it, 64 KiB being more than most files have:
//
//	go test -run TestAgree -agree.cuts 65536 -agree.flips 10000 -timeout 0 -v ./codec
func TestAgree(t *testing.T) {
	t.Parallel()
	objects := agreeObjects(t)
	byCodec := map[string][][]byte{}
	for _, o := range objects {
		byCodec[o.codec] = append(byCodec[o.codec], o.stored)
	}
	for _, name := range codec.Default().Names() {
		if byCodec[name] == nil {
			t.Errorf("no object of %s", name)
		}
	}
	own := len(objects)
	objects = append(objects, corpusObjects(t, agreeWhole)...)
	damageable := map[string]int{} // objects of each codec
	for _, o := range objects {
		if len(o.stored) <= agreeMost {
			damageable[o.codec]++
		}
	}
	var tally agreeTally
	t.Run("objects", func(t *testing.T) {
		seen := map[string]int{}
		for i, o := range objects {
			share := 0 // of the damaged copies
			if n := damageable[o.codec]; len(o.stored) <= agreeMost {
				share = (*agreeFlips + n - 1 - seen[o.codec]) / n
				seen[o.codec]++
			}
			t.Run(o.codec+"/"+o.name, func(t *testing.T) {
				t.Parallel()
				agree(t, o, agreeScope{
					every: i < own || *agreeCuts > 0, flips: share, seed: uint64(i), others: byCodec[o.codec], tally: &tally,
				})
			})
		}
	})
	t.Logf("%d objects whole, %d cut, %d damaged", tally.whole.Load(), tally.cut.Load(), tally.damaged.Load())
}

type agreeTally struct{ whole, cut, damaged atomic.Int64 }

// agreeScope says what is done to an object.
type agreeScope struct {
	every  bool // it is cut everywhere
	flips  int
	seed   uint64
	others [][]byte // of its codec
	tally  *agreeTally
}

func agree(t *testing.T, o agreeObject, s agreeScope) {
	c := lookup(t, o.codec)
	found := map[string]int{}
	check := func(how string, stored []byte, most int64) {
		for _, s := range disagreements(c, stored, most) {
			if found[s]++; found[s] == 1 {
				t.Errorf("%s: %s\n\t%.500x", how, s, stored)
			}
		}
	}
	check("whole", o.stored, agreeWhole)
	s.tally.whole.Add(1)
	if len(o.stored) > agreeMost {
		return
	}
	for _, n := range cuts(c, o.stored, s.every) {
		check(fmt.Sprintf("cut after %d", n), o.stored[:n], agreeMost)
		s.tally.cut.Add(1)
	}
	if len(o.stored) == 0 {
		return
	}
	r := rand.New(rand.NewPCG(1, s.seed))
	for k := range s.flips {
		d := damage(r, o.stored, s.others)
		if r.IntN(3) == 0 && len(d) > 0 {
			d = damage(r, d, s.others)
		}
		check(fmt.Sprintf("damage %d", k), d, agreeMost)
		s.tally.damaged.Add(1)
	}
	for s, n := range found {
		t.Logf("%d times: %s", n, s)
	}
}

func FuzzAgree(f *testing.F) {
	for _, o := range agreeObjects(f) {
		f.Add(o.codec, o.stored)
	}
	f.Fuzz(func(t *testing.T, name string, stored []byte) {
		c, err := codec.Default().Lookup(name)
		if err != nil || len(stored) > 64<<10 {
			return
		}
		for _, s := range disagreements(c, stored, agreeMost) {
			t.Errorf("%s: %s", name, s)
		}
	})
}
