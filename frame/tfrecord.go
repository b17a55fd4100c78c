package frame

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// tfHeader and tfFooter are the bytes before and after a TFRecord's data.
const (
	tfHeader = 12 // length and its checksum
	tfFooter = 4  // checksum of the data
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tfrecord is TensorFlow's format
// (https://www.tensorflow.org/tutorials/load_data/tfrecord): length, its masked
// CRC-32C, data, its masked CRC-32C, little endian. Both checksums are verified.
//
// A bad checksum of the length is [ErrRecord] and [ErrNoResync]; one of the data
// is ErrRecord, and the next record follows it. A final partial record is
// io.ErrUnexpectedEOF.
func tfrecord() Framer {
	return Framer{
		Name:       "tfrecord",
		Extensions: []string{".tfrecord", ".tfrecords"},
		New: func(opts *Options) (Scanner, error) {
			s := newSized("tfrecord", opts, tfSize)
			s.check = tfCheck
			return s, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			if len(raw) < tfHeader {
				return nil
			}
			data := raw[tfHeader:]
			return data[:min(binary.LittleEndian.Uint64(raw), uint64(len(data)))]
		},
	}
}

func tfSize(b []byte) (uint64, error) {
	if len(b) < tfHeader {
		return 0, nil
	}
	if got, want := tfMask(b[:8]), binary.LittleEndian.Uint32(b[8:]); got != want {
		return 0, fmt.Errorf("%w: checksum of the length is %08x, want %08x: %w", ErrRecord, got, want, ErrNoResync)
	}
	n := binary.LittleEndian.Uint64(b)
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%w: length of %d: %w", ErrRecord, n, ErrNoResync)
	}
	return tfHeader + n + tfFooter, nil
}

func tfCheck(raw []byte) error {
	data, footer := raw[tfHeader:len(raw)-tfFooter], raw[len(raw)-tfFooter:]
	if got, want := tfMask(data), binary.LittleEndian.Uint32(footer); got != want {
		return fmt.Errorf("%w: checksum of the data is %08x, want %08x", ErrRecord, got, want)
	}
	return nil
}

// tfMask is TensorFlow's masked CRC-32C.
func tfMask(b []byte) uint32 {
	crc := crc32.Checksum(b, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}
