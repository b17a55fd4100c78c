package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// following is what a job that follows knows of the listings before. It belongs to the
// backlog.
type following struct {
	late   time.Duration
	passes int64                 // complete listings
	began  time.Time             // of the listing under way
	since  time.Time             // of the last complete one; zero if there was none
	seen   map[version]time.Time // when they were modified, in seconds rounded up
}

// version stands for one version of an object: a hash of its key and of what distinguishes
// versions.
type version [10]byte

func versionOf(obj blob.Object) (v version) {
	h := sha256.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(obj.Key)))
	h.Write(n[:])
	io.WriteString(h, obj.Key)
	if io.WriteString(h, obj.Version); obj.Version == "" {
		fmt.Fprintf(h, "%d %d", obj.Size, obj.ModTime.UnixNano())
	}
	copy(v[:], h.Sum(nil))
	return v
}

// from is the time of modification from which on objects are compared.
func (f *following) from() time.Time {
	if f.since.IsZero() {
		return time.Time{}
	}
	return f.since.Add(-f.late)
}

// knows reports whether an earlier listing has shown obj.
func (f *following) knows(obj blob.Object) bool {
	if f.passes > 0 && obj.ModTime.Before(f.from()) {
		return true
	}
	_, ok := f.seen[versionOf(obj)]
	return ok
}

// add notes what the listing shows. What is too old for the next listing is not noted.
func (f *following) add(obj blob.Object) {
	if !obj.ModTime.Before(f.began.Add(-f.late)) {
		f.seen[versionOf(obj)] = ceil(obj.ModTime)
	}
}

// ceil is t in seconds, rounded up.
func ceil(t time.Time) time.Time { return time.Unix(t.Add(time.Second-1).Unix(), 0) }

// end ends a listing: what the next one takes for known without comparing is forgotten.
func (f *following) end() {
	f.passes++
	f.since = f.began
	from := f.from()
	for v, modified := range f.seen {
		if modified.Before(from) {
			delete(f.seen, v)
		}
	}
}

// ManifestFollow is what a manifest has of a job that follows.
type ManifestFollow struct {
	Passes int64     `json:"passes"` // complete listings
	Began  time.Time `json:"began"`  // of the listing under way, or of the last one
	Since  time.Time `json:"since"`  // of the last complete one; the zero time if there is none

	// Seen are the versions that were modified within FollowOptions.Late: 10 bytes of a
	// hash, and the time in seconds, in 4 bytes, big-endian, in ascending order.
	Seen []byte `json:"seen"`
}

const seenSize = len(version{}) + 4

// manifest is f as the manifest has it.
func (f *following) manifest() *ManifestFollow {
	m := &ManifestFollow{Passes: f.passes, Began: f.began.UTC(), Since: f.since.UTC(), Seen: make([]byte, 0, len(f.seen)*seenSize)}
	all := make([][]byte, 0, len(f.seen))
	for v, modified := range f.seen {
		n := len(m.Seen)
		m.Seen = append(m.Seen, v[:]...)
		m.Seen = binary.BigEndian.AppendUint32(m.Seen, uint32(modified.Unix()))
		all = append(all, m.Seen[n:len(m.Seen):len(m.Seen)])
	}
	slices.SortFunc(all, bytes.Compare)
	m.Seen = bytes.Join(all, nil)
	return m
}

// newFollowing continues from m; nil means that there is none.
func newFollowing(late time.Duration, m *ManifestFollow, now time.Time) *following {
	f := &following{late: late, began: now, seen: map[version]time.Time{}}
	if m == nil {
		return f
	}
	f.passes, f.began, f.since = m.Passes, m.Began, m.Since
	for b := m.Seen; len(b) >= seenSize; b = b[seenSize:] {
		f.seen[version(b)] = time.Unix(int64(binary.BigEndian.Uint32(b[len(version{}):])), 0)
	}
	return f
}

func (m *ManifestFollow) check() error {
	if m.Passes < 0 || len(m.Seen)%seenSize != 0 || m.Passes > 0 && m.Since.IsZero() || m.Began.IsZero() {
		return fmt.Errorf("follow: passes %d, began %v, since %v, seen %d bytes", m.Passes, m.Began, m.Since, len(m.Seen))
	}
	return nil
}
