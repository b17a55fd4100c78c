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

// The kinds of evidence. The strongest is first.
const (
	ByChoice    Evidence = "explicit"         // Hints.Codec
	ByMagic     Evidence = "magic"            // the first bytes
	ByEncoding  Evidence = "content-encoding" // Hints.ContentEncoding
	ByExtension Evidence = "extension"        // Hints.Key
	ByDefault   Evidence = "default"          // no evidence of compression: plain data
)

// None is the name of the codec of plain data, which is not compressed.
const None = "none"

// Hints is what is known about an object without its bytes. The zero value is no hint.
type Hints struct {
	// Codec is an explicit choice: the name of a codec, or the names of several layers, the
	// outermost first, joined by commas. Empty means that the codec is to be detected.
	Codec string

	// Key is the object's name. Its extensions are evidence.
	Key string

	// ContentEncoding is the object's Content-Encoding, as stored. It is evidence.
	ContentEncoding string

	// Stored reads the stored bytes at any offset. It is used, at most 16 times, where head
	// has nothing but skippable frames, which zstd and lz4 share: what follows them shows
	// which of the two it is. If Stored is nil, that is zstd, unless another hint says lz4.
	Stored io.ReaderAt
}

// Detection says how an object is compressed and why that is believed.
type Detection struct {
	// Codec is the name of the outermost layer's codec. It is [None] for plain data, and empty
	// if no codec was found.
	Codec string `json:"codec"`

	// Evidence is why Codec was chosen.
	Evidence Evidence `json:"evidence"`

	// Inner are the codecs of the layers inside, the outermost first. Nil means one layer.
	Inner []string `json:"inner,omitempty"`

	// Conflicts are evidence for other codecs, in words: "extension says gzip". They are no
	// errors. The caller decides whether they matter.
	Conflicts []string `json:"conflicts,omitempty"`

	// Container is the format of the decoded data if it must be read through an index and
	// not in order: "parquet", "zip" and others. Detect looks for it in plain data,
	// [Registry.Examine] in decoded data too. Empty means that there is no sign of one.
	Container string `json:"container,omitempty"`

	// Notes say, in words, what is doubtful about an object that can be read.
	Notes []string `json:"notes,omitempty"`

	// Extension is the last extension of Hints.Key before those of codecs: ".csv" for
	// "a.csv.gz". Package frame chooses by it. Empty means that there is none.
	Extension string `json:"extension,omitempty"`
}

// Name returns the names of all layers, the outermost first, joined by commas: "gzip,zstd".
// Hints.Codec accepts it. It is empty if no codec was found.
func (d Detection) Name() string { return strings.Join(d.layers(), ",") }

// layers are the codecs of all layers, outermost first.
func (d Detection) layers() []string { return append([]string{d.Codec}, d.Inner...) }

// Plain reports whether stored and decoded bytes are the same: there is nothing to decode.
func (d Detection) Plain() bool { return d.Codec == None && len(d.Inner) == 0 }

// Detect finds out how an object is compressed. head is its first 4096 bytes, or all of a
// smaller object; final says that head is the whole object.
//
// An explicit choice in Hints.Codec is always followed. Otherwise the first bytes decide, then
// Content-Encoding, then the extension. The first bytes count more than a name: plain data
// called "a.gz" is [None], with a conflict. A hint is believed without proof only if the format
// cannot be recognised by its bytes, or if head is too short for that. So an empty object has
// the codec that a hint names, and its Decoder fails with io.ErrUnexpectedEOF; without a hint
// it is None.
//
// Only hints lead to several layers: for example, Content-Encoding gzip for "a.zst". Detect
// decodes the start of each layer to see whether the next one is there. Hints may name many
// codecs; the outermost 8 of each kind count.
//
// If r does not have the explicit choice, the error is [ErrUnsupported]. A choice of more than
// 4 layers is [ErrLimit]. If r does not have the codec that was found, the error is an [*Error]
// with ErrUnsupported, and the Detection names the codec. Errors of Hints.Stored are returned
// as they are.
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

// DetectInput calls [Registry.Detect] with the next bytes of in, and consumes none of them. The
// buffer of in should have 4 KiB or more; with less, Detect sees too little. An error of the
// source is returned as it is.
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
