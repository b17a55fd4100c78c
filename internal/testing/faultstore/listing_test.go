package faultstore_test

import (
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// listing is a page as a client takes it.
type listing struct {
	KeyCount              int
	IsTruncated           bool
	NextContinuationToken string
	Contents              []struct {
		Key, ETag, StorageClass string
		Size                    int64
		RestoreStatus           *struct {
			IsRestoreInProgress bool
			RestoreExpiryDate   string
		}
	}
}

func (c *client) list(query string, headers ...string) (l listing, err error) {
	c.Helper()
	a := c.ask(c.Context(), "GET", "?list-type=2&"+query, "", headers...)
	if a.err != nil {
		return l, a.err
	}
	if a.StatusCode != 200 {
		c.Fatalf("list %s: got %d, %q", query, a.StatusCode, a.body)
	}
	return l, xml.Unmarshal([]byte(a.body), &l)
}

func (l listing) keys() (keys []string) {
	for _, o := range l.Contents {
		keys = append(keys, o.Key)
	}
	return keys
}

func TestServerList(t *testing.T) {
	t.Parallel()
	s := faultstore.New(&faultstore.Options{Page: 3})
	for _, key := range []string{"a", "a&b", "a+b c", "b/1", "b/2", "b/3", "b/4", "c\u00e9<"} {
		s.Add(faultstore.Item{Key: key, Content: faultstore.Bytes(key)})
	}
	c := serve(t, s)
	for _, q := range []struct {
		query string
		want  []string
		more  bool
	}{
		{"", []string{"a", "a&b", "a+b c"}, true},
		{"max-keys=2", []string{"a", "a&b"}, true},
		{"max-keys=0", nil, false},
		{"start-after=b/3", []string{"b/4", "c\u00e9<"}, false},
		{"prefix=b/", []string{"b/1", "b/2", "b/3"}, true},
		{"prefix=b/&start-after=b/1", []string{"b/2", "b/3", "b/4"}, false},
		{"prefix=none", nil, false},
		{"encoding-type=url&prefix=a%2B", []string{"a%2Bb+c"}, false},
	} {
		l, err := c.list(q.query)
		if err != nil || !slices.Equal(l.keys(), q.want) || l.IsTruncated != q.more || (l.NextContinuationToken != "") != q.more || l.KeyCount != len(q.want) {
			t.Errorf("%s: got %+v, %v, want %q, more %v", q.query, l, err, q.want, q.more)
		}
	}
	first, _ := c.list("")
	second, _ := c.list("continuation-token=" + url.QueryEscape(first.NextContinuationToken))
	if want := []string{"b/1", "b/2", "b/3"}; !slices.Equal(second.keys(), want) {
		t.Errorf("second page: got %q, want %q", second.keys(), want)
	}
}

func TestServerListFaults(t *testing.T) {
	t.Parallel()
	for _, q := range []struct {
		fault faultstore.Fault
		want  string
		more  bool
		err   error
	}{
		{faultstore.Fault{Kind: faultstore.Disorder, At: 1}, "acb", false, nil},
		{faultstore.Fault{Kind: faultstore.Duplicate, At: 2}, "abcc", false, nil},
		{faultstore.Fault{Kind: faultstore.NoToken}, "abc", true, nil},
		{faultstore.Fault{Kind: faultstore.BrokenPage, At: 2}, "", false, io.ErrUnexpectedEOF},
	} {
		s := faultstore.New(&faultstore.Options{Plan: faultstore.Always(faultstore.List, q.fault)})
		for _, key := range []string{"a", "b", "c"} {
			s.Add(faultstore.Item{Key: key})
		}
		l, err := serve(t, s).list("")
		if got := strings.Join(l.keys(), ""); got != q.want || l.IsTruncated != q.more || l.NextContinuationToken != "" || err != q.err {
			t.Errorf("%v: got %q, more %v, %v, want %q, more %v, %v", q.fault.Kind, got, l.IsTruncated, err, q.want, q.more, q.err)
		}
	}
}

func TestServerRestore(t *testing.T) {
	t.Parallel()
	s := faultstore.New(nil)
	s.Add(faultstore.Item{Key: "cold", StorageClass: faultstore.DeepArchive, Archived: true})
	s.Add(faultstore.Item{Key: "tiered", StorageClass: faultstore.IntelligentTiering, Archived: true})
	s.Add(faultstore.Item{Key: "warm"})
	c := serve(t, s)
	if got := c.ask(t.Context(), "HEAD", "/tiered", "").Header.Get("X-Amz-Archive-Status"); got != "ARCHIVE_ACCESS" {
		t.Errorf("got archive status %q, want ARCHIVE_ACCESS", got)
	}
	if got := c.ask(t.Context(), "HEAD", "/cold", "").Header.Get("X-Amz-Storage-Class"); got != faultstore.DeepArchive {
		t.Errorf("got storage class %q, want %s", got, faultstore.DeepArchive)
	}
	const request = "<RestoreRequest><Days>3</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters></RestoreRequest>"
	for _, q := range []struct {
		path, body string
		status     int
	}{
		{"/cold?restore", request, 202},
		{"/cold?restore", request, 200},
		{"/tiered?restore", "<RestoreRequest/>", 202},
		{"/warm?restore", request, 403},
		{"/none?restore", request, 404},
		{"/cold?restore", "<Restore", 400},
	} {
		if a := c.ask(t.Context(), "POST", q.path, q.body); a.err != nil || a.StatusCode != q.status {
			t.Errorf("%s: got %d, %q, %v, want %d", q.path, a.StatusCode, a.body, a.err, q.status)
		}
	}
	if r := s.Restores()[0]; r.Key != "cold" || r.Request.Days != 3 || r.Request.Tier != "Bulk" {
		t.Errorf("got %+v, want cold for 3 days, Bulk", r)
	}
	head := c.ask(t.Context(), "HEAD", "/cold", "")
	if got := head.Header.Get("X-Amz-Restore"); !strings.HasPrefix(got, `ongoing-request="false", expiry-date="`) || !strings.HasSuffix(got, ` GMT"`) {
		t.Errorf("got x-amz-restore %q, want a date", got)
	}
	l, err := c.list("", "X-Amz-Optional-Object-Attributes", "RestoreStatus")
	if err != nil || l.Contents[0].RestoreStatus == nil || l.Contents[0].RestoreStatus.RestoreExpiryDate == "" || l.Contents[1].RestoreStatus != nil {
		t.Errorf("got %+v, %v, want the restore status of cold alone", l.Contents, err)
	}
	if l, err = c.list(""); err != nil || l.Contents[0].RestoreStatus != nil || l.Contents[0].StorageClass != faultstore.DeepArchive {
		t.Errorf("got %+v, %v, want no restore status unless asked for", l.Contents, err)
	}
}
