package codec

import (
	"path"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/limits"
)

// candidate is what a hint says of one layer: any of these codecs.
type candidate struct {
	by    Evidence
	names []string
	sign  func(head []byte) bool // of the first of two; nil for one
}

// name is the codec that data of this beginning is of, if it is of one of them.
func (c candidate) name(head []byte) string {
	if c.sign != nil && !c.sign(head) {
		return c.names[1]
	}
	return c.names[0]
}

// has reports whether c names codec.
func (c candidate) has(codec string) bool {
	for _, n := range c.names {
		if n == codec {
			return true
		}
	}
	return false
}

// String is c as a conflict.
func (c candidate) String() string { return string(c.by) + " says " + c.names[0] }

// maxCandidates is how many layers a hint may name. Detection ignores more, of which an
// object may not have half as many.
const maxCandidates = 2 * limits.Layers

// byKey takes the extensions of codecs off key, outermost first, and returns what
// extension is left.
func (r *Registry) byKey(key string) (candidates []candidate, rest string) {
	key = strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
next:
	for {
		ext := path.Ext(key)
		if ext == "" {
			return candidates, ""
		}
		for _, c := range r.known() {
			for _, e := range c.Extensions {
				if e == ext {
					if len(candidates) < maxCandidates {
						candidates = append(candidates, candidate{by: ByExtension, names: []string{c.Name}})
					}
					key = strings.TrimSuffix(key, ext)
					continue next
				}
			}
		}
		if name, inner, ok := r.byShort(ext); ok {
			return append(candidates, candidate{by: ByExtension, names: []string{name}}), inner
		}
		return candidates, ext
	}
}

// byShort looks up an extension that stands for two. Those of built-in codecs count even
// where a codec of the same name has taken their place.
func (r *Registry) byShort(ext string) (name, inner string, ok bool) {
	for _, list := range [][]Codec{r.codecs, defaultRegistry.codecs} {
		for i := range list {
			if inner, ok := list[i].ShortExtensions[ext]; ok {
				return list[i].Name, inner, true
			}
		}
	}
	return "", "", false
}

// byEncoding reads a Content-Encoding, which lists the encodings in the order in
// which they were applied (RFC 9110, section 8.4): the outermost stands last. The
// signing scheme of S3 and values that say nothing are left out.
func (r *Registry) byEncoding(value string) (candidates []candidate) {
	tokens := strings.Split(strings.ToLower(value), ",")
	for i := len(tokens) - 1; i >= 0 && len(candidates) < maxCandidates; i-- {
		token := strings.TrimSpace(tokens[i])
		if token == "" || token == "aws-chunked" || token == "identity" {
			continue
		}
		says := candidate{by: ByEncoding, names: []string{token}}
		for _, c := range r.known() {
			if !slices.Contains(c.Encodings, token) {
				continue
			}
			if says.names[0] = c.Name; c.twin != "" {
				says.names, says.sign = append(says.names, c.twin), c.sign
			}
			break
		}
		candidates = append(candidates, says)
	}
	return candidates
}

// known are the codecs of r and those built-in ones that r lacks: a name or a
// magic is understood also where no decoder is at hand.
func (r *Registry) known() []Codec {
	if r == defaultRegistry {
		return r.codecs
	}
	all := r.codecs[:len(r.codecs):len(r.codecs)]
	for _, c := range defaultRegistry.codecs {
		if _, ok := r.find(c.Name); !ok {
			all = append(all, c)
		}
	}
	return all
}

// foreign are formats that are recognised to be refused by name: taken for
// plain data, they would be garbage records.
var foreign = []Codec{
	{Name: "compress", Magic: func(head []byte, _ bool) Match {
		if m := prefix(head, "\x1f\x9d"); m != Matched || len(head) < 3 {
			return NoMatch
		}
		if bits := head[2] & 0x1f; head[2]&0x60 != 0 || bits < 9 || bits > 16 {
			return NoMatch
		}
		return Matched
	}},
	{Name: "lzop", Magic: func(head []byte, _ bool) Match { return prefix(head, "\x89LZO\x00\r\n\x1a\n") }},
}

// byMagic asks the magic tests of all formats. yes is the codec that data is of,
// or empty; more are those that it may be of, were there more bytes.
func (r *Registry) byMagic(data []byte, final bool) (yes string, more []string) {
	if len(data) == 0 && final {
		return "", nil
	}
	for _, list := range [][]Codec{r.known(), foreign} {
		for _, c := range list {
			if c.Magic == nil {
				continue
			}
			switch c.Magic(data, final) {
			case Matched:
				return c.Name, nil
			case NeedMore:
				more = append(more, c.Name)
			}
		}
	}
	return "", more
}

// hasMagic reports whether bytes identify the format of a codec. Those of an unknown one
// do not.
func (r *Registry) hasMagic(name string) bool {
	for _, c := range r.known() {
		if c.Name == name {
			return c.Magic != nil
		}
	}
	return false
}

func (r *Registry) knows(name string) bool {
	for _, c := range r.known() {
		if c.Name == name {
			return true
		}
	}
	return false
}
