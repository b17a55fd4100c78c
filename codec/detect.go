package codec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/limits"
)

// Evidence is why a codec was chosen, strongest first.
type Evidence string

const (
	ByChoice    Evidence = "explicit"
	ByMagic     Evidence = "magic"
	ByEncoding  Evidence = "content-encoding"
	ByExtension Evidence = "extension"
	ByDefault   Evidence = "default" // nothing spoke for a codec: none
)

// None is the name of the codec of plain data.
const None = "none"

// Hints is what is known of an object beside its bytes.
type Hints struct {
	// Codec is the explicit choice: a name, or the names of several layers,
	// outermost first, joined by commas. Empty means detect.
	Codec string

	Key             string // the object's name
	ContentEncoding string // as stored

	// Stored is the whole object. Detect reads from it only where head ends
	// among the skippable frames that zstd and lz4 share, at most 16 times, to
	// see which of the two the frame after them is of. Nil: head is all there
	// is, and zstd is assumed unless another hint names lz4.
	Stored io.ReaderAt
}

// Detection says how an object is encoded and how that is known.
type Detection struct {
	// Codec is the name of the outermost codec: the one that meets the stored
	// bytes. [None] for plain data.
	Codec    string   `json:"codec"`
	Evidence Evidence `json:"evidence"`

	// Inner are the codecs under Codec, outermost first. Nil for one layer.
	Inner []string `json:"inner,omitempty"`

	// Conflicts are the pieces of evidence that spoke for another codec, such
	// as "extension says gzip".
	Conflicts []string `json:"conflicts,omitempty"`

	// Container names the format of decoded data that holds records in a way that
	// no framer cuts, such as "parquet" or "zip". Empty where there is no sign of
	// one. Detect looks at plain data alone, see [Registry.Examine].
	Container string `json:"container,omitempty"`

	// Notes say what is doubtful, or may not be what was meant, about data that is
	// delivered all the same.
	Notes []string `json:"notes,omitempty"`

	// Extension is what is left of the key's extension once those of the
	// codecs are taken off: ".csv" of "a.csv.gz". It chooses the framer.
	Extension string `json:"extension,omitempty"`
}

// Name returns the names of all layers, outermost first, joined by commas: "gzip,zstd".
// [Hints] takes it as Codec. It is empty where no codec was found.
func (d Detection) Name() string { return strings.Join(d.layers(), ",") }

// layers are the codecs of all layers, outermost first.
func (d Detection) layers() []string { return append([]string{d.Codec}, d.Inner...) }

// Plain reports whether the stored bytes are the data: there is no layer to decode.
func (d Detection) Plain() bool { return d.Codec == None && len(d.Inner) == 0 }

// Detect tells the encoding of an object from its first bytes and from hints.
// head is the first 4096 bytes; final says that it is the whole object.
//
// The order is fixed: explicit choice, magic, Content-Encoding, extension. What
// speaks for another codec than the one chosen is in Conflicts; the caller decides
// whether it matters. Content wins over names: plain data under the name "a.gz"
// is "none", with a conflict. Formats without magic are believed where a hint
// names them, and so is a format whose magic head is too short to tell. So an empty
// object is of the codec that a hint names, whose Decoder fails with
// io.ErrUnexpectedEOF, and "none" without such a hint.
//
// An object may have several layers when the hints say so: Content-Encoding gzip
// of "a.zst". The start of each layer is decoded to see whether the next is there.
//
// An unknown explicit name is an [ErrUnsupported] that lists the known ones, and
// more than 4 names are [ErrLimit]. A format that is recognised and has no
// decoder in r is an [*Error] of ErrUnsupported beside a Detection that names it.
// Errors of Hints.Stored are returned as they are.
//
// A hint may name any number of codecs: the outermost 8 of each kind count, and the
// start of each layer is decoded once.
func (r *Registry) Detect(head []byte, final bool, h Hints) (Detection, error) {
	byKey, rest := r.byKey(h.Key)
	d := Detection{Extension: rest}
	claims := append(r.byEncoding(h.ContentEncoding), byKey...)
	yes, more := r.byMagic(head, final)

	if h.Codec != "" {
		err := r.chosen(h.Codec, yes, claims, &d)
		if d.Plain() {
			r.Examine(&d, head, true)
		}
		return d, err
	}

	if yes == "" && skippableMagic(head) == Matched {
		var err error
		if yes, err = r.pastFrames(head, final, h.Stored, claims); err != nil {
			return d, err
		}
		if yes == "" {
			d.Conflicts = append(d.Conflicts, "skippable frame says "+sharers()[0])
		}
	}
	name, by, claims := r.outermost(head, yes, more, claims, &d)
	d.Codec, d.Evidence = name, by
	if name == None {
		r.Examine(&d, head, true)
		return d, nil
	}
	r.inner(head, claims, &d)
	for _, n := range d.layers() {
		if _, ok := r.Lookup(n); !ok {
			return d, &Error{Codec: n, Err: fmt.Errorf("%w: no decoder for this format", ErrUnsupported)}
		}
	}
	return d, nil
}

// DetectInput is [Registry.Detect] for what in reads next, which it does not consume. An
// error of the source is returned as it is.
func (r *Registry) DetectInput(in *Input, h Hints) (Detection, error) {
	head, err := in.Peek(limits.Head)
	if err != nil && err != io.EOF {
		return Detection{}, err
	}
	return r.Detect(head, err == io.EOF, h)
}

// chosen fills d with an explicit choice.
func (r *Registry) chosen(choice, magic string, claims []claim, d *Detection) error {
	names := strings.Split(choice, ",")
	if len(names) > limits.Layers {
		return &Error{Codec: names[0], Err: &LimitError{What: "layers", Needed: int64(len(names)), Allowed: limits.Layers}}
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if _, ok := r.Lookup(names[i]); !ok {
			return fmt.Errorf("codec: %w: unknown codec %q; known are %s", ErrUnsupported, names[i], strings.Join(r.names(), ", "))
		}
	}
	d.Codec, d.Evidence = names[0], ByChoice
	if len(names) > 1 {
		d.Inner = names[1:]
	}
	if magic != "" && magic != d.Codec {
		d.Conflicts = append(d.Conflicts, string(ByMagic)+" says "+magic)
	}
	d.conflict(claims, names)
	return nil
}

// conflict adds the first claim of each kind unless it names one of codecs.
func (d *Detection) conflict(claims []claim, codecs []string) {
	var by Evidence
	for _, c := range claims {
		if c.by != by && !slices.ContainsFunc(codecs, c.has) {
			d.Conflicts = append(d.Conflicts, c.String())
		}
		by = c.by
	}
}

// outermost chooses the codec that meets the stored bytes and returns the claims
// that are left for what lies under it.
func (r *Registry) outermost(head []byte, yes string, more []string, claims []claim, d *Detection) (string, Evidence, []claim) {
	left := claims
	for i, c := range claims {
		name := c.name(head)
		switch {
		case yes != "" && c.has(yes):
			return yes, ByMagic, claims[i+1:]
		case yes != "":
		case slices.Contains(more, name), len(head) == 0 && r.knows(name), r.knows(name) && !r.hasMagic(name):
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
		return None, ByMagic, left
	}
	return None, ByDefault, left
}

// inner adds the layers under the outermost that the claims name and that are
// there.
func (r *Registry) inner(head []byte, claims []claim, d *Detection) {
	above := d.Codec
	var data []byte
	peeled := -1 // how many layers under the outermost data is without
	for _, c := range claims {
		if len(d.Inner)+1 == limits.Layers {
			d.Conflicts = append(d.Conflicts, c.String())
			continue
		}
		if peeled < len(d.Inner) {
			data, peeled = r.peel(head, d), len(d.Inner)
		}
		yes, _ := r.byMagic(data, false)
		if yes == "" && skippableMagic(data) == Matched {
			yes, _ = r.pastFrames(data, false, nil, []claim{c})
		}
		name := c.name(data)
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
	if len(head) == 0 {
		return nil
	}
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
