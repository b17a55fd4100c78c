package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/limits"
)

// manifestFormat is the format that is written, and the only one that is read.
const manifestFormat = 3

// The last line but one of a manifest is the SHA-256 of all lines before it, as in
//
//	head -n -2 manifest.json | sha256sum
const (
	sumField = "sha256"
	sumStart = ` "` + sumField + `": "`
	sumEnd   = "\"\n}\n"
	sumLen   = len(sumStart) + 2*sha256.Size + len(sumEnd)
)

// Encode returns the manifest as a Checkpoint keeps it, with its checksum.
func (m *Manifest) Encode() ([]byte, error) {
	c := *m
	c.Format = manifestFormat
	if c.Open == nil {
		c.Open = []ManifestEntry{}
	}
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return nil, fmt.Errorf("stream: manifest: %w", err)
	}
	data = append(bytes.TrimSuffix(data, []byte("\n}")), ",\n"...)
	return append(data, sumStart+sumOf(data)+sumEnd...), nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ParseManifest reads a saved manifest, with the mark of [BlobCheckpoint] or without.
// One of another format is blob.ErrUnsupported; one in which a byte has changed or
// a number makes no sense is [ErrManifest].
func ParseManifest(data []byte) (*Manifest, error) {
	m, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return m, nil
}

// parseManifest is ParseManifest, for errors that say more around it.
func parseManifest(data []byte) (*Manifest, error) {
	text := bytes.TrimRight(data, " \t\n")
	n := len(text) + 1 // with its last line end
	if n > len(data) || n < sumLen || data[n-1] != '\n' {
		return nil, noManifest(data)
	}
	body, sum := data[:n-sumLen], string(data[n-sumLen:n])
	if sum[:len(sumStart)] != sumStart || sum[sumLen-len(sumEnd):] != sumEnd {
		return nil, noManifest(data)
	}
	if sum != sumStart+sumOf(body)+sumEnd {
		return nil, fmt.Errorf("%w: its checksum does not match", ErrManifest)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if m.Format != manifestFormat {
		return nil, otherFormat(m.Format)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return &m, nil
}

// noManifest is the error of data without a checksum at its end.
func noManifest(data []byte) error {
	var other struct {
		Format *int `json:"format"`
	}
	if json.Unmarshal(data, &other) == nil && other.Format != nil && *other.Format != manifestFormat {
		return otherFormat(*other.Format)
	}
	return fmt.Errorf("%w: there is no checksum at its end", ErrManifest)
}

func otherFormat(n int) error {
	return fmt.Errorf("manifest: %w: format %d, known is %d", blob.ErrUnsupported, n, manifestFormat)
}

const (
	maxOffset = 1 << 62 // of an object and of what it decodes to, and for record indices
	maxHeld   = 1 << 40 // memory of one decoder
)

// check looks at every number by which something is placed or sized.
func (m *Manifest) check() error {
	if m.Runs < 0 || m.Ordinal < 0 {
		return fmt.Errorf("runs %d, ordinal %d", m.Runs, m.Ordinal)
	}
	if m.Follow != nil {
		if err := m.Follow.check(); err != nil {
			return err
		}
	}
	last := int64(0)
	for i := range m.Open {
		e := &m.Open[i]
		if e.Ordinal <= last || e.Ordinal > m.Ordinal {
			return fmt.Errorf("object %q: ordinal %d of %d, after %d", e.Key, e.Ordinal, m.Ordinal, last)
		}
		last = e.Ordinal
		for _, n := range []struct {
			name      string
			n         int64
			low, high int64
		}{
			{"size", e.Size, -1, maxOffset},
			{"record", e.Record, 0, maxOffset},
			{"decoded", e.Decoded, 0, maxOffset},
			{"point_decoded", e.PointDecoded, 0, e.Decoded},
			{"point_stored", e.PointStored, 0, maxOffset},
			{"left_out", e.LeftOut, 0, maxOffset},
			{"codec_memory", e.CodecMemory, 0, maxHeld},
			{"length of codec_state", int64(len(e.CodecState)), 0, limits.State},
		} {
			if n.n < n.low || n.n > n.high {
				return fmt.Errorf("object %q: %s %d, not within %d and %d", e.Key, n.name, n.n, n.low, n.high)
			}
		}
		if e.Size >= 0 && e.PointStored > e.Size {
			return fmt.Errorf("object %q: point_stored %d, its size is %d", e.Key, e.PointStored, e.Size)
		}
	}
	last = 0
	for i := range m.Pending {
		if err := m.Pending[i].check(last, m.Ordinal); err != nil {
			return err
		}
		last = m.Pending[i].Ordinal
	}
	return nil
}
