package s3store_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/blob/driver"
)

// long is the least size that is not held in memory.
const long = 16<<20 + 1

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// take is a server that writes what it is sent, and tells whether that was whole.
func take(t *testing.T) (*recorder, <-chan bool) {
	whole := make(chan bool, 10)
	return record(t, func(w http.ResponseWriter, q *http.Request) {
		n, err := io.Copy(io.Discard, q.Body)
		whole <- err == nil && n == q.ContentLength
		w.Header().Set("ETag", `"v2"`)
	}), whole
}

func TestPutRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   io.Reader
		size   int64
		signed bool
	}{
		"signed":   {strings.NewReader("hello"), 5, true},
		"empty":    {strings.NewReader(""), 0, true},
		"unsigned": {io.LimitReader(zeros{}, long), long, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, whole := take(t)
			version, err := bucket(r.URL).Put(t.Context(), "k", c.body, c.size, driver.Condition{Version: "v1"})
			if err != nil || version != "v2" || !<-whole {
				t.Fatalf("got version %q, %v, want v2", version, err)
			}
			h := r.last(t).Header
			if h.Get("If-Match") != `"v1"` || h.Get("If-None-Match") != "" || h.Get("Content-Encoding") != "" {
				t.Errorf("got headers %v, want the condition alone", h)
			}
			if sum := h.Get("X-Amz-Content-Sha256"); (sum == "UNSIGNED-PAYLOAD") == c.signed {
				t.Errorf("got checksum %q, want one: %v", sum, c.signed)
			}
		})
	}
}

// A body that is not of the declared size, or fails, is never sent whole.
func TestPutBadBody(t *testing.T) {
	t.Parallel()
	fault := errors.New("no more")
	for name, c := range map[string]struct {
		body io.Reader
		size int64
		want error
	}{
		"too much":                    {strings.NewReader("hello"), 4, errAny},
		"too much for an empty one":   {strings.NewReader("x"), 0, errAny},
		"too little":                  {strings.NewReader("hell"), 5, io.ErrUnexpectedEOF},
		"fails":                       {io.MultiReader(strings.NewReader("he"), iotest.ErrReader(fault)), 5, fault},
		"fails behind the last byte":  {io.MultiReader(strings.NewReader("hello"), iotest.ErrReader(fault)), 5, fault},
		"long, too much":              {zeros{}, long, errAny},
		"long, too little":            {io.LimitReader(zeros{}, long-1), long, io.ErrUnexpectedEOF},
		"long, fails":                 {io.MultiReader(io.LimitReader(zeros{}, long/2), iotest.ErrReader(fault)), long, fault},
		"long, fails behind the last": {io.MultiReader(io.LimitReader(zeros{}, long), iotest.ErrReader(fault)), long, fault},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, whole := take(t)
			_, err := bucket(r.URL).Put(t.Context(), "k", c.body, c.size, driver.Condition{Absent: true})
			if err == nil || c.want != errAny && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			r.Close() // the server has seen all that it will
			for range len(whole) {
				if <-whole {
					t.Error("the body was sent whole")
				}
			}
		})
	}
}
