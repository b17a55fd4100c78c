package faultstore

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/thaw-go/thaw/blob/driver"
)

// refusal is an error of the protocol.
type refusal struct {
	status        int
	code, message string
}

var (
	accessDenied     = refusal{http.StatusForbidden, "AccessDenied", "Access Denied"}
	alreadyRestoring = refusal{http.StatusConflict, "RestoreAlreadyInProgress", "Object restore is already in progress"}
	badDigest        = refusal{http.StatusBadRequest, "IncompleteBody", "The body is not of the declared length"}
	internalError    = refusal{http.StatusInternalServerError, "InternalError", "Please try again"}
	invalidRange     = refusal{http.StatusRequestedRangeNotSatisfiable, "InvalidRange", "The range is not satisfiable"}
	invalidState     = refusal{http.StatusForbidden, "InvalidObjectState", "Not valid for the object's storage class"}
	malformedXML     = refusal{http.StatusBadRequest, "MalformedXML", "The XML is not well-formed"}
	noSuchBucket     = refusal{http.StatusNotFound, "NoSuchBucket", "The bucket does not exist"}
	noSuchKey        = refusal{http.StatusNotFound, "NoSuchKey", "The key does not exist"}
	notImplemented   = refusal{http.StatusNotImplemented, "NotImplemented", "Not implemented"}
	precondition     = refusal{http.StatusPreconditionFailed, "PreconditionFailed", "A precondition did not hold"}
	slowDown         = refusal{http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate."}
)

// refusalOf is what the protocol says for an error of the store.
func refusalOf(err error) refusal {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noSuchKey
	case errors.Is(err, fs.ErrPermission):
		return accessDenied
	case errors.Is(err, driver.ErrConflict):
		return precondition
	}
	return internalError
}

// refuse answers with an error document. The answer to a HEAD has none: net/http
// leaves it out.
func refuse(w http.ResponseWriter, e refusal) {
	var b bytes.Buffer
	b.WriteString(xmlHead + "<Error>")
	element(&b, "Code", e.code)
	element(&b, "Message", e.message)
	element(&b, "RequestId", "0")
	b.WriteString("</Error>")
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(e.status)
	w.Write(b.Bytes())
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// element writes text as a service does: control characters as references, though
// XML 1.0 has none of them but three.
func element(b *bytes.Buffer, name, text string) {
	b.WriteString("<" + name + ">")
	for _, c := range text {
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '"':
			b.WriteString("&quot;")
		case c < ' ' || c == 0x7f:
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
		default:
			b.WriteRune(c)
		}
	}
	b.WriteString("</" + name + ">")
}
