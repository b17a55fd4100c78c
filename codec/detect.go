package codec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// HeadSize is how many first bytes of an object [Registry.Detect] wants, where
// the object has as many.
const HeadSize = 4096

// Evidence is why a codec was chosen, strongest first.
type Evidence string

const (
	ByChoice    Evidence = "explicit"
	ByMagic     Evidence = "magic"
	ByEncoding  Evidence = "content-encoding"
	ByExtension Evidence = "extension"
	ByDefault   Evidence = "default" // nothing spoke for a codec: none
)

// Hints is what is known of an object beside its bytes.
type Hints struct {
	Codec           string // explicit choice; empty means detect
	Key             string // the object's name
	ContentEncoding string // as stored
}

// Detection says how an object is encoded and how that is known.
type Detection struct {
	// Codec is the name of the outermost codec: the one that meets the stored
	// bytes. "none" for plain data.
	Codec    string   `json:"codec"`
	Evidence Evidence `json:"evidence"`

	// Inner are the codecs under Codec, outermost first. Nil for one layer.
	Inner []string `json:"inner,omitempty"`

	// Conflicts are the pieces of evidence that spoke for another codec, such
	// as "extension says gzip".
	Conflicts []string `json:"conflicts,omitempty"`

	// Extension is what is left of the key's extension once those of the
	// codecs are taken off: ".csv" of "a.csv.gz". It chooses the framer.
	Extension string `json:"extension,omitempty"`
}

// Detect tells the encoding of an object from its first bytes and from hints.
// head is the first [HeadSize] bytes; final says that it is the whole object.
//
// The order is fixed: explicit choice, magic, Content-Encoding, extension. What
// speaks for another codec than the one chosen is in Conflicts; the caller decides
// whether it matters. Content wins over names: plain data under the name "a.gz"
// is "none", with a conflict. Formats without magic are believed where a hint
// names them, and so is a format whose magic head is too short to tell. An empty
// object is "none" unless chosen otherwise.
//
// An object may have several layers when the hints say so: Content-Encoding gzip
// of "a.zst". The start of each layer is decoded to see whether the next is there.
//
// An unknown explicit name is an error that lists the known ones. A format that
// is recognised and has no decoder in r is an [*Error] of [ErrUnsupported] beside
// a Detection that names it.
func (r *Registry) Detect(head []byte, final bool, h Hints) (Detection, error) {
	byKey, rest := r.byKey(h.Key)
	d := Detection{Extension: rest}
	claims := append(r.byEncoding(h.ContentEncoding), byKey...)
	yes, more := r.byMagic(head, final)

	if h.Codec != "" {
		if _, ok := r.Lookup(h.Codec); !ok {
			return d, fmt.Errorf("codec: unknown codec %q; known are %s", h.Codec, strings.Join(r.names(), ", "))
		}
		d.Codec, d.Evidence = h.Codec, ByChoice
		if yes != "" && yes != h.Codec {
			d.Conflicts = append(d.Conflicts, string(ByMagic)+" says "+yes)
		}
		d.conflict(claims, h.Codec)
		return d, nil
	}

	name, by, claims := r.outermost(head, yes, more, claims, &d)
	d.Codec, d.Evidence = name, by
	if name == "none" {
		return d, nil
	}
	r.inner(head, claims, &d)
	for _, n := range append([]string{d.Codec}, d.Inner...) {
		if _, ok := r.Lookup(n); !ok {
			return d, &Error{Codec: n, Err: fmt.Errorf("%w: no decoder for this format", ErrUnsupported)}
		}
	}
	return d, nil
}

// conflict adds the first claim of each kind unless it names codec.
func (d *Detection) conflict(claims []claim, codec string) {
	var by Evidence
	for _, c := range claims {
		if c.by != by && !c.has(codec) {
			d.Conflicts = append(d.Conflicts, c.String())
		}
		by = c.by
	}
}

// outermost chooses the codec that meets the stored bytes and returns the claims
// that are left for what lies under it.
func (r *Registry) outermost(head []byte, yes string, more []string, claims []claim, d *Detection) (string, Evidence, []claim) {
	if yes == "" && skippableMagic(head) == Yes {
		// zstd and lz4 share skippable frames, and head ends among them.
		yes = "zstd"
		if len(claims) > 0 && claims[0].has("lz4") {
			yes = "lz4"
		}
	}
	left := claims
	for i, c := range claims {
		name := c.names[0]
		if len(c.names) > 1 && !zlibHeader(head) {
			name = c.names[1]
		}
		switch {
		case yes != "" && c.has(yes):
			return yes, ByMagic, claims[i+1:]
		case yes != "":
		case slices.Contains(more, name), len(head) > 0 && r.knows(name) && !r.hasMagic(name):
			return name, c.by, claims[i+1:]
		}
		if i == 0 || claims[i-1].by != c.by {
			d.Conflicts = append(d.Conflicts, c.String())
		}
		left = claims[i+1:]
	}
	switch {
	case yes != "":
		return yes, ByMagic, left
	case len(d.Conflicts) > 0:
		return "none", ByMagic, left
	}
	return "none", ByDefault, left
}

// inner adds the layers under the outermost that the claims name and that are
// there.
func (r *Registry) inner(head []byte, claims []claim, d *Detection) {
	above := d.Codec
	for _, c := range claims {
		if len(d.Inner)+1 == MaxLayers {
			d.Conflicts = append(d.Conflicts, c.String())
			continue
		}
		data := r.peel(head, d)
		yes, _ := r.byMagic(data, false)
		name := c.names[0]
		if len(c.names) > 1 && !zlibHeader(data) {
			name = c.names[1]
		}
		switch {
		case len(data) > 0 && c.has(yes):
			name = yes
		case r.knows(name) && !r.hasMagic(name), len(data) == 0 && name != above:
			// It cannot be told and is believed.
		case name == above:
			// Name and header speak of the same layer.
			continue
		default:
			d.Conflicts = append(d.Conflicts, c.String())
			continue
		}
		d.Inner = append(d.Inner, name)
		above = name
	}
}

// peel decodes the start of head through the layers of d, as far as it goes.
func (r *Registry) peel(head []byte, d *Detection) []byte {
	dec, err := r.Open(bytes.NewReader(head), *d, &Options{MaxWindow: peelWindow})
	if err != nil {
		return nil
	}
	defer dec.Close()
	data := make([]byte, 512)
	n, _ := io.ReadFull(dec, data)
	return data[:n]
}

// peelWindow is the largest window that detection allocates.
const peelWindow = 8 << 20
