package faultstore

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// list answers one page of ListObjectsV2. There is no delimiter: a listing is
// flat.
func (v *Server) list(w http.ResponseWriter, r *http.Request, q url.Values) {
	prefix, after, seen := q.Get("prefix"), q.Get("start-after"), 0
	most := v.store.opts.Page
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil && n >= 0 {
		most = min(most, n)
	}
	if token := q.Get("continuation-token"); token != "" {
		var ok bool
		if after, seen, ok = parseToken(token); !ok {
			refuse(w, refusal{http.StatusBadRequest, "InvalidArgument", "The continuation token is not valid"})
			return
		}
	}
	if q.Get("delimiter") != "" {
		refuse(w, notImplemented)
		return
	}
	page, more := v.store.page(prefix, after, most)
	f := v.store.call(Call{Op: List, Key: prefix, Offset: int64(seen), Length: int64(len(page))})
	if v.meet(w, r, f) {
		return
	}
	p := &pageDoc{
		encode:  q.Get("encoding-type") == "url",
		restore: strings.Contains(strings.ToLower(r.Header.Get("X-Amz-Optional-Object-Attributes")), "restorestatus"),
		breakAt: -1,
	}
	if f.Kind == BrokenPage {
		p.breakAt = int(f.At)
	}
	token := ""
	if more = more && most > 0; more {
		token = formToken(page[len(page)-1].Key, seen+len(page))
	}
	if f.Kind == NoToken {
		more, token = true, ""
	}
	p.write(prefix, most, misplace(page, f), more, token)
	h := w.Header()
	h.Set("Content-Type", "application/xml")
	h.Set("Content-Length", strconv.Itoa(p.Len()))
	if f.Kind == BrokenPage {
		w.Write(p.Bytes()[:p.broken])
		cut(w)
	}
	w.Write(p.Bytes())
}

// formToken says where the next page begins, and how many objects lie before it.
func formToken(key string, seen int) string {
	return base64.URLEncoding.EncodeToString([]byte(strconv.Itoa(seen) + " " + key))
}

func parseToken(token string) (key string, seen int, ok bool) {
	text, err := base64.URLEncoding.DecodeString(token)
	if err != nil {
		return "", 0, false
	}
	count, key, ok := strings.Cut(string(text), " ")
	seen, err = strconv.Atoi(count)
	return key, seen, ok && err == nil
}

// pageDoc is the document of one page.
type pageDoc struct {
	bytes.Buffer
	encode  bool // keys are URL-encoded
	restore bool // RestoreStatus is told
	breakAt int  // the object before which the answer breaks off; -1: none
	broken  int  // the byte
}

func (p *pageDoc) write(prefix string, most int, page []driver.Object, more bool, token string) {
	p.WriteString(xmlHead + `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	p.element("Name", Bucket)
	p.element("Prefix", p.key(prefix))
	p.element("KeyCount", strconv.Itoa(len(page)))
	p.element("MaxKeys", strconv.Itoa(most))
	if p.encode {
		p.element("EncodingType", "url")
	}
	p.element("IsTruncated", strconv.FormatBool(more))
	if token != "" {
		p.element("NextContinuationToken", token)
	}
	for i, o := range page {
		if i == p.breakAt {
			p.broken = p.Len()
		}
		p.object(o)
	}
	if p.broken == 0 {
		p.broken = p.Len()
	}
	p.WriteString("</ListBucketResult>")
}

func (p *pageDoc) element(name, text string) { element(&p.Buffer, name, text) }

// key spells a key as it was asked for. "+" stands for a space, as in a query.
func (p *pageDoc) key(key string) string {
	if !p.encode {
		return key
	}
	return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/")
}

func (p *pageDoc) object(o driver.Object) {
	p.WriteString("<Contents>")
	p.element("Key", p.key(o.Key))
	p.element("LastModified", o.ModTime.Format("2006-01-02T15:04:05.000Z"))
	p.element("ETag", `"`+o.Version+`"`)
	p.element("Size", strconv.FormatInt(o.Size, 10))
	class := o.StorageClass
	if class == "" {
		class = "STANDARD"
	}
	p.element("StorageClass", class)
	if p.restore && (o.Archive == driver.ArchiveRestoring || o.Archive == driver.ArchiveRestored) {
		p.WriteString("<RestoreStatus>")
		p.element("IsRestoreInProgress", strconv.FormatBool(o.Archive == driver.ArchiveRestoring))
		if o.Archive == driver.ArchiveRestored {
			p.element("RestoreExpiryDate", o.RestoredUntil.UTC().Format(time.RFC3339))
		}
		p.WriteString("</RestoreStatus>")
	}
	p.WriteString("</Contents>")
}
