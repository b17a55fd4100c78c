package corpus

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// ZstdWithDictionary is a zstd object that holds the dictionary of its frames in
// the first one, which is skippable, as .warc.zst files do. Each part is a frame.
func ZstdWithDictionary(parts ...[]byte) ([]byte, error) {
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: 7, Contents: [][]byte{NDJSONBytes(2, 20), NDJSONBytes(3, 20)}, History: NDJSONBytes(1, 20), Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out := []byte("\x5d\x2a\x4d\x18")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(dict)))
	out = append(out, dict...)
	for _, part := range parts {
		out = w.EncodeAll(part, out)
	}
	return out, nil
}
