package httpstore

import (
	"net"
	"net/http"
	"time"
)

const (
	// idleConns covers the ranges in flight of many lanes: a connection that
	// finds no place is closed, and the next range dials again.
	idleConns = 512

	// readBuffer spares system calls: the default of 4 KiB costs sixteen times
	// as many.
	readBuffer = 64 << 10
)

// Transport is a new transport for ranged reads. It speaks HTTP/1.1, one
// connection for each request under way, since HTTP/2 puts all ranges on one
// connection. It decompresses nothing. Idle connections are kept for the next
// range; close them with CloseIdleConnections.
func Transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		Protocols:             &protocols,
		MaxIdleConns:          2 * idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ReadBufferSize:        readBuffer,
		WriteBufferSize:       readBuffer,
		DisableCompression:    true,
	}
}
