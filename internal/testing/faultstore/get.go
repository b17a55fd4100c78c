package faultstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// get answers a GET of an object.
func (v *Server) get(w http.ResponseWriter, r *http.Request, key string) {
	asked, ranged := parseRange(r.Header.Get("Range"))
	c := Call{Op: Read, Key: key, Offset: max(asked.offset, 0)}
	if o, err := v.store.get(key); err == nil {
		if from, n, ok := asked.of(o.item.Content.Size()); ok {
			c.Offset, c.Length = from, n
		}
	}
	f := v.store.call(c)
	if v.meet(w, r, f) {
		return
	}
	o, err := v.store.get(key)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	d := v.store.describe(o)
	if want := etag(r.Header.Get("If-Match")); want != "" && want != "*" && (want != d.Version || v.store.opts.WeakETags) && !v.store.opts.NoPreconditions {
		refuse(w, precondition)
		return
	}
	if !readable(d.Archive) {
		refuse(w, invalidState)
		return
	}
	from, n, ok := asked.of(d.Size)
	if !ok {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", d.Size))
		refuse(w, invalidRange)
		return
	}
	a := &answerBody{Server: v, w: w, ctx: r.Context(), object: o, from: from, n: n, whole: !ranged}
	a.describe(d)
	switch f.Kind {
	case WholeBody:
		a.from, a.n, a.whole = 0, d.Size, true
	case Shifted:
		if ranged {
			a.from = min(max(from+f.At, 0), d.Size)
			a.n = due(d.Size, a.from, n)
		}
	case Gunzip:
		a.gunzip()
		return
	}
	a.send(f)
}

// head answers a HEAD of an object.
func (v *Server) head(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Stat, Key: key})) {
		return
	}
	o, err := v.store.get(key)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	a := &answerBody{Server: v, w: w}
	d := v.store.describe(o)
	a.describe(d)
	w.Header().Set("Content-Length", strconv.FormatInt(d.Size, 10))
}

// byteRange is a Range header of one range (RFC 9110, section 14.1.2).
type byteRange struct {
	offset int64 // negative: so many bytes from the end
	last   int64 // -1: to the end
}

// parseRange reads a Range header. What is no range of bytes means all.
func parseRange(h string) (b byteRange, ok bool) {
	all := byteRange{0, -1}
	spec, ok := strings.CutPrefix(h, "bytes=")
	first, last, dash := strings.Cut(spec, "-")
	if !ok || !dash {
		return all, false
	}
	var err error
	if first == "" {
		if b.offset, err = strconv.ParseInt(last, 10, 64); err != nil {
			return all, false
		}
		return byteRange{-b.offset, -1}, true
	}
	if b.offset, err = strconv.ParseInt(first, 10, 64); err != nil {
		return all, false
	}
	if b.last = -1; last != "" {
		if b.last, err = strconv.ParseInt(last, 10, 64); err != nil || b.last < b.offset {
			return all, false
		}
	}
	return b, true
}

// of is the range within an object. A range that begins at the end or after it
// is refused; no range is not, whatever the size.
func (b byteRange) of(size int64) (from, n int64, ok bool) {
	if b == (byteRange{0, -1}) && size == 0 {
		return 0, 0, true
	}
	if b.offset < 0 {
		from = max(size+b.offset, 0)
		return from, size - from, size > 0
	}
	if b.offset >= size {
		return b.offset, 0, false
	}
	n = size - b.offset
	if b.last >= 0 {
		n = min(n, b.last-b.offset+1)
	}
	return b.offset, n, true
}

// etag spells a version in an answer about an object.
func (s *Store) etag(version string) string {
	if s.opts.WeakETags {
		return `W/"` + version + `"`
	}
	return `"` + version + `"`
}

func etag(h string) string { return strings.Trim(h, `"`) }

// answerBody is an answer that holds a part of an object.
type answerBody struct {
	*Server
	w      http.ResponseWriter
	ctx    context.Context
	object *object
	from   int64
	n      int64
	whole  bool // 200, else 206
}

// describe sets the headers that tell of the object.
func (a *answerBody) describe(d driver.Object) {
	h := a.w.Header()
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set("ETag", a.store.etag(d.Version))
	set("Last-Modified", d.ModTime.Format(http.TimeFormat))
	set("Accept-Ranges", "bytes")
	set("Content-Encoding", d.ContentEncoding)
	h["Content-Type"] = nil // nothing is guessed
	set("Content-Type", d.ContentType)
	set("X-Amz-Storage-Class", d.StorageClass)
	switch d.Archive {
	case driver.ArchiveRestoring:
		set("X-Amz-Restore", `ongoing-request="true"`)
	case driver.ArchiveRestored:
		set("X-Amz-Restore", `ongoing-request="false", expiry-date="`+d.RestoredUntil.UTC().Format(http.TimeFormat)+`"`)
	}
	if d.StorageClass == IntelligentTiering && !readable(d.Archive) {
		set("X-Amz-Archive-Status", "ARCHIVE_ACCESS")
	}
}

// send writes header and body; the fault strikes in it.
func (a *answerBody) send(f Fault) {
	h := a.w.Header()
	status := http.StatusOK
	if !a.whole {
		status = http.StatusPartialContent
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", a.from, a.from+a.n-1, a.object.item.Content.Size()))
	}
	if f.Kind != Short {
		h.Set("Content-Length", strconv.FormatInt(a.n, 10))
	}
	a.w.WriteHeader(status)
	a.store.opened()
	defer a.store.closed()
	conn := a.pipe.Conn()
	step := int64(conn.Step())
	if f.Kind == Short || a.n > step {
		flush(a.w)
	}
	write := func(n int64) bool {
		for n > 0 {
			part := a.object.item.Content.Part(a.from, min(n, step))
			if conn.Pass(a.ctx, len(part)) != nil {
				panic(http.ErrAbortHandler)
			}
			if _, err := a.w.Write(part); err != nil {
				return false
			}
			if step < small {
				flush(a.w)
			}
			a.store.gave(len(part))
			a.from += int64(len(part))
			n -= int64(len(part))
		}
		return true
	}
	strike := a.n
	switch f.Kind {
	case Reset, Cut, Short, Stall, Replace, ReplaceReset:
		strike = min(max(f.At, 0), a.n)
	}
	if !write(strike) {
		return
	}
	switch f.Kind {
	case Reset:
		flush(a.w)
		reset(a.w)
		return
	case Cut:
		cut(a.w)
	case Short:
		return
	case Stall:
		flush(a.w)
		if wait(a.ctx, f.Wait, nil) != nil {
			panic(http.ErrAbortHandler)
		}
	case Replace:
		a.store.Replace(a.object.item.Key)
	case ReplaceReset:
		a.store.Replace(a.object.item.Key)
		flush(a.w)
		reset(a.w)
		return
	}
	write(a.n - strike)
}

// small is the size of parts that would wait in a buffer.
const small = 8 << 10

// gunzip answers with the whole object as a proxy does that decompresses: without
// a length, and without a word about the encoding.
func (a *answerBody) gunzip() {
	var all bytes.Buffer
	c := a.object.item.Content
	for at := int64(0); at < c.Size(); {
		part := c.Part(at, 1<<20)
		all.Write(part)
		at += int64(len(part))
	}
	a.w.Header().Del("Content-Encoding")
	a.w.WriteHeader(http.StatusOK)
	flush(a.w)
	z, err := gzip.NewReader(bytes.NewReader(all.Bytes()))
	if err != nil {
		a.w.Write(all.Bytes())
		return
	}
	io.Copy(a.w, z)
}
