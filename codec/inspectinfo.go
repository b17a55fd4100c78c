package codec

// Info is what [Inspect] found out about an object. Sizes and offsets are in
// bytes; -1 is one that is not known.
type Info struct {
	Size      int64     `json:"size"` // stored bytes
	Detection Detection `json:"detection"`
	Layers    []Layer   `json:"layers"` // outermost first; one unless encodings are nested

	// Variants name the kind of the format: "bgzf", "multi-member", "seekable",
	// "pzstd", "legacy", "linked blocks" and others.
	Variants []string `json:"variants,omitempty"`

	// How says what the figures below rest on, such as "headers of frames and
	// blocks", "seek table and headers of frames" or "decoding".
	How string `json:"how"`

	// Members are what the outermost codec decodes one behind the other:
	// members of gzip and lzip, frames of zstd and lz4, streams of others. Blocks
	// are what they consist of, where headers tell. Skipped are skippable frames
	// and chunks. Units decode on their own, see Codec.Split.
	Members Parts `json:"members"`
	Blocks  Parts `json:"blocks"`
	Skipped Parts `json:"skipped"`
	Units   Parts `json:"units"`

	// Restart says where decoding can begin again: "any byte", "frame", "block",
	// "point" for a codec of one's own; empty for nowhere but the start.
	Restart string `json:"restart,omitempty"`

	// Declared is the decoded size that headers, trailers and indexes state.
	// Decoded is the one that decoding gave, through all layers.
	Declared int64 `json:"declared"`
	Decoded  int64 `json:"decoded"`

	// Window is the most history that a part may refer to, as far as parts were
	// seen: what Options.MaxWindow must allow. Memory is what this package's
	// readers of all layers allocate at most. Claimed is the largest window that
	// a header states, where no part can use so much.
	Window  int64 `json:"window"`
	Memory  int64 `json:"memory"`
	Claimed int64 `json:"claimed,omitempty"`

	Checksums    []string `json:"checksums,omitempty"` // kinds that are present: "crc32", "xxh64"
	Dictionaries []uint32 `json:"dictionaries,omitempty"`
	Notes        []string `json:"notes,omitempty"` // of what headers tell beside

	// Unknown lists what could not be told, with the reason.
	Unknown []string `json:"unknown,omitempty"`

	// Read is how many stored bytes were read, in how many Requests.
	Read     int64 `json:"read"`
	Requests int64 `json:"requests"`
}

// Layer is one of the codecs that an object is nested in.
type Layer struct {
	Codec  string `json:"codec"`
	Window int64  `json:"window"` // as the head of the layer states
	Memory int64  `json:"memory"` // of this package's reader
}

// Parts is a list of which the beginning is kept.
type Parts struct {
	Count   int64  `json:"count"`             // how many there are; -1 unknown
	Largest int64  `json:"largest,omitempty"` // stored bytes of the largest
	First   []Part `json:"first,omitempty"`   // the first ones, in order
}

// Part is a member, frame, stream, block, chunk or unit.
type Part struct {
	Kind       string `json:"kind,omitempty"`
	Offset     int64  `json:"offset"`               // of the stored object
	Size       int64  `json:"size"`                 // stored bytes, headers and trailers included; -1 unknown
	Decoded    int64  `json:"decoded"`              // as declared, or as decoding gave; -1 unknown
	Window     int64  `json:"window,omitempty"`     // history that it can refer to
	Blocks     int64  `json:"blocks,omitempty"`     // how many it consists of, where headers tell
	Checksum   string `json:"checksum,omitempty"`   // what its data is verified by
	Dictionary uint32 `json:"dictionary,omitempty"` // id; 0 none stated
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
