package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// passing reads d, which begins at a decoded offset, in steps of so many bytes. It returns
// the restart points that d passes, the data, and the error, nil at a clean end.
func passing(t testing.TB, d codec.Decoder, from int64, step int) (points []codec.Point, data []byte, err error) {
	t.Helper()
	last := codec.Point{Stored: -1}
	for p := make([]byte, step); ; {
		n, err := d.Read(p)
		data = append(data, p[:n]...)
		at, ok := d.(codec.Restarter).RestartPoint()
		if ok && (at.Stored != last.Stored || at.Decoded != last.Decoded) {
			if at.Decoded > from+int64(len(data)) {
				t.Fatalf("got a restart point at %d, ahead of the %d bytes returned from %d on", at.Decoded, len(data), from)
			}
			last = at
			points = append(points, at)
		}
		if err == io.EOF {
			return points, data, nil
		}
		if err != nil {
			return points, data, err
		}
	}
}

// restartAt opens a Decoder of stored at p.
func restartAt(t testing.TB, name string, stored []byte, p codec.Point, opts *codec.Options) codec.Decoder {
	t.Helper()
	d, err := lookup(t, name).Restart(bytes.NewReader(stored[p.Stored:]), p, opts)
	if err != nil {
		t.Fatalf("restart at %d: %v", p.Stored, err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// sameFault reports whether two errors have the same cause and the same position.
func sameFault(a, b error) bool {
	var x, y *codec.Error
	if !errors.As(a, &x) || !errors.As(b, &y) {
		return a == nil && b == nil
	}
	for _, cause := range causes {
		if errors.Is(a, cause) != errors.Is(b, cause) {
			return false
		}
	}
	return x.StoredOffset == y.StoredOffset && x.DecodedOffset == y.DecodedOffset
}

// checkPoints reads stored in steps of so many bytes, and again from each restart point
// that it passes: the data, the error and the end must be those of the first read. It
// returns the points and what the first read returned.
func checkPoints(t testing.TB, name string, stored []byte, step int, opts *codec.Options) (points []codec.Point, data []byte, err error) {
	t.Helper()
	d := restartAt(t, name, stored, codec.Point{}, opts)
	points, data, err = passing(t, d, 0, step)
	for _, p := range points {
		again := restartAt(t, name, stored, p, opts)
		got, gotErr := io.ReadAll(again)
		if !bytes.Equal(got, data[p.Decoded:]) || !sameFault(gotErr, err) {
			t.Fatalf("restart at %d (decoded %d): got %d bytes, %v; want %d, %v",
				p.Stored, p.Decoded, len(got), gotErr, len(data)-int(p.Decoded), err)
		}
		if got, want := again.(codec.Positioned).StoredOffset(), d.(codec.Positioned).StoredOffset(); got != want {
			t.Errorf("restart at %d: got stored offset %d at the end, want %d", p.Stored, got, want)
		}
	}
	return points, data, err
}

// checkRestarts demands data of stored, at least so many restart points, and the rest of
// data from each.
func checkRestarts(t *testing.T, name string, stored, data []byte, least int) {
	t.Helper()
	points, got, err := checkPoints(t, name, stored, 1+len(data)/50, new(codec.Options))
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, %v; want %d", len(got), err, len(data))
	}
	if len(points) < least {
		t.Errorf("got %d restart points, want %d or more", len(points), least)
	}
}
