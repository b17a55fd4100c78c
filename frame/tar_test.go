package frame_test

import (
	stdtar "archive/tar"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// tarOf makes an archive of files and, for names that end in a slash, folders.
func tarOf(tb testing.TB, format stdtar.Format, files ...string) string {
	tb.Helper()
	var b bytes.Buffer
	w := stdtar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &stdtar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644, Format: format}
		if strings.HasSuffix(h.Name, "/") {
			h.Typeflag = stdtar.TypeDir
		}
		if format == stdtar.FormatPAX {
			h.PAXRecords = map[string]string{"THAW.note": "made"}
		}
		if err := w.WriteHeader(h); err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// paxSized makes an archive whose only file has its size in a pax header alone.
func paxSized(tb testing.TB, data string) string {
	tb.Helper()
	s := tarOf(tb, stdtar.FormatPAX, "a", data)
	record := "12 size=" + strings.Repeat("0", 2) + string(rune('0'+len(data))) + "\n"
	head := []byte(s)
	copy(head[512:], record+strings.Repeat("\x00", 512-len(record)))
	copy(head[124:136], "00000000014\x00")
	file := head[1024:1536]
	copy(file[124:136], "00000000000\x00")
	setTarSum(head[:512])
	setTarSum(file)
	return string(head)
}

// setTarSum makes a header's checksum right.
func setTarSum(head []byte) {
	copy(head[148:156], "        ")
	sum := 0
	for _, c := range head {
		sum += int(c)
	}
	copy(head[148:156], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7),
		'0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
}

func TestTar(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("name/", 60)
	block := strings.Repeat("x", 512)
	zero := strings.Repeat("\x00", 512)
	ustar := tarOf(t, stdtar.FormatUSTAR, "d/", "", "d/a", "one\n", "d/empty", "", "d/b", block, "d/c", block+"y")
	all := []string{"one\n", "", block, block + "y"}
	broken := strings.Replace(ustar, "d/b", "d/B", 1)
	frametest.Run(t, lookup(t, "tar"), []frametest.Case{
		{Name: "empty object", In: "", Err: io.ErrUnexpectedEOF},
		{Name: "empty archive", In: zero + zero},
		{Name: "ustar", In: ustar, Want: all},
		{Name: "pax", In: tarOf(t, stdtar.FormatPAX, long+"a", "one", long+"/", "", long+"b", "two"), Want: []string{"one", "two"}},
		{Name: "GNU long name", In: tarOf(t, stdtar.FormatGNU, long+"a", "one", long+"b", "two"), Want: []string{"one", "two"}},
		{Name: "size in a pax header", In: paxSized(t, "data"), Want: []string{"data"}},
		{Name: "archives behind each other", In: ustar + ustar, Want: append(append([]string(nil), all...), all...)},
		{Name: "padding to a tape block", In: ustar + strings.Repeat(zero, 8), Want: all},
		{Name: "one zero block", In: strings.TrimRight(ustar, "\x00") + strings.Repeat("\x00", 511+512), Want: all},
		{Name: "no zero block", In: ustar[:len(ustar)-1024], Want: all, Err: io.ErrUnexpectedEOF},
		{Name: "cut in data", In: ustar[:len(ustar)-1024-512], Want: all[:3], Err: io.ErrUnexpectedEOF},
		{Name: "cut in a header", In: ustar[:512+100], Err: io.ErrUnexpectedEOF},
		{Name: "bad checksum", In: broken, Want: all[:2], Err: frame.ErrRecord},
		{Name: "text behind the end", In: ustar + "text", Want: all, Err: io.ErrUnexpectedEOF},
	})
}

// TestTarAtEdges holds files at every place around a slab's edge: their headers and
// data lie on blocks, so that it is the slab that moves.
func TestTarAtEdges(t *testing.T) {
	t.Parallel()
	block := strings.Repeat("\r\n\"\\", 128)
	files := []string{"a", block, "b", "", "c/", "", "d", block + "x", "e", "\x00"}
	want := []string{block, "", block + "x", "\x00"}
	for _, format := range []stdtar.Format{stdtar.FormatUSTAR, stdtar.FormatPAX, stdtar.FormatGNU} {
		data := tarOf(t, format, files...)
		for slab := 510; slab < 1600; slab++ {
			check(t, lookup(t, "tar"), func(string) ([]string, error) { return want, nil }, data, [][2]int{{slab, 0}})
		}
	}
}

// TestTarSkips holds what follows a file over the limit and a bad header.
func TestTarSkips(t *testing.T) {
	t.Parallel()
	block := strings.Repeat("x", 512)
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"too long", tarOf(t, stdtar.FormatGNU, "a", "one", "b", strings.Repeat(block, 10), "c/", "", "d", "two"), []string{"one", "two"}},
		{"too long behind a pax header", tarOf(t, stdtar.FormatPAX, "a", "one", "b", strings.Repeat(block, 10), "d", "two"), []string{"one", "two"}},
		{"too long and last", tarOf(t, stdtar.FormatUSTAR, "a", "one", "b", strings.Repeat(block, 10)), []string{"one"}},
		{"bad checksum", strings.Replace(tarOf(t, stdtar.FormatUSTAR, "a", "one", "d/b", block, "c", "two"), "d/b", "d/B", 1), []string{"one", "two"}},
	} {
		for _, slab := range []int{512, 700, 1, 0} {
			d := &frametest.Driver{Framer: lookup(t, "tar"), Options: &frame.Options{MaxRecord: 3000}, Slab: slab, Skip: true}
			records, skipped, err := d.Split([]byte(c.in))
			var got []string
			for _, r := range records {
				got = append(got, string(r.Data))
			}
			if err != nil || skipped != 1 || !equalStrings(got, c.want) {
				t.Errorf("%s, slab %d: got %q, %d skipped, %v, want %q and 1", c.name, slab, got, skipped, err, c.want)
			}
		}
	}
}

func FuzzTar(f *testing.F) {
	fuzz(f, lookup(f, "tar"), nil, tarOf(f, stdtar.FormatUSTAR, "a/", "", "a/b", "text"),
		tarOf(f, stdtar.FormatPAX, strings.Repeat("n", 150), "text"), paxSized(f, "text"),
		sparseGNU(1, "text")+tarEntry("a", '0', 4, "text"), paxEntry('g', "GNU.volume.offset=1")+paxEntry('x', "size=4", "comment="+strings.Repeat("c", 100))+tarEntry("a", '0', 0, "text"),
		strings.Replace(paxEntry('x', "a=b"), "Pax", "pax", 1)+tarEntry("a", 'D', 4, "text")+tarEntry("b/", 0, 0, ""))
}
