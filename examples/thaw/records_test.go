package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The framer and why it was taken is told once for each, unless -frame or -q says
// that nobody needs to know.
func TestRecordsTellsFramers(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.ndjson.gz", "gzip", "{}\n"}, [3]string{"b.ndjson.gz", "gzip", "{}\n"}, [3]string{"c.ndjson", "none", "{}\n"},
		[3]string{"d.csv", "none", "h\n"}, [3]string{"e", "none", "line\n"}, [3]string{"f", "none", "line\n"})
	const stdout = "{}\n{}\n{}\nh\nline\nline\n"
	all := "thaw records: " + filepath.Join(dir, "a.ndjson.gz") + ": cut into records as ndjson (extension .ndjson)\n" +
		"thaw records: " + filepath.Join(dir, "d.csv") + ": cut into records as csv (extension .csv)\n" +
		"thaw records: " + filepath.Join(dir, "e") + ": cut into records as lines (default)\n"
	for _, tt := range []struct {
		args   []string
		stderr string
	}{
		{[]string{dir}, all},
		{[]string{filepath.Join(dir, "[a-c]*"), filepath.Join(dir, "[d-f]*")}, all},
		{[]string{"-q", dir}, ""},
		{[]string{"-frame", "lines", dir}, ""},
	} {
		status, out, stderr := call(t, append([]string{"records"}, tt.args...)...)
		if status != 0 || out != stdout || stderr != tt.stderr {
			t.Errorf("%v: got status %d, %q, %q on stderr, want 0, %q, %q", tt.args, status, out, stderr, stdout, tt.stderr)
		}
	}
}

// Text stands in JSON as it is where JSON allows it, and bytes that are no UTF-8 in
// base64.
func TestRecordsJSONText(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a&b", "none", "<a href=\"x\">é & \n\xff\x00\n\x01\n\n"})
	const want = `{"key":"a&b","index":0,"decoded_offset":0,"size_bytes":17,"data":"<a href=\"x\">é & "}
{"key":"a&b","index":1,"decoded_offset":18,"size_bytes":2,"data_base64":"/wA="}
{"key":"a&b","index":2,"decoded_offset":21,"size_bytes":1,"data":"\u0001"}
{"key":"a&b","index":3,"decoded_offset":23,"size_bytes":0,"data":""}
`
	status, stdout, stderr := call(t, "records", "-q", "-json", dir)
	if stdout = strings.ReplaceAll(stdout, dir+"/", ""); status != 0 || stdout != want || stderr != "" {
		t.Errorf("got status %d, %s%s, want 0, %s", status, stdout, stderr, want)
	}
}
