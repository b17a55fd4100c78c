package azurestore_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob/driver"
)

// zeros is a reader of n bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// An object is made by the last request alone, and only of the size announced.
func TestPutExactSize(t *testing.T) {
	t.Parallel()
	const block = 8 << 20
	for _, c := range []struct {
		size, given int64
		want        bool
	}{
		{0, 0, true},
		{4, 4, true},
		{4, 3, false},
		{4, 0, false},
		{4, 5, false},
		{0, 1, false},
		{block, block, true},
		{block, block + 1, false},
		{block + 1, block + 1, true},
		{block + 1, block, false},
		{2 * block, 2*block + 1, false},
		{2*block + 3, block + 3, false},
	} {
		var staged, made int64
		var conditions []string
		_, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			switch r.URL.Query().Get("comp") {
			case "block":
				staged += n
				if r.Header.Get("If-None-Match") != "" {
					t.Error("got a condition on a block")
				}
			case "blocklist":
				made = staged
				conditions = append(conditions, r.Header.Get("If-None-Match"))
			default:
				made = n
				conditions = append(conditions, r.Header.Get("If-None-Match"))
			}
			w.Header().Set("ETag", `"0x9"`)
			w.WriteHeader(http.StatusCreated)
		})
		version, err := d.Put(t.Context(), "k", zeros(c.given), c.size, driver.Condition{Absent: true})
		if !c.want {
			if err == nil || len(conditions) != 0 {
				t.Errorf("%d bytes for %d: got %v and %d objects made, want an error and none", c.given, c.size, err, len(conditions))
			}
			continue
		}
		if err != nil || version != "0x9" || made != c.size || strings.Join(conditions, ",") != "*" {
			t.Errorf("%d bytes: got version %q of %d bytes, conditions %q, %v, want 0x9 under one condition", c.size, version, made, conditions, err)
		}
	}
}
