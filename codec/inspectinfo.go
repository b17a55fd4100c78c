package codec

// Info is what [Inspect] found out about an object. All sizes, offsets and windows are in
// bytes. -1 means not known.
type Info struct {
	// Size is how many stored bytes the object has.
	Size int64 `json:"size_bytes"`

	// Detection says how the object is compressed.
	Detection Detection `json:"detection"`

	// Layers describes each layer, the outermost first.
	Layers []Layer `json:"layers"`

	// Variants name the variants of the format that the object uses: "bgzf", "seekable",
	// "pzstd", "legacy", "linked blocks" and others. An object of several members has
	// "multi-" with the name of a member, such as "multi-frame".
	Variants []string `json:"variants,omitempty"`

	// How says, in words, where the figures below come from: "headers of frames and blocks",
	// "index and headers of blocks", "headers, then decoding".
	How string `json:"how"`

	// Members lists the members of the outermost layer that end, in order. Blocks of one
	// that does not are among Blocks all the same.
	Members Parts `json:"members"`

	// Blocks lists the blocks of the members, as far as headers show them.
	Blocks Parts `json:"blocks"`

	// Skipped lists frames and chunks without data, which a Decoder skips.
	Skipped Parts `json:"skipped"`

	// Units lists the parts that can be decoded side by side. See Codec.Split.
	Units Parts `json:"units"`

	// Restart says where restart points lie: at each "frame", "block", "member", at "any
	// byte", or at a "point" of a custom codec. Empty means that there are none but the start.
	Restart string `json:"restart,omitempty"`

	// Declared is the decoded size that headers, trailers and indexes state.
	Declared int64 `json:"declared_bytes"`

	// Decoded is the decoded size that decoding gave, through all layers. It is -1 without
	// InspectOptions.Decode.
	Decoded int64 `json:"decoded_bytes"`

	// Window is the largest window that was found: Options.MaxWindow must be at least so much.
	Window int64 `json:"window_bytes"`

	// Memory is the most memory that the Decoders of all layers take together.
	Memory int64 `json:"memory_bytes"`

	// Claimed is the largest window that a header states, if it is larger than Window: the
	// data is shorter than that.
	Claimed int64 `json:"claimed_bytes,omitempty"`

	// Checksums names the kinds of checksums that the object has: "crc32", "xxh64" and others.
	Checksums []string `json:"checksums,omitempty"`

	// Dictionaries has the ids of the dictionaries that the object needs.
	Dictionaries []uint32 `json:"dictionaries,omitempty"`

	// Notes say, in words, what else headers show.
	Notes []string `json:"notes,omitempty"`

	// Unknown says, in words, what Inspect could not find out, and why.
	Unknown []string `json:"unknown,omitempty"`

	// Read is how many stored bytes Inspect read, and Requests by how many calls of ReadAt.
	Read     int64 `json:"read_bytes"`
	Requests int64 `json:"requests"`
}

// Layer describes one of the layers of an object.
type Layer struct {
	Codec  string `json:"codec"`        // name of the codec
	Window int64  `json:"window_bytes"` // window that the first header states, or the largest seen
	Memory int64  `json:"memory_bytes"` // memory that the Decoder takes, in bytes
}

// Parts is a list of parts of an object, of which the first ones are kept.
type Parts struct {
	Count   int64  `json:"count"`                   // how many there are; -1: not known
	Largest int64  `json:"largest_bytes,omitempty"` // stored bytes of the largest
	First   []Part `json:"first,omitempty"`         // the first ones in order, at most InspectOptions.List
}

// Part describes a member, a block, a unit, or a run of bytes without data.
type Part struct {
	Kind       string `json:"kind,omitempty"`         // what the format calls it: "frame"; empty for a unit
	Offset     int64  `json:"stored_offset"`          // stored offset at which it begins
	Size       int64  `json:"size_bytes"`             // stored bytes, with header and trailer; -1: not known
	Decoded    int64  `json:"decoded_bytes"`          // decoded bytes, as stated or as decoding gave; -1: not known
	Window     int64  `json:"window_bytes,omitempty"` // its window, in bytes
	Blocks     int64  `json:"blocks,omitempty"`       // how many blocks it has, as far as headers show them
	Checksum   string `json:"checksum,omitempty"`     // kind of the checksum of its data
	Dictionary uint32 `json:"dictionary,omitempty"`   // id of the dictionary that it needs; 0: none is stated
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
