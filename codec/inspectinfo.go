package codec

// Info is what [Inspect] found out about an object. Sizes and offsets are in bytes; -1 is an
// unknown one.
type Info struct {
	// Size is how many stored bytes the object has.
	Size int64 `json:"size"`

	// Detection says how it is encoded.
	Detection Detection `json:"detection"`

	// Layers are its codecs, outermost first: one, unless encodings are nested.
	Layers []Layer `json:"layers"`

	// Variants name the kind of the format: "bgzf", "multi-member", "seekable", "pzstd",
	// "legacy", "linked blocks" and others.
	Variants []string `json:"variants,omitempty"`

	// How says what the figures below come from, in words: "headers of frames and blocks",
	// "index and headers of blocks", "headers, then decoding".
	How string `json:"how"`

	// Members are the members of the outermost layer, in order: members of gzip and lzip,
	// frames of zstd and lz4, streams of other formats.
	Members Parts `json:"members"`

	// Blocks are what members consist of, where headers show them.
	Blocks Parts `json:"blocks"`

	// Skipped are skippable frames and chunks, which have no data.
	Skipped Parts `json:"skipped"`

	// Units can be decoded side by side, see Codec.Split.
	Units Parts `json:"units"`

	// Restart names the places at which decoding can begin: "any byte", "frame", "block", or
	// "point" for a custom codec. Empty: only the start.
	Restart string `json:"restart,omitempty"`

	// Declared is the decoded size that headers, trailers and indexes state.
	Declared int64 `json:"declared"`

	// Decoded is the size that decoding gave, through all layers. -1 without
	// InspectOptions.Decode.
	Decoded int64 `json:"decoded"`

	// Window is the most history that a part seen so far may refer to: what
	// Options.MaxWindow must allow.
	Window int64 `json:"window"`

	// Memory is what this package's Decoders of all layers allocate at most.
	Memory int64 `json:"memory"`

	// Claimed is the largest window that a header states, where no part can use so much. 0
	// where Window is as large.
	Claimed int64 `json:"claimed,omitempty"`

	// Checksums are the kinds that are present: "crc32", "xxh64" and others.
	Checksums []string `json:"checksums,omitempty"`

	// Dictionaries are the ids that parts refer to.
	Dictionaries []uint32 `json:"dictionaries,omitempty"`

	// Notes are other things that headers say, in words.
	Notes []string `json:"notes,omitempty"`

	// Unknown lists what Inspect could not find out, with the reason, in words.
	Unknown []string `json:"unknown,omitempty"`

	// Read is how many stored bytes Inspect read, and Requests in how many pieces.
	Read     int64 `json:"read"`
	Requests int64 `json:"requests"`
}

// Layer is one of the codecs that an object is nested in.
type Layer struct {
	Codec  string `json:"codec"`  // its name
	Window int64  `json:"window"` // bytes, as the layer's first header states, or the largest seen
	Memory int64  `json:"memory"` // bytes that this package's Decoder allocates
}

// Parts is a list of which the beginning is kept.
type Parts struct {
	Count   int64  `json:"count"`             // how many there are; -1 unknown
	Largest int64  `json:"largest,omitempty"` // stored bytes of the largest
	First   []Part `json:"first,omitempty"`   // the first InspectOptions.List, in order
}

// Part is a member, a block, a skippable frame or a unit.
type Part struct {
	Kind       string `json:"kind,omitempty"`       // what the format calls it: "frame"; empty for a unit
	Offset     int64  `json:"offset"`               // stored offset in the object
	Size       int64  `json:"size"`                 // stored bytes, headers and trailers included; -1 unknown
	Decoded    int64  `json:"decoded"`              // decoded bytes, as declared or as decoding gave; -1 unknown
	Window     int64  `json:"window,omitempty"`     // bytes of history that it may refer to
	Blocks     int64  `json:"blocks,omitempty"`     // how many it consists of, where headers show them
	Checksum   string `json:"checksum,omitempty"`   // what verifies its data
	Dictionary uint32 `json:"dictionary,omitempty"` // id; 0 where none is stated
}

// add counts p and keeps it if fewer than most are kept.
func (l *Parts) add(p *Part, most int) {
	if l.Count < 0 {
		l.Count = 0
	}
	l.Count++
	l.Largest = max(l.Largest, p.Size)
	if len(l.First) < most {
		l.First = append(l.First, *p)
	}
}

// once appends v to list unless it is there, or most are.
func once[T comparable](list []T, v T, most int) []T {
	if len(list) == most {
		return list
	}
	for _, have := range list {
		if have == v {
			return list
		}
	}
	return append(list, v)
}
