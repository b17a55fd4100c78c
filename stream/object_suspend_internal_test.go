package stream

import (
	"bytes"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/internal/meter"
)

// A lane that has a buffer for a record when its decoder is closed announces no more
// than it had: others were promised theirs beside that.
func TestSuspendAnnouncesNoMore(t *testing.T) {
	pool := NewPool(&PoolOptions{Memory: 16 << 20, Workers: 1})
	r, err := (&ReadOptions{MaxRecord: 1 << 20}).resolve(pool)
	if err != nil {
		t.Fatal(err)
	}
	terms, err := pool.terms(&r)
	if err != nil {
		t.Fatal(err)
	}
	// Raw blocks of a frame with a window of 4 MiB, more than an Input shows.
	stored := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, (22 - 10) << 3}
	for last := range 2 {
		stored = append(stored, byte(last), 0, 16) // 128 KiB
		stored = append(stored, make([]byte, 128<<10)...)
	}
	s := blob.New(memstore.New(), nil)
	defer s.Close()
	if _, err := s.Put(t.Context(), "a.zst", bytes.NewReader(stored), int64(len(stored)), nil); err != nil {
		t.Fatal(err)
	}
	m, err := pool.budget.Enter(t.Context(), terms)
	if err != nil {
		t.Fatal(err)
	}
	l := newLane(t.Context(), 0, pool, m, nil)
	l.meter.Start(time.Now(), meter.Queue)
	defer l.close()
	rd, err := l.open(t.Context(), &r, s, "test", blob.Object{Key: "a.zst", Size: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := rd.(*decodedReader)
	defer o.close()
	before := l.account.Held() + l.account.Guaranteed()
	const spill = 384 << 10
	if !l.account.TryExtend(spill, 0) {
		t.Fatal("the record got no buffer")
	}
	if err := o.suspend(t.Context(), o.memory+1<<20, 0); err != nil {
		t.Fatal(err)
	}
	if after := l.account.Held() + l.account.Guaranteed(); after > before {
		t.Errorf("got %d held and announced once the decoder was closed, %d before", after, before)
	}
	l.account.Release(spill)
}
