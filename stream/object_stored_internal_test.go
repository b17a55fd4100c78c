package stream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// versionless is a store that cannot distinguish versions.
type versionless struct{ driver.Driver }

func (d versionless) ReadRange(ctx context.Context, key string, off, n int64, _ string) (driver.Range, error) {
	r, err := d.Driver.ReadRange(ctx, key, off, n, "")
	r.Object.Version, r.Object.ModTime = "", time.Time{}
	return r, err
}

// noWaits is a fetchDriver that accounts for nothing.
type noWaits struct{}

func (noWaits) beginWait()                    {}
func (noWaits) endWait(context.Context) error { return nil }
func (noWaits) reading(*blob.Reader)          {}

// An object that is opened again is the one that was opened first, or an error: on a
// store without versions its size shows that.
func TestOpenedAgain(t *testing.T) {
	for _, tt := range []struct {
		why, second string
		want        error
	}{
		{"the same", "some text", nil},
		{"by more", "some text and more", blob.ErrChanged},
		{"by less", "text", blob.ErrChanged},
	} {
		s := blob.New(versionless{memstore.New()}, nil)
		defer s.Close()
		put := func(data string) {
			if _, err := s.Put(t.Context(), "a", strings.NewReader(data), int64(len(data)), nil); err != nil {
				t.Fatal(err)
			}
		}
		put("some text")
		r := &storedReader{object: &object{store: s, info: blob.Object{Key: "a", Size: -1}}, driver: noWaits{}}
		defer r.close()
		if err := r.open(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "some text" {
			t.Fatalf("got %q, %v", got, err)
		}
		r.close()
		put(tt.second)
		if err := r.open(t.Context(), 2); !errors.Is(err, tt.want) {
			t.Errorf("replaced %s: got %v, want %v", tt.why, err, tt.want)
		}
	}
}
