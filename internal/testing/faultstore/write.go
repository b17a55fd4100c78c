package faultstore

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob/driver"
)

// put answers a PUT of an object.
func (v *Server) put(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Put, Key: key, Length: r.ContentLength})) {
		return
	}
	if !utf8.ValidString(key) {
		refuse(w, refusal{http.StatusBadRequest, "InvalidURI", "The key is not UTF-8"})
		return
	}
	body, size, encoding := io.Reader(r.Body), r.ContentLength, r.Header.Get("Content-Encoding")
	if h := r.Header.Get("X-Amz-Decoded-Content-Length"); h != "" {
		body, encoding = newChunks(r.Body), plainEncoding(encoding)
		var err error
		if size, err = strconv.ParseInt(h, 10, 64); err != nil {
			refuse(w, badDigest)
			return
		}
	}
	data, err := io.ReadAll(body)
	if err != nil || size >= 0 && int64(len(data)) != size {
		refuse(w, badDigest)
		return
	}
	cond := driver.Condition{Absent: r.Header.Get("If-None-Match") == "*", Version: etag(r.Header.Get("If-Match"))}
	if cond.Version != "" {
		if _, err := v.store.get(key); errors.Is(err, fs.ErrNotExist) {
			refuse(w, noSuchKey)
			return
		}
		if v.store.opts.WeakETags {
			refuse(w, precondition)
			return
		}
	}
	class := r.Header.Get("X-Amz-Storage-Class")
	version, err := v.store.put(Item{
		Key: key, Content: Bytes(data), ContentType: r.Header.Get("Content-Type"), ContentEncoding: encoding,
		StorageClass: class, Archived: class == Glacier || class == DeepArchive,
	}, cond)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	w.Header().Set("ETag", v.store.etag(version))
}

// delete answers a DELETE. The protocol does not tell whether there was an
// object.
func (v *Server) delete(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Delete, Key: key})) {
		return
	}
	version := etag(r.Header.Get("If-Match"))
	if version != "" && v.store.opts.WeakETags {
		refuse(w, precondition)
		return
	}
	if err := v.store.remove(key, version); errors.Is(err, driver.ErrChanged) {
		refuse(w, precondition)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// restore answers a POST ?restore.
func (v *Server) restore(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Restore, Key: key})) {
		return
	}
	var req struct {
		Days int
		Tier string
		Job  struct{ Tier string } `xml:"GlacierJobParameters"`
	}
	if err := xml.NewDecoder(r.Body).Decode(&req); err != nil && err != io.EOF {
		refuse(w, malformedXML)
		return
	}
	o, err := v.store.get(key)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	if req.Tier == "" {
		req.Tier = req.Job.Tier
	}
	switch v.store.thaw(o, driver.RestoreRequest{Days: req.Days, Tier: req.Tier}) {
	case driver.ArchiveArchived:
		w.WriteHeader(http.StatusAccepted)
	case driver.ArchiveRestored:
		w.WriteHeader(http.StatusOK)
	case driver.ArchiveRestoring:
		refuse(w, alreadyRestoring)
	default:
		refuse(w, invalidState)
	}
}

// plainEncoding takes the framing of an upload out of a Content-Encoding.
func plainEncoding(h string) string {
	var rest []string
	for e := range strings.SplitSeq(h, ",") {
		if e = strings.TrimSpace(e); e != "" && e != "aws-chunked" {
			rest = append(rest, e)
		}
	}
	return strings.Join(rest, ",")
}

// chunks reads an upload of the encoding aws-chunked: each chunk has its size in
// hexadecimal, perhaps a signature, and data; the last is empty. Trailers are left
// unread.
type chunks struct {
	r    *bufio.Reader
	left int64 // of the chunk
	err  error
}

func newChunks(r io.Reader) *chunks { return &chunks{r: bufio.NewReader(r)} }

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 && c.err == nil {
		c.next()
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	if c.left -= int64(n); err == nil && c.left == 0 {
		_, err = c.r.Discard(len("\r\n"))
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	c.err = err
	return n, err
}

func (c *chunks) next() {
	line, err := c.r.ReadString('\n')
	if err != nil {
		c.err = io.ErrUnexpectedEOF
		return
	}
	size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
	if c.left, c.err = strconv.ParseInt(size, 16, 64); c.err == nil && c.left == 0 {
		c.err = io.EOF
	}
}
