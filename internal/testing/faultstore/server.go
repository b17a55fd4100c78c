package faultstore

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/simlink"
)

// Bucket is the one bucket of a [Server].
const Bucket = "bucket"

// Server speaks the S3 protocol on loopback for the objects of a [Store].
type Server struct {
	URL string // http://127.0.0.1:port

	store  *Store
	link   simstore.Link
	pipe   *simlink.Link
	http   http.Server
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // the listener and every answer
}

// Serve starts a server whose answers pass a link. The caller closes it.
func Serve(s *Store, link simstore.Link) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	v := &Server{
		URL: "http://" + l.Addr().String(), store: s, link: link, pipe: simlink.New(link.PerConn, link.Total), cancel: cancel,
	}
	v.http.Handler = http.HandlerFunc(v.serve)
	v.http.BaseContext = func(net.Listener) context.Context { return ctx }
	v.busy.Go(func() { v.http.Serve(l) })
	return v, nil
}

// Close ends every connection, and every answer that still waits. Nothing runs
// after it.
func (v *Server) Close() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.cancel()
	v.http.Close()
	v.busy.Wait()
}

// begin counts an answer, unless the server closes.
func (v *Server) begin() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		v.busy.Add(1)
	}
	return !v.closed
}

// ServeHTTP answers one request, for servers that stand before this one.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.serve(w, r) }

// serve finds out what is asked for. Paths are taken as they are: a mux would
// clean them.
func (v *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !v.begin() {
		panic(http.ErrAbortHandler)
	}
	defer v.busy.Done()
	if simlink.Until(r.Context(), time.Now().Add(v.link.FirstByte)) != nil {
		panic(http.ErrAbortHandler)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	switch {
	case bucket != Bucket:
		refuse(w, noSuchBucket)
	case key == "" && r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case key == "" && r.Method == http.MethodGet && q.Get("list-type") == "2":
		v.list(w, r, q)
	case key == "":
		refuse(w, notImplemented)
	case q.Has("tagging") && (r.Method == http.MethodGet || r.Method == http.MethodPut):
		v.tagging(w, r, key)
	case r.Method == http.MethodGet:
		v.get(w, r, key)
	case r.Method == http.MethodHead:
		v.head(w, r, key)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		v.copy(w, r, key)
	case r.Method == http.MethodPut:
		v.put(w, r, key)
	case r.Method == http.MethodDelete:
		v.delete(w, r, key)
	case r.Method == http.MethodPost && q.Has("restore"):
		v.restore(w, r, key)
	default:
		refuse(w, notImplemented)
	}
}

// meet does what a fault says in place of an answer, and tells whether there is
// nothing more to do.
func (v *Server) meet(w http.ResponseWriter, r *http.Request, f Fault) (met bool) {
	switch f.Kind {
	case Slow:
		if wait(r.Context(), f.Wait, nil) != nil {
			panic(http.ErrAbortHandler)
		}
		return false
	case Drop:
		reset(w)
	case InternalError:
		refuse(w, internalError)
	case SlowDown:
		refuse(w, slowDown)
	case ErrorDocument:
		e := internalError
		e.status = http.StatusOK
		refuse(w, e)
	case Denied:
		refuse(w, accessDenied)
	case Missing:
		refuse(w, noSuchKey)
	default:
		return false
	}
	return true
}

// reset ends the connection so that the other side sees it reset.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// cut ends the connection after what was written.
func cut(w http.ResponseWriter) {
	flush(w)
	panic(http.ErrAbortHandler)
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }
