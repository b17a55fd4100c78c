package httpstore

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"time"
)

const (
	// idleConns covers the ranges in flight of many lanes: a connection that
	// finds no place is closed, and the next range dials again.
	idleConns = 512

	// socketRead is what one read of a socket may return. TLS by itself reads a
	// record of at most 16 KiB in two.
	socketRead = 64 << 10

	// buffered is what net/http reads ahead of a body: a TLS record.
	buffered = 16 << 10
)

// Transport is a new transport for ranged reads, as [Tune] makes one. Idle
// connections are kept for the next range; close them with CloseIdleConnections.
func Transport() *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	Tune(t)
	return t
}

// Tune changes a transport that has not been used. It speaks HTTP/1.1, one
// connection for each request under way, since HTTP/2 puts all ranges on one
// connection. It keeps 512 idle connections a host, reads sockets by 64 KiB and
// decompresses nothing. Proxy, certificates and time-outs stay as they are.
func Tune(t *http.Transport) {
	t.MaxIdleConns = 2 * idleConns
	t.MaxIdleConnsPerHost = idleConns
	t.DisableCompression = true
	t.ReadBufferSize = buffered
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.NextProtos = nil
	}
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c, buf: bufio.NewReaderSize(c, socketRead)}, nil
	}
}

// conn reads ahead of TLS. A read of at least the buffer's size goes past it.
type conn struct {
	net.Conn
	buf *bufio.Reader
}

func (c *conn) Read(p []byte) (int, error) { return c.buf.Read(p) }
