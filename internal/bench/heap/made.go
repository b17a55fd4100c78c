package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sort"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// The keys of the objects that stand alone. They sort before and among the small ones.
const (
	largeKey = "0-large.ndjson.gz"
	claimKey = "5-window.ndjson.zst"
)

// made is a driver of objects that are made as they are read.
type made struct {
	large   int64 // decoded bytes of the large object
	small   int
	records int64 // in all

	member   []byte // of the large object, which repeats it
	members  int64
	one      []byte // every small object
	claiming []byte
}

func (m *made) make() (err error) {
	const perMember, perSmall = 20_000, 10
	part := corpus.NDJSONBytes(1, perMember)
	if m.member, err = corpus.Encode("gzip", part); err != nil {
		return err
	}
	m.members = (m.large + int64(len(part)) - 1) / int64(len(part))
	if m.one, err = corpus.Encode("gzip", corpus.NDJSONBytes(2, perSmall)); err != nil {
		return err
	}
	m.records = m.members*perMember + int64(m.small)*perSmall
	// A frame of zstd with a window of 1 << 32 bytes and blocks that repeat one byte
	// 128 KiB times: RFC 8878, sections 3.1.1.1.2 and 3.1.1.2. They are so many that
	// the window could be used.
	const block, window = 128 << 10, 1 << 32
	m.claiming = []byte{0x28, 0xb5, 0x2f, 0xfd, 0, (32 - 10) << 3}
	for n := window/block + 1000; n > 0; n-- {
		header := uint32(block)<<3 | 1<<1
		if n == 1 {
			header |= 1
		}
		m.claiming = append(binary.LittleEndian.AppendUint32(m.claiming, header)[:len(m.claiming)+3], 'x')
	}
	return nil
}

// size returns the size of an object, -1 if there is none of the key.
func (m *made) size(key string) int64 {
	switch {
	case key == largeKey:
		return m.members * int64(len(m.member))
	case key == claimKey:
		return int64(len(m.claiming))
	case strings.HasPrefix(key, "small/"):
		return int64(len(m.one))
	}
	return -1
}

func smallKey(i int) string { return fmt.Sprintf("small/%07d.ndjson.gz", i) }

func (m *made) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		keys := func(yield func(string) bool) {
			if !yield(largeKey) || !yield(claimKey) {
				return
			}
			from := sort.Search(m.small, func(i int) bool { return smallKey(i) > after })
			for i := from; i < m.small; i++ {
				if !yield(smallKey(i)) {
					return
				}
			}
		}
		for key := range keys {
			if ctx.Err() != nil {
				yield(driver.Object{}, ctx.Err())
				return
			}
			if key > after && strings.HasPrefix(key, prefix) && !yield(m.object(key), nil) {
				return
			}
		}
	}
}

func (m *made) object(key string) driver.Object {
	return driver.Object{Key: key, Size: m.size(key), Version: "1"}
}

func (m *made) Stat(_ context.Context, key string) (driver.Object, error) {
	if m.size(key) < 0 {
		return driver.Object{}, fs.ErrNotExist
	}
	return m.object(key), nil
}

func (m *made) ReadRange(_ context.Context, key string, offset, length int64, _ string) (driver.Range, error) {
	size := m.size(key)
	if size < 0 {
		return driver.Range{}, fs.ErrNotExist
	}
	end := size
	if length >= 0 {
		end = min(end, offset+length)
	}
	var content io.ReadSeeker
	switch key {
	case largeKey:
		content = &repeated{block: m.member}
	case claimKey:
		content = bytes.NewReader(m.claiming)
	default:
		content = bytes.NewReader(m.one)
	}
	if _, err := content.Seek(min(offset, size), io.SeekStart); err != nil {
		return driver.Range{}, err
	}
	return driver.Range{Offset: offset, Object: m.object(key), Body: io.NopCloser(io.LimitReader(content, max(end-offset, 0)))}, nil
}

func (m *made) Put(context.Context, string, io.Reader, int64, driver.Condition) (string, error) {
	return "", driver.ErrUnsupported
}

// repeated is a block again and again, without end.
type repeated struct {
	block []byte
	at    int64
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], r.block[(r.at+int64(n))%int64(len(r.block)):])
	}
	r.at += int64(n)
	return n, nil
}

func (r *repeated) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	r.at = offset
	return offset, nil
}
