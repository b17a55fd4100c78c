package simstore_test

import (
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
)

func TestParseLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want simstore.Link
		back string // what String gives; empty: the text
	}{
		{"ttfb=30ms,conn=85MB/s,total=1GB/s", simstore.Link{FirstByte: 30 * time.Millisecond, PerConn: 85e6, Total: 1e9}, ""},
		{"total=1500MB/s", simstore.Link{Total: 15e8}, ""},
		{"conn=64KiB/s", simstore.Link{PerConn: 64 << 10}, ""},
		{"conn=1.5kB/s", simstore.Link{PerConn: 1500}, "conn=1500B/s"},
		{" ttfb = 1m , conn = 7 B/s ", simstore.Link{FirstByte: time.Minute, PerConn: 7}, "ttfb=1m0s,conn=7B/s"},
		{"unlimited", simstore.Link{}, ""},
		{"ttfb=0s", simstore.Link{}, "unlimited"},
	} {
		got, err := simstore.ParseLink(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: got %+v, %v, want %+v", c.text, got, err, c.want)
			continue
		}
		if c.back == "" {
			c.back = c.text
		}
		if s := got.String(); s != c.back {
			t.Errorf("%q: got text %q, want %q", c.text, s, c.back)
		}
	}
}

func TestParseLinkRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "30ms", "ttfb", "ttfb=", "ttfb=30", "ttfb=-1s", "conn=85", "conn=85MB", "conn=0B/s", "conn=-1MB/s", "conn=NaNMB/s",
		"conn=InfGB/s", "total=1e30GB/s", "rate=1MB/s", "ttfb=1s,ttfb=2s", "ttfb=1s,", "conn=85Mb/s",
	} {
		if l, err := simstore.ParseLink(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, l)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	f.Add("ttfb=30ms,conn=85MB/s,total=1GB/s")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := simstore.ParseLink(text)
		if err != nil {
			return
		}
		if again, err := simstore.ParseLink(l.String()); err != nil || again != l {
			t.Errorf("%q: got %+v, %v back from %q, want %+v", text, again, err, l, l)
		}
	})
}
