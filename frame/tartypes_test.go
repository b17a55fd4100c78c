package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// tarEntry is one member: a header that says size bytes follow, and data, padded.
func tarEntry(name string, typeflag byte, size int, data string) string {
	head := make([]byte, 512)
	copy(head, name)
	copy(head[124:136], fmt.Sprintf("%011o\x00", size))
	head[156] = typeflag
	copy(head[257:], "ustar\x0000")
	setTarSum(head)
	return string(head) + data + strings.Repeat("\x00", -len(data)&511)
}

// paxEntry is a pax header of these records, "key=value" each.
func paxEntry(typeflag byte, records ...string) string {
	var data strings.Builder
	for _, r := range records {
		n := len(r) + 3
		for len(fmt.Sprint(n))+len(r)+2 != n {
			n++
		}
		fmt.Fprintf(&data, "%d %s\n", n, r)
	}
	return tarEntry("PaxHeaders/x", typeflag, data.Len(), data.String())
}

// sparseGNU is a sparse file of GNU tar whose map takes blocks more than the header.
func sparseGNU(blocks int, data string) string {
	head := []byte(tarEntry("s", 'S', len(data), ""))
	for range blocks {
		head[len(head)-512+482+22*min(1, len(head)/512-1)] = 1
		head = append(head, make([]byte, 512)...)
	}
	setTarSum(head[:512])
	return string(head) + data + strings.Repeat("\x00", -len(data)&511)
}

const tarEnd = 1024

// TestTarTypes says what becomes of every type of member, with and without data:
// the file after it is found whatever it is.
func TestTarTypes(t *testing.T) {
	t.Parallel()
	const (
		record = iota // of its data
		passed        // over, with its data
		empty         // passed over, without data whatever its size says
		refused
	)
	// Data that would be a file if it were looked at.
	data := tarEntry("false", '0', 5, "false")
	for _, c := range []struct {
		typeflag byte
		what     string
		want     int
	}{
		{0, "file of V7", record}, {'0', "file", record}, {'7', "contiguous file", record},
		{'1', "hard link", empty}, {'2', "symbolic link", empty}, {'3', "character device", empty},
		{'4', "block device", empty}, {'5', "folder", empty}, {'6', "pipe", empty},
		{'D', "folder of a GNU dump", passed}, {'N', "names of old GNU tar", passed}, {'V', "label", passed},
		{'A', "ACL of Solaris", passed}, {'I', "inode of star", passed},
		{'S', "sparse file", refused}, {'M', "rest of a file in another volume", refused},
		{'E', "extended attribute of Solaris", refused}, {'B', "vendor's", refused}, {'Z', "vendor's", refused},
		{'8', "of no standard", refused}, {'a', "of no standard", refused}, {0xff, "of no standard", refused},
	} {
		member := tarEntry("m", c.typeflag, len(data), data)
		if c.want == empty {
			member = tarEntry("m", c.typeflag, len(data), "")
		}
		in := tarEntry("a", '0', 3, "one") + member + tarEntry("b", '0', 3, "two") + strings.Repeat("\x00", tarEnd)
		want := map[int][]string{record: {"one", data, "two"}, refused: {"one"}}[c.want]
		if want == nil {
			want = []string{"one", "two"}
		}
		cse := frametest.Case{Name: fmt.Sprintf("%q %s", c.typeflag, c.what), In: in, Want: want}
		if c.want == refused {
			cse.Err = frame.ErrUnsupported
		}
		frametest.Run(t, lookup(t, "tar"), []frametest.Case{cse})
		d := &frametest.Driver{Framer: lookup(t, "tar"), Skip: true}
		records, skipped, err := d.Split([]byte(in))
		if wantSkipped := map[bool]int{true: 1}[c.want == refused]; err != nil || skipped != wantSkipped || string(records[len(records)-1].Data) != "two" {
			t.Errorf("%s: got %d records, %d skipped, %v, want %d skipped and \"two\" last", cse.Name, len(records), skipped, err, wantSkipped)
		}
	}
}

// TestTarRefuses holds that nothing but a whole file is a record, that what is
// refused has a name to ask for, and that the file after it is found, however the
// slabs lie.
func TestTarRefuses(t *testing.T) {
	t.Parallel()
	inner := tarEntry("false", '0', 5, "false") // within data, where it is no member
	file := tarEntry("f", '0', len(inner), inner)
	for _, c := range []struct{ name, in string }{
		{"sparse file of GNU", sparseGNU(0, inner)},
		{"sparse file of GNU with a map of a block more", sparseGNU(1, inner)},
		{"sparse file of GNU with a map of three blocks more", sparseGNU(3, inner)},
		{"sparse file of pax 0.0", paxEntry('x', "GNU.sparse.size=100", "GNU.sparse.numblocks=1", "GNU.sparse.offset=0", "GNU.sparse.numbytes=5") + file},
		{"sparse file of pax 0.1", paxEntry('x', "GNU.sparse.size=100", "GNU.sparse.numblocks=1", "GNU.sparse.map=0,5") + file},
		{"sparse file of pax 1.0", paxEntry('x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=f", "GNU.sparse.realsize=100") + file},
		{"sparse file with its size in pax", paxEntry('x', "GNU.sparse.major=1", fmt.Sprintf("size=%d", len(inner))) + tarEntry("f", '0', 0, inner)},
		{"sparse file with a long name", paxEntry('x', "GNU.sparse.map=0,5") + tarEntry("n", 'L', 3, "nnn") + file},
		{"sparse file of star", paxEntry('x', "SCHILY.realsize=100") + file},
		{"sparse file of Solaris", paxEntry('X', "SUN.holesdata= 0 5") + file},
		{"sparse map over 64 bytes", paxEntry('x', "GNU.sparse.map="+strings.Repeat("1,2,", 30_000)+"3,4") + file},
		{"rest of a file of another volume in pax", paxEntry('g', "GNU.volume.offset=1024") + file},
	} {
		in := tarEntry("a", '0', 3, "one") + c.in + tarEntry("b", '0', 3, "two") + strings.Repeat("\x00", tarEnd)
		for _, slab := range []int{1, 100, 512, 700, 4096, 0} {
			if slab == 1 && len(in) > 20_000 {
				continue
			}
			d := &frametest.Driver{Framer: lookup(t, "tar"), Slab: slab}
			records, _, err := d.Split([]byte(in))
			if len(records) != 1 || !errors.Is(err, frame.ErrRecord) || !errors.Is(err, frame.ErrUnsupported) {
				t.Errorf("%s, slab %d: got %d records, %v, want 1 and %v", c.name, slab, len(records), err, frame.ErrUnsupported)
			}
			d.Skip = true
			records, skipped, err := d.Split([]byte(in))
			if len(records) != 2 || string(records[1].Data) != "two" || skipped != 1 || err != nil {
				t.Errorf("%s, slab %d, skipping: got %d records, %d skipped, %v, want 2 and 1", c.name, slab, len(records), skipped, err)
			}
		}
	}
}

// TestTarPax holds pax headers to what they say, of any size.
func TestTarPax(t *testing.T) {
	t.Parallel()
	names := "GNU.dumpdir=" + strings.Repeat("Nverylongname.log\x00", 5000)
	frametest.Run(t, lookup(t, "tar"), []frametest.Case{
		{Name: "90 KB of a folder's names", In: paxEntry('x', names) + tarEntry("d/", '5', 0, "") + tarEntry("a", '0', 3, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "size after 90 KB of another", In: paxEntry('x', names, "size=3") + tarEntry("a", '0', 0, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "90 KB for all members", In: paxEntry('g', names) + tarEntry("a", '0', 3, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "10,000 records", In: paxEntry('x', append(strings.Split(strings.Repeat("a=b ", 10_000), " ")[:10_000], "size=3")...) + tarEntry("a", '0', 0, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "size taken back", In: paxEntry('x', "size=9", "size=") + tarEntry("a", '0', 3, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "size of Solaris", In: paxEntry('X', "size=3") + tarEntry("a", '0', 0, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "size of a member passed over", In: paxEntry('x', "size=600") + tarEntry("d", 'D', 0, strings.Repeat("N", 600)) + tarEntry("a", '0', 3, "one") + strings.Repeat("\x00", tarEnd), Want: []string{"one"}},
		{Name: "empty file whose long name is cut at a slash", In: paxEntry('x', "path=d/long") + tarEntry("d/", '0', 0, "") + tarEntry("d/", '0', 0, "") + strings.Repeat("\x00", tarEnd), Want: []string{""}},
		{Name: "no length", In: tarEntry("p", 'x', 4, "abcd") + tarEntry("a", '0', 3, "one") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "endless length", In: tarEntry("p", 'x', 30, strings.Repeat("9", 30)) + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "length too small", In: tarEntry("p", 'x', 4, "2 a\n") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "length over the header", In: tarEntry("p", 'x', 8, "90 a=bc\n") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "no line feed", In: tarEntry("p", 'x', 7, "7 a=bcd") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "no line feed after 90 KB", In: tarEntry("p", 'x', 90_008, "90008 a="+strings.Repeat("b", 90_000)) + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "no value", In: tarEntry("p", 'x', 4, "4 a\n") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
		{Name: "size that is no number", In: paxEntry('x', "size=-1") + strings.Repeat("\x00", tarEnd), Err: frame.ErrRecord},
	})
	big := paxEntry('x', names) + tarEntry("b", '0', 3, "two")
	bad := tarEntry("p", 'x', 4, "abcd") + tarEntry("b", '0', 3, "two")
	sum := strings.Replace(paxEntry('x', "GNU.sparse.map=0,3"), "Pax", "pax", 1) + tarEntry("b", '0', 3, "two")
	for name, in := range map[string]string{"over the limit": big, "bad": bad, "of a bad checksum": sum} {
		in = tarEntry("a", '0', 3, "one") + in + tarEntry("c", '0', 5, "three") + strings.Repeat("\x00", tarEnd)
		for _, slab := range []int{100, 700, 4096, 0} {
			d := &frametest.Driver{Framer: lookup(t, "tar"), Options: &frame.Options{MaxRecord: 50_000}, Slab: slab, Skip: true}
			records, skipped, err := d.Split([]byte(in))
			if err != nil || len(records) != 2 || string(records[1].Data) != "three" || skipped != 1 {
				t.Errorf("pax header %s, slab %d: got %d records, %d skipped, %v, want 2 and 1", name, slab, len(records), skipped, err)
			}
		}
	}
}
