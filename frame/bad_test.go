package frame_test

import (
	stdtar "archive/tar"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame/frametest"
)

// TestBadRecords puts bad records between good ones, of formats that can tell where
// one begins. TestCSVSkips and TestJSONBrokenLine hold those that tell by the
// records before it.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	three := func(name string) string { w := writers[name]; return w("one") + w("") + w("three") }
	const end = "\r\n\r\n"
	for _, c := range []struct {
		framer, in string
		want, bad  []string
	}{
		{"tfrecord", three("tfrecord"), []string{"one", "", "three"}, []string{strings.Replace(writers["tfrecord"]("two"), "two", "tow", 1)}},
		{"recordio", three("recordio"), []string{"one", "", "three"}, []string{
			recordPart(1, "a") + recordPart(2, "b") + recordPart(3, "c"), recordPart(1, "a"), recordPart(3, "c"), "junk", strings.Repeat("junk", 100),
		}},
		{"tar", tarEntry("a", '0', 3, "one") + tarEntry("d/", '5', 0, "") + tarEntry("b", '0', 0, "") + tarEntry("c", '0', 600, strings.Repeat("x", 600)) + strings.Repeat("\x00", tarEnd),
			[]string{"one", "", strings.Repeat("x", 600)}, []string{
				strings.Replace(tarEntry("bad", '0', 3, "abc"), "bad", "BAD", 1),
				strings.Replace(tarEntry("bad", '0', 600, strings.Repeat("y", 600)), "bad", "BAD", 1),
				strings.Replace(paxEntry('x', "a=b"), "Pax", "PAX", 1) + tarEntry("b", '0', 3, "two"),
				tarEntry("p", 'x', 4, "abcd") + tarEntry("b", '0', 3, "two"),
				sparseGNU(2, "abc"), paxEntry('x', "GNU.sparse.map=0,3") + tarEntry("b", '0', 3, "two"),
				tarEntry("m", 'M', 3, "two"), tarEntry("q", 'Q', 3, "two"),
			}},
		{"warc", warcRecord("one") + end + warcRecord("") + end + warcRecord("three\r\n") + end,
			[]string{warcRecord("one"), warcRecord(""), warcRecord("three\r\n")}, []string{
				warcRecord("two"), warcRecord("two") + "\r\n", strings.Replace(warcRecord("two"), "3", "5", 1) + end, "\x00", "text\n", "WARC/1.0\r\n\r\n",
			}},
	} {
		frametest.Run(t, lookup(t, c.framer), []frametest.Case{{Name: c.framer, In: c.in, Want: c.want, Bad: c.bad}})
	}
}

// TestLongRecordsOnce gives each framer a record of 300 KiB, which it must not look
// through again as it grows.
func TestLongRecordsOnce(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30<<10)
	spread := strings.Repeat("01234567\r\n", 30<<10)
	for _, c := range []struct{ framer, in, want string }{
		{"lines", long + "\n", long},
		{"ndjson", strings.Repeat(" \n", 150<<10) + "{}\n", "{}"},
		{"ndjson", long + " \n", long + " "},
		{"delim:0a", long + "\n", long},
		{"delim:0d0a0d0a", spread + "\r\n", spread[:len(spread)-2]},
		{"csv", long + "\n", long},
		{"csv", strings.Repeat("\r\n", 150<<10) + "a\n", "a"},
		{"csv", "\"" + spread + "\"\n", "\"" + spread + "\""},
		{"csv:header,ragged=error", "\"" + spread + "\"\na\n", "a"},
		{"csv:ragged=error", "\"" + spread + "\"\n", "\"" + spread + "\""},
		{"tsv", long + "\n", long},
		{"json", "\"" + long + "\"", "\"" + long + "\""},
		{"json", "[" + strings.Repeat("1 ,\n", 75<<10) + "1]", "[" + strings.Repeat("1 ,\n", 75<<10) + "1]"},
		{"json", "1" + long + " ", "1" + long},
		{"json", strings.Repeat(" ", 300<<10) + "{}", "{}"},
		{"json-array", "[\"" + long + "\"]", "\"" + long + "\""},
		{"json-array", "[" + strings.Repeat(" ", 300<<10) + "{}]", "{}"},
		{"regexp:^x", long + "\n", long},
		{"regexp:^x", spread, spread[:len(spread)-2]},
		{"fixed:307200", long, long},
		{"u32be", writers["u32be"](long), long},
		{"varint", writers["varint"](long), long},
		{"tfrecord", writers["tfrecord"](long), long},
		{"recordio", writers["recordio"](long), long},
		{"tar", tarOf(t, stdtar.FormatPAX, "a", long), long},
		{"tar", strings.Repeat(tarEntry("d/", '5', 0, ""), 600) + tarOf(t, stdtar.FormatUSTAR, "a", "one"), "one"},
		{"tar", paxEntry('x', "comment="+long) + tarOf(t, stdtar.FormatUSTAR, "a", "one"), "one"},
		{"tar", strings.Repeat("\x00", 300<<10) + tarOf(t, stdtar.FormatUSTAR, "a", "one"), "one"},
		{"warc", warcRecord(long) + "\r\n\r\n", warcRecord(long)},
		{"warc", strings.Replace(warcRecord(""), "resource", long, 1) + "\r\n\r\n", strings.Replace(warcRecord(""), "resource", long, 1)},
		{"warc", strings.Replace(warcRecord(""), "WARC-", strings.Repeat("a: b\r\n", 50<<10)+"WARC-", 1) + "\r\n\r\n", strings.Replace(warcRecord(""), "WARC-", strings.Repeat("a: b\r\n", 50<<10)+"WARC-", 1)},
		{"warc", strings.Repeat("\r\n", 150<<10) + warcRecord("") + "\r\n\r\n", warcRecord("")},
		{"whole", long, long},
	} {
		frametest.Run(t, lookup(t, c.framer), []frametest.Case{{Name: c.framer, In: c.in, Want: []string{c.want}}})
	}
}
