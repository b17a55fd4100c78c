package codec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/limits"
)

// Evidence is why a codec was chosen.
type Evidence string

// The kinds of evidence, the strongest first.
const (
	ByChoice    Evidence = "explicit"         // Hints.Codec
	ByMagic     Evidence = "magic"            // the first bytes
	ByEncoding  Evidence = "content-encoding" // Hints.ContentEncoding
	ByExtension Evidence = "extension"        // Hints.Key
	ByDefault   Evidence = "default"          // there is none: plain data
)

// None is the name of the codec of plain data.
const None = "none"

// Hints is what is known about an object apart from its bytes. The zero value is no hint.
type Hints struct {
	// Codec is the explicit choice: the name of a codec, or the names of several layers,
	// outermost first, joined by commas. Empty: detect.
	Codec string

	// Key is the object's name. Its extensions are evidence.
	Key string

	// ContentEncoding is the object's Content-Encoding, as stored. It is evidence.
	ContentEncoding string

	// Stored reads the whole object. Detect uses it only where head ends among the skippable
	// frames that zstd and lz4 share, to find out which of the two follows, and calls it at
	// most 16 times. Nil: what follows is taken for zstd, unless another hint names lz4.
	Stored io.ReaderAt
}

// Detection says how an object is encoded and how that is known.
type Detection struct {
	// Codec is the name of the outermost codec, the one that meets the stored bytes. It is
	// [None] for plain data.
	Codec string `json:"codec"`

	// Evidence is why Codec was chosen.
	Evidence Evidence `json:"evidence"`

	// Inner are the codecs inside Codec, outermost first. Nil for one layer.
	Inner []string `json:"inner,omitempty"`

	// Conflicts are the pieces of evidence for another codec, in words: "extension says
	// gzip". The caller decides whether they matter.
	Conflicts []string `json:"conflicts,omitempty"`

	// Container is the format of decoded data that no framer cuts into records, such as
	// "parquet" or "zip". Detect looks for it in plain data only, [Registry.Examine] in any.
	// Empty where there is no sign of one.
	Container string `json:"container,omitempty"`

	// Notes say, in words, what is doubtful about data that can be read all the same.
	Notes []string `json:"notes,omitempty"`

	// Extension is the last extension of the key without those of codecs: ".csv" of
	// "a.csv.gz". Package frame chooses by it. Empty where there is none.
	Extension string `json:"extension,omitempty"`
}

// Name returns the names of all layers, outermost first, joined by commas: "gzip,zstd".
// Hints.Codec takes it. It is empty where no codec was found.
func (d Detection) Name() string { return strings.Join(d.layers(), ",") }

// layers are the codecs of all layers, outermost first.
func (d Detection) layers() []string { return append([]string{d.Codec}, d.Inner...) }

// Plain reports whether the stored bytes are the data: there is no layer to decode.
func (d Detection) Plain() bool { return d.Codec == None && len(d.Inner) == 0 }

// Detect finds out how an object is encoded from its first bytes and from hints. head is
// its first 4096 bytes, or all of a smaller object; final says that head is the whole
// object.
//
// The order of evidence is fixed: explicit choice, magic, Content-Encoding, extension.
// Content wins over names: plain data under the name "a.gz" is [None], with a conflict. A
// format without magic is believed where a hint names it, and so is one of which head is
// too short to decide. So an empty object is of the codec that a hint names, whose Decoder
// then fails with io.ErrUnexpectedEOF, and None without such a hint.
//
// An object has several layers only where hints say so, such as Content-Encoding gzip for
// "a.zst". Detect decodes the start of each layer to see whether the next is there. A hint
// may name any number of codecs: the outermost 8 of each kind count.
//
// An explicit choice that is not in r is [ErrUnsupported], and one of more than 4 layers
// [ErrLimit]. A format that is recognised but not in r is an [*Error] around ErrUnsupported,
// with a Detection that names it. Errors of Hints.Stored are returned as they are.
func (r *Registry) Detect(head []byte, final bool, h Hints) (Detection, error) {
	byKey, rest := r.byKey(h.Key)
	d := Detection{Extension: rest}
	candidates := append(r.byEncoding(h.ContentEncoding), byKey...)
	yes, more := r.byMagic(head, final)

	if h.Codec != "" {
		err := r.chosen(h.Codec, yes, candidates, &d)
		if d.Plain() {
			r.Examine(&d, head, true)
		}
		return d, err
	}

	if yes == "" && skippableMagic(head) == Matched {
		var err error
		if yes, err = r.pastFrames(head, final, h.Stored, candidates); err != nil {
			return d, err
		}
		if yes == "" {
			d.Conflicts = append(d.Conflicts, "skippable frame says "+sharers()[0])
		}
	}
	name, by, candidates := r.outermost(head, yes, more, candidates, &d)
	d.Codec, d.Evidence = name, by
	if name == None {
		r.Examine(&d, head, true)
		return d, nil
	}
	r.inner(head, candidates, &d)
	for _, n := range d.layers() {
		if _, ok := r.find(n); !ok {
			return d, &Error{Codec: n, Err: fmt.Errorf("%w: no decoder for this format", ErrUnsupported)}
		}
	}
	return d, nil
}

// DetectInput is [Registry.Detect] for the bytes that in reads next. It consumes none of
// them. A buffer of less than 4 KiB is too small to see all that Detect wants. An error of
// the source is returned as it is.
func (r *Registry) DetectInput(in *Input, h Hints) (Detection, error) {
	head, err := in.Peek(limits.Head)
	if err != nil && err != io.EOF {
		return Detection{}, err
	}
	return r.Detect(head, err == io.EOF, h)
}

// chosen fills d with an explicit choice.
func (r *Registry) chosen(choice, magic string, candidates []candidate, d *Detection) error {
	names := strings.Split(choice, ",")
	if len(names) > limits.Layers {
		return &Error{Codec: names[0], Err: &LimitError{What: "layers", Needed: int64(len(names)), Allowed: limits.Layers}}
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if _, err := r.Lookup(names[i]); err != nil {
			return err
		}
	}
	d.Codec, d.Evidence = names[0], ByChoice
	if len(names) > 1 {
		d.Inner = names[1:]
	}
	if magic != "" && magic != d.Codec {
		d.Conflicts = append(d.Conflicts, string(ByMagic)+" says "+magic)
	}
	d.conflict(candidates, names)
	return nil
}

// conflict adds the first candidate of each kind unless it names one of codecs.
func (d *Detection) conflict(candidates []candidate, codecs []string) {
	var by Evidence
	for _, c := range candidates {
		if c.by != by && !slices.ContainsFunc(codecs, c.has) {
			d.Conflicts = append(d.Conflicts, c.String())
		}
		by = c.by
	}
}

// outermost chooses the codec that meets the stored bytes and returns the candidates
// that are left for what lies under it.
func (r *Registry) outermost(head []byte, yes string, more []string, candidates []candidate, d *Detection) (string, Evidence, []candidate) {
	left := candidates
	for i, c := range candidates {
		name := c.name(head)
		switch {
		case yes != "" && c.has(yes):
			return yes, ByMagic, candidates[i+1:]
		case yes != "":
		case slices.Contains(more, name), len(head) == 0 && r.knows(name), r.knows(name) && !r.hasMagic(name):
			return name, c.by, candidates[i+1:]
		}
		if i == 0 || candidates[i-1].by != c.by {
			d.Conflicts = append(d.Conflicts, c.String())
		}
		left = candidates[i+1:]
	}
	switch {
	case yes != "":
		return yes, ByMagic, left
	case len(d.Conflicts) > 0:
		return None, ByMagic, left
	}
	return None, ByDefault, left
}

// inner adds the layers under the outermost that the candidates name and that are
// there.
func (r *Registry) inner(head []byte, candidates []candidate, d *Detection) {
	above := d.Codec
	var data []byte
	decodedLayers := -1 // how many layers under the outermost data is without
	for _, c := range candidates {
		if len(d.Inner)+1 == limits.Layers {
			d.Conflicts = append(d.Conflicts, c.String())
			continue
		}
		if decodedLayers < len(d.Inner) {
			data, decodedLayers = r.decodeStart(head, d), len(d.Inner)
		}
		yes, _ := r.byMagic(data, false)
		if yes == "" && skippableMagic(data) == Matched {
			yes, _ = r.pastFrames(data, false, nil, []candidate{c})
		}
		name := c.name(data)
		switch {
		case len(data) > 0 && c.has(yes):
			name = yes
		case r.knows(name) && !r.hasMagic(name), len(data) == 0 && name != above:
			// The bytes do not decide, and the hint is believed.
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

// decodeStart decodes the start of head through the layers of d, as far as it goes.
func (r *Registry) decodeStart(head []byte, d *Detection) []byte {
	if len(head) == 0 {
		return nil
	}
	dec, err := r.Open(bytes.NewReader(head), *d, &Options{MaxWindow: startWindow})
	if err != nil {
		return nil
	}
	defer dec.Close()
	data := make([]byte, 512)
	n, _ := io.ReadFull(dec, data)
	return data[:n]
}

// startWindow is the largest window that detection allocates.
const startWindow = 8 << 20
