package faultstore

import (
	"encoding/xml"
	"net/http"
)

// tagging is the document of an object's tags.
type tagging struct {
	XMLName xml.Name `xml:"Tagging"`
	Tags    []struct {
		Key   string
		Value string
	} `xml:"TagSet>Tag"`
}

// tagging answers a GET or a PUT of the tags of an object, which a replacement loses.
func (v *Server) tagging(w http.ResponseWriter, r *http.Request, key string) {
	if v.meet(w, r, v.store.call(Call{Op: Tag, Key: key})) {
		return
	}
	o, err := v.store.get(key)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	if r.Method == http.MethodGet {
		v.store.mu.Lock()
		doc, err := xml.Marshal(o.tags)
		v.store.mu.Unlock()
		if err != nil {
			refuse(w, internalError)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.Write(append([]byte(xmlHead), doc...))
		return
	}
	var doc tagging
	if err := xml.NewDecoder(r.Body).Decode(&doc); err != nil {
		refuse(w, malformedXML)
		return
	}
	v.store.mu.Lock()
	o.tags = doc
	v.store.mu.Unlock()
}
