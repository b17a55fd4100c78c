package faultstore_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// client asks a server for one test.
type client struct {
	*testing.T
	*faultstore.Server
	http  http.Client
	limit limit
}

func serve(t *testing.T, s *faultstore.Store) *client {
	t.Helper()
	v, err := faultstore.Serve(s, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{T: t, Server: v}
	c.http.Transport = &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		v.Close()
	})
	return c
}

// answer is what came back; err is of the request or of the body.
type answer struct {
	*http.Response
	body string
	err  error
}

// ask sends a request for a path below the bucket; headers are pairs.
func (c *client) ask(ctx context.Context, method, path, body string, headers ...string) answer {
	c.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.URL+"/"+faultstore.Bucket+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{err: err, Response: &http.Response{}}
	}
	data, err := io.ReadAll(io.TeeReader(res.Body, &c.limit))
	res.Body.Close()
	return answer{res, string(data), err}
}

// limit gives up behind so many bytes, if there is anything to call.
type limit struct {
	left   int
	giveUp func()
}

func (l *limit) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left <= 0 && l.giveUp != nil {
		l.giveUp()
	}
	return len(p), nil
}

func TestServerGet(t *testing.T) {
	t.Parallel()
	s := faultstore.New(nil)
	version := s.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes("0123456789"), ContentEncoding: "gzip", ContentType: "text/x"})
	s.Add(faultstore.Item{Key: "empty"})
	s.Add(faultstore.Item{Key: "cold", StorageClass: faultstore.Glacier, Archived: true})
	s.Add(faultstore.Item{Key: "hidden", Denied: true})
	c := serve(t, s)
	for _, q := range []struct {
		path, rng, match string
		status           int
		body, got        string // body: a part of it; got: Content-Range
	}{
		{"/k", "", "", 200, "0123456789", ""},
		{"/k", "bytes=2-4", "", 206, "234", "bytes 2-4/10"},
		{"/k", "bytes=2-400", "", 206, "23456789", "bytes 2-9/10"},
		{"/k", "bytes=7-", "", 206, "789", "bytes 7-9/10"},
		{"/k", "bytes=-3", "", 206, "789", "bytes 7-9/10"},
		{"/k", "bytes=10-", "", 416, "InvalidRange", "bytes */10"},
		{"/k", "bytes=5-4", "", 200, "0123456789", ""},
		{"/k", "", `"` + version + `"`, 200, "0123456789", ""},
		{"/k", "bytes=0-0", `"other"`, 412, "PreconditionFailed", ""},
		{"/empty", "", "", 200, "", ""},
		{"/empty", "bytes=0-9", "", 416, "InvalidRange", "bytes */0"},
		{"/none", "", "", 404, "NoSuchKey", ""},
		{"/cold", "", "", 403, "InvalidObjectState", ""},
		{"/hidden", "", "", 403, "AccessDenied", ""},
	} {
		var headers []string
		if q.rng != "" {
			headers = append(headers, "Range", q.rng)
		}
		if q.match != "" {
			headers = append(headers, "If-Match", q.match)
		}
		a := c.ask(t.Context(), "GET", q.path, "", headers...)
		if a.err != nil || a.StatusCode != q.status || !strings.Contains(a.body, q.body) || a.Header.Get("Content-Range") != q.got {
			t.Errorf("%s %q %q: got %d, %q, %q, %v, want %d, %q, %q", q.path, q.rng, q.match,
				a.StatusCode, a.body, a.Header.Get("Content-Range"), a.err, q.status, q.body, q.got)
		}
		if q.status < 300 && q.path == "/k" && (a.body != q.body || a.Header.Get("ETag") != `"`+version+`"` || a.Header.Get("Content-Encoding") != "gzip" || a.Header.Get("Content-Type") != "text/x") {
			t.Errorf("%s %q: got %q with headers %v", q.path, q.rng, a.body, a.Header)
		}
	}
}

func TestServerBodyFaults(t *testing.T) {
	t.Parallel()
	data := string(pattern(1 << 20))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(data))
	z.Close()
	for _, q := range []struct {
		fault  faultstore.Fault
		status int
		body   string // all of it; of a reset, the most
		err    error  // nil: a clean end
	}{
		{faultstore.Fault{Kind: faultstore.Slow, Wait: time.Millisecond}, 206, data[10:], nil},
		{faultstore.Fault{Kind: faultstore.Slow}, 0, "", context.Canceled},
		{faultstore.Fault{Kind: faultstore.Drop}, 0, "", syscall.ECONNRESET},
		{faultstore.Fault{Kind: faultstore.Reset, At: 1000}, 206, data[10:1010], syscall.ECONNRESET},
		{faultstore.Fault{Kind: faultstore.Cut, At: 1000}, 206, data[10:1010], io.ErrUnexpectedEOF},
		{faultstore.Fault{Kind: faultstore.Short, At: 1000}, 206, data[10:1010], nil},
		{faultstore.Fault{Kind: faultstore.Stall, At: 1000, Wait: time.Millisecond}, 206, data[10:], nil},
		{faultstore.Fault{Kind: faultstore.Stall, At: 1000}, 206, data[10:1010], context.Canceled},
		{faultstore.Fault{Kind: faultstore.WholeBody}, 200, data, nil},
		{faultstore.Fault{Kind: faultstore.Shifted, At: -4}, 206, data[6 : len(data)-4], nil},
		{faultstore.Fault{Kind: faultstore.Replace, At: 1000}, 206, data[10:], nil},
		{faultstore.Fault{Kind: faultstore.ReplaceReset, At: 1000}, 206, data[10:1010], syscall.ECONNRESET},
		{faultstore.Fault{Kind: faultstore.Gunzip}, 200, data, nil},
	} {
		t.Run(q.fault.Kind.String(), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
				if c.Op != faultstore.Read {
					return faultstore.Fault{}
				}
				if q.err == context.Canceled && q.body == "" {
					cancel()
				}
				return q.fault
			}})
			content := faultstore.Bytes(data)
			if q.fault.Kind == faultstore.Gunzip {
				content = zipped.Bytes()
			}
			version := s.Add(faultstore.Item{Key: "k", Content: content})
			c := serve(t, s)
			if q.err == context.Canceled {
				c.limit = limit{len(q.body), cancel}
			}
			a := c.ask(ctx, "GET", "/k", "", "Range", "bytes=10-")
			resets := errors.Is(q.err, syscall.ECONNRESET)
			if same := a.body == q.body; !errors.Is(a.err, q.err) || !resets && !same || resets && !strings.HasPrefix(q.body, a.body) {
				t.Errorf("got %d bytes, %v, want %d, %v", len(a.body), a.err, len(q.body), q.err)
			}
			if resets && a.err == nil || !resets && a.StatusCode != q.status {
				t.Errorf("got status %d, %v, want %d", a.StatusCode, a.err, q.status)
			}
			now := c.ask(t.Context(), "HEAD", "/k", "").Header.Get("ETag")
			replaced := q.fault.Kind == faultstore.Replace || q.fault.Kind == faultstore.ReplaceReset
			if (now != `"`+version+`"`) != replaced {
				t.Errorf("got version %s after %s, want replaced %v", now, version, replaced)
			}
		})
	}
}

func TestServerRefusals(t *testing.T) {
	t.Parallel()
	for kind, want := range map[faultstore.Kind]struct {
		status int
		body   string
	}{
		faultstore.InternalError: {500, "<Code>InternalError</Code>"},
		faultstore.SlowDown:      {503, "<Code>SlowDown</Code>"},
		faultstore.ErrorDocument: {200, "<Code>InternalError</Code>"},
		faultstore.Denied:        {403, "<Code>AccessDenied</Code>"},
		faultstore.Missing:       {404, "<Code>NoSuchKey</Code>"},
	} {
		for _, q := range []struct {
			op           faultstore.Op
			method, path string
		}{
			{faultstore.Read, "GET", "/k"}, {faultstore.Stat, "HEAD", "/k"}, {faultstore.Put, "PUT", "/k"},
			{faultstore.Delete, "DELETE", "/k"}, {faultstore.Restore, "POST", "/k?restore"}, {faultstore.List, "GET", "?list-type=2"},
		} {
			s := faultstore.New(&faultstore.Options{Plan: faultstore.Nth(q.op, 0, faultstore.Fault{Kind: kind})})
			s.Add(faultstore.Item{Key: "k", StorageClass: faultstore.Glacier, Archived: q.op == faultstore.Restore})
			c := serve(t, s)
			a := c.ask(t.Context(), q.method, q.path, "")
			if a.err != nil || a.StatusCode != want.status || q.method != "HEAD" && !strings.Contains(a.body, want.body) {
				t.Errorf("%v of %v: got %d, %q, %v, want %d, %s", kind, q.op, a.StatusCode, a.body, a.err, want.status, want.body)
			}
			if a := c.ask(t.Context(), q.method, q.path, ""); a.err != nil || a.StatusCode >= 300 {
				t.Errorf("%v after %v: got %d, %q, %v, want no fault", q.op, kind, a.StatusCode, a.body, a.err)
			}
		}
	}
}

func TestServerPut(t *testing.T) {
	t.Parallel()
	s := faultstore.New(nil)
	c := serve(t, s)
	first := c.ask(t.Context(), "PUT", "/a%20b//%C3%A9", "one", "If-None-Match", "*").Header.Get("ETag")
	for _, q := range []struct {
		name, path, body string
		headers          []string
		status           int
		now              string // what the object holds then
	}{
		{"if absent, there", "/a%20b//%C3%A9", "x", []string{"If-None-Match", "*"}, 412, "one"},
		{"if another version", "/a%20b//%C3%A9", "x", []string{"If-Match", `"other"`}, 412, "one"},
		{"if this version", "/a%20b//%C3%A9", "two", []string{"If-Match", first}, 200, "two"},
		{"if a version, missing", "/none", "x", []string{"If-Match", first}, 404, ""},
		{"in chunks", "/c", "3;chunk-signature=0\r\nthr\r\n2\r\nee\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n",
			[]string{"X-Amz-Decoded-Content-Length", "5", "Content-Encoding", "aws-chunked"}, 200, "three"},
		{"in chunks, too few", "/d", "3\r\nthr\r\n", []string{"X-Amz-Decoded-Content-Length", "5"}, 400, ""},
	} {
		a := c.ask(t.Context(), "PUT", q.path, q.body, q.headers...)
		if a.err != nil || a.StatusCode != q.status {
			t.Errorf("%s: got %d, %q, %v, want %d", q.name, a.StatusCode, a.body, a.err, q.status)
		}
		now := c.ask(t.Context(), "GET", q.path, "")
		if there := now.StatusCode == 200; there != (q.now != "") || there && now.body != q.now {
			t.Errorf("%s: got %d, %q, want %q", q.name, now.StatusCode, now.body, q.now)
		}
	}
	var keys []string
	for obj := range s.List(t.Context(), "", "") {
		keys = append(keys, obj.Key)
	}
	if strings.Join(keys, "|") != "a b//\u00e9|c" {
		t.Errorf("got keys %q, want them as the paths say", keys)
	}
	c.ask(t.Context(), "DELETE", "/c", "")
	if a := c.ask(t.Context(), "GET", "/c", ""); a.StatusCode != 404 {
		t.Errorf("deleted: got %d, want 404", a.StatusCode)
	}
}

// Bodies of a server pass the link: time does not fall below what it allows.
func TestServerLink(t *testing.T) {
	t.Parallel()
	s := faultstore.New(nil)
	s.Add(faultstore.Item{Key: "k", Content: faultstore.Repeated{Block: pattern(997), Total: 1e6}})
	v, err := faultstore.Serve(s, simstore.Link{FirstByte: 20 * time.Millisecond, PerConn: 20e6})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	start := time.Now()
	res, err := http.Get(v.URL + "/" + faultstore.Bucket + "/k")
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if got := time.Since(start); n != 1e6 || err != nil || got < 70*time.Millisecond {
		t.Errorf("got %d bytes, %v in %v, want 1000000 in 70 ms at least", n, err, got)
	}
}
