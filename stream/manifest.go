package stream

import (
	"encoding/json"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
)

// Manifest is what a job saves to go on from: where its source stands, which
// objects before that place are unfinished, and what became of the others. Its
// size grows with the lanes and the kept failures, not with the objects.
// In the repository, docs/manifest.md describes the format.
type Manifest struct {
	Format      int       `json:"format"` // 3
	Job         JobID     `json:"job"`
	Saved       time.Time `json:"saved"`
	Runs        int       `json:"runs"`         // how many runs have loaded or begun it
	ListingDone bool      `json:"listing_done"` // the source was read to its end
	Ended       bool      `json:"ended"`        // and nothing is left to do
	Ordinal     int64     `json:"ordinal"`      // objects taken from the source
	Key         string    `json:"key"`          // the last of them

	// Open are objects taken and not finished, in source order.
	Open []ManifestEntry `json:"open"`

	// Pending are the objects that are done and that [Options.After] has not acted
	// upon yet, in source order.
	Pending []PendingObject `json:"pending,omitempty"`

	// Follow is what a job with [Options.Follow] knows of its listings; nil for others.
	Follow *ManifestFollow `json:"follow,omitempty"`

	// Counts are those of all runs so far.
	Counts Counts `json:"counts"`

	// Failures are the first objects and records left out, at most 1,000 and at
	// most 1 MiB in JSON.
	Failures []QuarantineEntry `json:"failures,omitempty"`

	// Unknown are the fields that this version does not know, by name. A job that
	// continues a manifest saves them again.
	Unknown map[string]json.RawMessage `json:"-"`
}

// JobID identifies a job. A manifest of another job is refused.
type JobID struct {
	Source string `json:"source"`           // name, shard included
	Frame  string `json:"frame"`            // as chosen by option; empty for by extension
	Codec  string `json:"codec"`            // as chosen by option; empty for detected
	Output string `json:"output"`           // Options.Output
	Follow bool   `json:"follow,omitempty"` // Options.Follow is set
}

// ManifestEntry is an unfinished object and how far it is delivered.
type ManifestEntry struct {
	Ordinal int64  `json:"ordinal"`
	Key     string `json:"key"`
	Size    int64  `json:"size_bytes"` // -1 when not known
	Version string `json:"version,omitempty"`

	Record  int64 `json:"record"`             // index of the first record not delivered
	Decoded int64 `json:"decoded_offset"`     // its decoded offset
	LeftOut int64 `json:"left_out,omitempty"` // records before it that were left out or shortened

	// Codec, PointStored, PointDecoded and CodecState tell where decoding
	// begins again; without them it begins at 0 and skips.
	Codec        string `json:"codec,omitempty"`
	PointStored  int64  `json:"point_stored_offset,omitempty"`
	PointDecoded int64  `json:"point_decoded_offset,omitempty"`
	CodecState   []byte `json:"codec_state,omitempty"`
	CodecMemory  int64  `json:"codec_memory_bytes,omitempty"` // beyond a lane's floor, in bytes

	Framer     string `json:"framer,omitempty"`
	FrameState []byte `json:"frame_state,omitempty"`

	// Unknown are the fields that this version does not know, by name. A job saves
	// them again until it moves the position of the object, which they may describe.
	Unknown map[string]json.RawMessage `json:"-"`
}

// entryAt makes the entry of an object delivered up to p.
func entryAt(ordinal int64, obj blob.Object, p savepoint) ManifestEntry {
	return ManifestEntry{
		Ordinal: ordinal, Key: obj.Key, Size: obj.Size, Version: obj.Version,
		Record: p.record, Decoded: p.decoded,
		Codec: p.codec, PointStored: p.point.Stored, PointDecoded: p.point.Decoded, CodecState: p.point.State, CodecMemory: p.memory,
		Framer: p.framer, FrameState: p.state,
	}
}

// savepoint returns where the entry's object continues, nil for its start.
func (e *ManifestEntry) savepoint() *savepoint {
	if e.Record == 0 && e.Decoded == 0 {
		return nil
	}
	return &savepoint{
		record: e.Record, decoded: e.Decoded, codec: e.Codec, memory: e.CodecMemory, framer: e.Framer, state: e.FrameState,
		point: codec.Point{Stored: e.PointStored, Decoded: e.PointDecoded, State: e.CodecState},
	}
}

func (e *ManifestEntry) object() blob.Object {
	return blob.Object{Key: e.Key, Size: e.Size, Version: e.Version}
}
