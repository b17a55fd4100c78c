package httpstore_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// tuned is a transport to a test server, with counts of what it dials and reads.
func tuned(t *testing.T, server *httptest.Server, dials, reads *atomic.Int64) *http.Transport {
	tr := server.Client().Transport.(*http.Transport).Clone()
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &counted{c, reads}, err
	}
	httpstore.Tune(tr)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

type counted struct {
	net.Conn
	reads *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(p)
}

func get(t *testing.T, tr *http.Transport, url string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res, data
}

func TestConnectionsAreReused(t *testing.T) {
	const flights, rounds = 64, 3
	var together sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		together.Done()
		together.Wait() // so that all requests of a round are open at once
		w.Write(make([]byte, 1000))
	}))
	defer server.Close()
	var dials, reads atomic.Int64
	tr := tuned(t, server, &dials, &reads)
	for range rounds {
		together.Add(flights)
		var wg sync.WaitGroup
		for range flights {
			wg.Go(func() { get(t, tr, server.URL) })
		}
		wg.Wait()
	}
	if got := dials.Load(); got != flights {
		t.Errorf("got %d connections for %d rounds of %d requests, want %d", got, rounds, flights, flights)
	}
}

func TestBytesAreAsStored(t *testing.T) {
	stored := []byte("not really gzip")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "" {
			t.Errorf("got Accept-Encoding %q, want none", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(stored)
	}))
	defer server.Close()
	var dials, reads atomic.Int64
	res, data := get(t, tuned(t, server, &dials, &reads), server.URL)
	if !bytes.Equal(data, stored) || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("got %q with headers %v, want the stored bytes", data, res.Header)
	}
}

// Beside a server that offers HTTP/2, each request has a connection of its own,
// and TLS records take fewer reads than the two each that TLS asks for.
func TestTLS(t *testing.T) {
	const size = 4 << 20
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(make([]byte, size))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	var dials, reads atomic.Int64
	res, data := get(t, tuned(t, server, &dials, &reads), server.URL)
	if res.ProtoMajor != 1 || len(data) != size {
		t.Errorf("got %s and %d bytes, want HTTP/1.1 and %d", res.Proto, len(data), size)
	}
	const records = size / (16 << 10)
	if got := reads.Load(); got > records*3/2 {
		t.Errorf("got %d reads for %d records, want less than two each", got, records)
	}
}
