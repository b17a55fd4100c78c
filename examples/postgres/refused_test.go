package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// refusals are records that no row can be made of, and accepted are records at the limits
// of what the table takes.
var (
	refusals = []string{
		`not JSON`, `[1]`, `null`, `{"id":"text"}`, `{"id":1e30}`, `{"id":1.5}`, `{"id":{}}`, `{"id":null}`, `{"name":"x"}`,
		`{"id":1,"name":"nul \u0000"}`, `{"id":1,"name":"\ud800"}`, `{"id":1,"name":"\udc00\ud800"}`, "{\"id\":1,\"name\":\"\xff\"}", `{"id":1,"name":["x"]}`,
		`{"id":1,"at":"yesterday"}`, `{"id":1,"at":"2026-13-01T00:00:00Z"}`, `{"id":1,"at":0}`, `{"id":1,"ratio":1e999}`, `{"id":1,"ratio":"NaN"}`, `{"id":1,"ok":1}`,
		`{"id":1,"doc":"\u0000"}`, `{"id":1,"doc":"\ud800"}`, `{"id":1,"doc":{"\u0000":1}}`, "{\"id\":1,\"doc\":\"\xff\"}",
		`{"id":1,"doc":1e131072}`, `{"id":1,"doc":1e400000}`, `{"id":1,"doc":1e-16384}`, `{"id":1,"doc":[-1e-99999999999999999999]}`, `{"id":1,"doc":0.` + strings.Repeat("1", mostFraction+1) + `}`,
	}
	accepted = []string{
		`{"id":-1,"name":"\\u0000 \ufffd � \ud83d\ude00","doc":"\\u0000 \ufffd � \ud83d\ude00"}`,
		`{"id":-2,"at":"9999-12-31T23:59:59.999999999+23:59","ratio":1e-999,"doc":[1e131071,1e-16383,0e9,1.5e-300]}`,
		`{"id":-9223372036854775808,"at":"0000-01-01T00:00:00Z","ratio":1.7976931348623157e308,"doc":` + strings.Repeat("[", 9998) + strings.Repeat("]", 9998) + `}`,
		`{"id":-4,"name":"","doc":{"":{}}}`, `{"id":"-5","ok":"true","ratio":"2"}`,
	}
)

// A record that the table would refuse is left out, and all others are there. Without
// -max-bad it ends the run after the records before it.
func TestRefused(t *testing.T) {
	const n = 1000
	dsn := server(t)
	c := connect(t, dsn)
	dir := t.TempDir()
	var data []byte
	for id := range n {
		data = append(append(data, record(id)...), '\n')
		if i := id - 100; i >= 0 && i < len(refusals) {
			data = append(append(data, refusals[i]...), '\n')
		}
	}
	for _, r := range accepted {
		data = append(append(data, r...), '\n')
	}
	write(t, filepath.Join(dir, "a.ndjson"), data)
	for _, tc := range []struct {
		most           int
		rows, accepted int
	}{
		{0, 101, 0},
		{len(refusals) - 1, 100 + len(refusals), 0},
		{len(refusals), n, len(accepted)},
	} {
		execute(t, c, `DROP TABLE IF EXISTS lines, thaw_position; `+table)
		// The second run reads everything again, and still says that records are left out.
		for range 2 {
			out, err := program(t.Context(), "-dsn", dsn, "-table", "lines", "-columns", columns, "-frame", "lines",
				"-max-bad", fmt.Sprint(tc.most), dir).CombinedOutput()
			if err == nil {
				t.Errorf("-max-bad %d: it ended well\n%s", tc.most, out)
			}
		}
		var extra int
		if err := c.QueryRow(t.Context(), `WITH extra AS (DELETE FROM lines WHERE id < 0 RETURNING id) SELECT count(*) FROM extra`).Scan(&extra); err != nil {
			t.Fatal(err)
		}
		if extra != tc.accepted {
			t.Errorf("-max-bad %d: got %d of the records at the limits, want %d", tc.most, extra, tc.accepted)
		}
		check(t, c, tc.rows)
	}
}
