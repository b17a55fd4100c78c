package stream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// A handler that serves objects decoded. Each class of errors has a status, and a Pool
// bounds the memory of all requests. Damage that shows after the first bytes breaks the
// connection, so that no client takes what it has for the whole.
func ExampleOpen_http() {
	ctx := context.Background()
	store := exampleStore(ctx)
	defer store.Close()
	server := httptest.NewServer(&objectHandler{store: store, pool: stream.NewPool(&stream.PoolOptions{Memory: 64 << 20})})
	defer server.Close()

	for _, key := range []string{"01/b.ndjson.gz", "none", ""} {
		resp, err := http.Get(server.URL + "/" + key)
		if err != nil {
			fmt.Println(err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%d %q %v\n", resp.StatusCode, body, err)
	}
	// Output:
	// 200 "{\"id\":3}\n" <nil>
	// 404 "missing\n" <nil>
	// 400 "invalid\n" <nil>
}

// objectHandler serves the objects of a store.
type objectHandler struct {
	store *blob.Store
	pool  *stream.Pool
}

// statusOf has the answers by class. Others are those of this server's own faults.
var statusOf = map[stream.Class]int{
	stream.ClassInvalid:     http.StatusBadRequest,
	stream.ClassMissing:     http.StatusNotFound,
	stream.ClassDenied:      http.StatusForbidden,
	stream.ClassArchived:    http.StatusConflict, // to be restored first
	stream.ClassChanged:     http.StatusServiceUnavailable,
	stream.ClassTransient:   http.StatusServiceUnavailable, // ErrPoolBusy too
	stream.ClassTruncated:   http.StatusBadGateway,
	stream.ClassCorrupt:     http.StatusBadGateway,
	stream.ClassChecksum:    http.StatusBadGateway,
	stream.ClassTrailing:    http.StatusBadGateway,
	stream.ClassLimit:       http.StatusBadGateway,
	stream.ClassDictionary:  http.StatusBadGateway,
	stream.ClassUnsupported: http.StatusNotImplemented,
}

func (h *objectHandler) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	rd, err := stream.Open(q.Context(), h.store, q.URL.Path[1:], &stream.OpenOptions{
		Read: stream.ReadOptions{Pool: h.pool, NoWait: true},
	})
	if err != nil {
		status, ok := statusOf[stream.ClassOf(err)]
		if !ok {
			status = http.StatusInternalServerError
		}
		// The error itself names the store: it is for the log of the server.
		http.Error(w, stream.ClassOf(err).String(), status)
		return
	}
	defer rd.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := rd.WriteTo(w); err != nil {
		panic(http.ErrAbortHandler) // the status is sent: break the connection
	}
}
