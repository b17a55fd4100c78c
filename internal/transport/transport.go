package transport

import (
	"bufio"
	"context"
	"net"
	"net/http"
)

const (
	// idlePerHost is how many connections stay open between requests: as many as
	// ranges are in flight in a large job. With fewer, connections are closed and
	// dialled again for every range.
	idlePerHost = 256

	// readSize is what one read of a socket may give. TLS asks for a record of at
	// most 16 KiB at a time, net/http by default for 4 KiB.
	readSize = 64 << 10
)

// Tune changes t, which has not been used yet. It speaks HTTP/1.1 only, since HTTP/2
// puts all ranges on one connection; it keeps 256 idle connections a host, reads
// sockets by 64 KiB and never decompresses a body. Proxy, certificates and timeouts
// stay as they are.
func Tune(t *http.Transport) {
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = idlePerHost
	t.DisableCompression = true
	t.ReadBufferSize = readSize
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
		return &conn{Conn: c, buf: bufio.NewReaderSize(c, readSize)}, nil
	}
}

// conn reads ahead of TLS, which asks for little at a time. A read of at least
// the buffer's size goes past the buffer.
type conn struct {
	net.Conn
	buf *bufio.Reader
}

func (c *conn) Read(p []byte) (int, error) { return c.buf.Read(p) }
