package faultstore

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
)

// copy answers a PUT of a copy within the bucket.
func (v *Server) copy(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Copy, Key: key})) {
		return
	}
	from, err := url.QueryUnescape(r.Header.Get("X-Amz-Copy-Source"))
	source, ok := strings.CutPrefix(strings.TrimPrefix(from, "/"), Bucket+"/")
	if err != nil || !ok {
		refuse(w, noSuchBucket)
		return
	}
	o, err := v.store.get(source)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	if want := etag(r.Header.Get("X-Amz-Copy-Source-If-Match")); want != "" && !v.store.opts.NoPreconditions && (v.store.opts.WeakETags || want != o.version) {
		refuse(w, precondition)
		return
	}
	if o.item.Archived {
		refuse(w, invalidState)
		return
	}
	item := o.item
	item.Key = key
	var b bytes.Buffer
	b.WriteString(xmlHead + "<CopyObjectResult>")
	element(&b, "ETag", v.store.etag(v.store.Add(item)))
	b.WriteString("</CopyObjectResult>")
	w.Header().Set("Content-Type", "application/xml")
	w.Write(b.Bytes())
}
