package corpus

import (
	"encoding/binary"
	"io"
)

// Binary writes size bytes of mixed kinds in pieces of up to 16 KiB: fixed
// little-endian structures with slowly changing fields, zeros, log text, and
// noise. gzip makes the data two to four times smaller.
func Binary(w io.Writer, seed uint64, size int64) error {
	r, s := newRNG(seed), newSink(w)
	at := epoch
	for left := size; left > 0; {
		start := len(s.buf)
		n := 1024 + r.intn(15<<10)
		switch r.intn(8) {
		case 0, 1:
			s.buf = appendNoise(s.buf, r, n)
		case 2:
			s.buf = append(s.buf, make([]byte, n)...)
		case 3, 4:
			for i := 0; len(s.buf)-start < n; i++ {
				s.buf = appendLogRecord(s.buf, r, seed, i, at)
			}
		default:
			s.buf = appendStructs(s.buf, r, n)
		}
		if int64(len(s.buf)-start) > left {
			s.buf = s.buf[:start+int(left)]
		}
		left -= int64(len(s.buf) - start)
		if err := s.flush(false); err != nil {
			return err
		}
	}
	return s.flush(true)
}

// BinaryBytes is what Binary writes.
func BinaryBytes(seed uint64, size int) []byte {
	return gather(func(w io.Writer) error { return Binary(w, seed, int64(size)) })
}

// Noise writes size random bytes, which no codec makes smaller.
func Noise(w io.Writer, seed uint64, size int64) error {
	r, s := newRNG(seed), newSink(w)
	for left := size; left > 0; {
		n := min(left, chunk)
		s.buf = appendNoise(s.buf, r, int(n))
		left -= n
		if err := s.flush(false); err != nil {
			return err
		}
	}
	return s.flush(true)
}

// NoiseBytes is what Noise writes.
func NoiseBytes(seed uint64, size int) []byte {
	return gather(func(w io.Writer) error { return Noise(w, seed, int64(size)) })
}

func appendNoise(b []byte, r *rng, n int) []byte {
	for ; n >= 8; n -= 8 {
		b = binary.LittleEndian.AppendUint64(b, r.uint64())
	}
	for u := r.uint64(); n > 0; n-- {
		b = append(b, byte(u))
		u >>= 8
	}
	return b
}

// appendStructs adds structures of 24 bytes: a counter, a time, a small value, flags.
func appendStructs(b []byte, r *rng, n int) []byte {
	counter, tick := uint32(r.intn(1<<20)), uint64(epoch.UnixMicro())
	for end := len(b) + n; len(b) < end; counter++ {
		tick += uint64(r.intn(256))
		b = binary.LittleEndian.AppendUint32(b, counter)
		b = binary.LittleEndian.AppendUint64(b, tick)
		b = binary.LittleEndian.AppendUint64(b, uint64(r.skewed(1000)))
		b = append(b, byte(r.intn(4)), 0, 0, 0xff)
	}
	return b
}
