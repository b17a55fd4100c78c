package stream_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
	"github.com/thaw-go/thaw/stream"
)

// tarOf is an archive of one file without the blocks that end it.
func tarOf(size int) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: "a", Size: int64(size), Mode: 0o600, Typeflag: tar.TypeReg})
	w.Write(bytes.Repeat([]byte("x"), size))
	w.Flush()
	return b.String()
}

// endsEarly are objects that end inside a record, or before a mark that ends them.
var endsEarly = []struct{ why, frame, data string }{
	{"no bytes at all", "tar", ""},
	{"no block ends the archive", "tar", tarOf(3)},
	{"a file is cut", "tar", tarOf(3)[:700]},
	{"a large file is the last", "tar", tarOf(200 << 10)},
	{"no bytes at all", "json-array", ""},
	{"an opening bracket alone", "json-array", "["},
	{"no closing bracket", "json-array", "[1,2"},
	{"an element should follow", "json-array", "[1,2,"},
	{"no array", "json-array", "hello"},
	{"a text is cut", "json", `{"a":1}{"b":`},
	{"a quoted field is cut", "csv", "a,b\n1,\"x"},
	{"a row of too few fields is the last", "csv:ragged=error", "a,b\n1,2\n1\n"},
	{"a record is cut", "varint", "\x05abc"},
	{"a length is cut", "varint", "\x80"},
	{"a length is cut", "u32be", "\x00\x00"},
	{"a length is cut", "u16le", "\x05"},
	{"a record is cut", "fixed:10", "abc"},
	{"a header is cut", "tfrecord", "abc"},
	{"a header is cut", "recordio", "abc"},
	{"a record is cut", "recordio", "\x0a\x23\xd7\xce\x08\x00\x00\x00abc"},
	{"a block is cut", "warc", "WARC/1.0\r\nContent-Length: 100\r\n\r\nabc"},
	{"no version", "warc", "junk"},
}

// Where an object ends too early, leaving out what its end is refused for comes to
// an end itself: one refusal, and then the object's last batch or its error.
func TestRefusedAtTheEnd(t *testing.T) {
	for _, tt := range endsEarly {
		for _, codec := range []string{"none", "gzip"} {
			t.Run(fmt.Sprintf("%s %s %s", tt.frame, tt.why, codec), func(t *testing.T) {
				s := store(t, map[string][]byte{"a": encode(t, codec, []byte(tt.data))})
				refused, last := 0, 0
				rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
					if b.EndsObject() {
						last++
					}
					return nil
				}), &stream.Options{
					Lanes: 1, Read: stream.ReadOptions{Frame: tt.frame, Codec: codec},
					OnObjectError: stream.SkipClasses(), OnRecordError: func(*stream.Error, stream.Totals) (stream.Action, error) {
						if refused++; refused == 10 {
							return stream.Fail, errors.New("no end")
						}
						return stream.Skip, nil
					},
				})
				n := rep.Counts
				if err != nil || refused != 1 || rep.Complete() || n.Done.Objects+n.Skipped.Objects != 1 || n.RecordsSkipped != n.Done.Objects || int64(last) != n.Done.Objects {
					t.Errorf("got %v, %d refusals, %d last batches, complete %v, counts %+v, want one refusal", err, refused, last, rep.Complete(), n)
				}
			})
		}
	}
}

// still is a framer of another author that stands still in one way or another.
type still struct {
	keep  bool // Resync is never done, and leaves nothing out
	first bool // Scan reports the record before
	long  bool // Scan finds neither end nor fault
}

func (s *still) Scan(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
	switch {
	case s.long:
		return ends, nil
	case s.first && len(slab) > 3:
		ends = append(ends, 3)
	}
	return ends, frame.ErrRecord
}
func (s *still) State() []byte                         { return nil }
func (s *still) Resync(b []byte, eof bool) (int, bool) { return 0, !s.keep }

// beyond reports ends that are not in its bytes, or leaves out what is not there.
type beyond struct{ end bool }

func (s beyond) Scan(slab []byte, _ bool, ends []uint32) ([]uint32, error) {
	if s.end {
		return append(ends, uint32(len(slab)+1)), nil
	}
	return ends, frame.ErrRecord
}
func (s beyond) State() []byte                         { return nil }
func (s beyond) Resync(b []byte, eof bool) (int, bool) { return len(b) + 1, true }

// A framer that makes no progress, or breaks its contract, is the object's error.
func TestFramersThatStandStill(t *testing.T) {
	for _, tt := range []struct {
		why     string
		scanner frame.Scanner
		refused int // most
	}{
		{"leaves nothing out", &still{}, 1},
		{"leaves nothing out after a record", &still{first: true}, 1 << 20},
		{"is never done", &still{keep: true}, 1},
		{"is never done after a record", &still{keep: true, first: true}, 1},
		{"leaves nothing of an oversized record out", &still{long: true}, 1},
		{"leaves out more than there is", beyond{}, 1},
		{"reports an end that is not there", beyond{end: true}, 0},
	} {
		for _, over := range []stream.OversizedPolicy{stream.FailOversized, stream.SkipOversized, stream.TruncateOversized} {
			frames := frame.Default().Clone()
			frames.Register(frame.Framer{Name: "own", New: func(*frame.Options) (frame.Scanner, error) { return tt.scanner, nil }})
			s := store(t, map[string][]byte{"a": bytes.Repeat([]byte("some text "), 1<<16)})
			refused := 0
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
				Lanes: 1, Read: stream.ReadOptions{Frame: "own", Framers: frames, Codec: "none", MaxRecord: 1000, Oversized: over},
				OnObjectError: stream.SkipClasses(), OnRecordError: func(*stream.Error, stream.Totals) (stream.Action, error) {
					if refused++; refused > tt.refused {
						return stream.Fail, errors.New("no end")
					}
					return stream.Skip, nil
				},
			})
			if n := rep.Counts; err != nil || n.Skipped.Objects != 1 {
				t.Errorf("a framer that %s, policy %d: got %v, %d refusals, counts %+v, want the object's error", tt.why, over, err, refused, n)
			}
		}
	}
}

// The end of the context is seen between two refusals, whoever asks for it and
// whatever the policy would answer.
func TestCanceledBetweenRefusals(t *testing.T) {
	for _, tt := range []struct{ frame, record string }{
		{"csv:ragged=error", "1\n"}, {"warc", "WARC/1.0\r\nx: y\r\n\r\n"},
	} {
		data := "a,b\n" + strings.Repeat(tt.record, 10000)
		s := store(t, map[string][]byte{"a": []byte(data)})
		ctx, cancel := context.WithCancel(t.Context())
		refused := 0
		rep, err := stream.Backfill(ctx, s.List(nil), stream.Discard, &stream.Options{
			Lanes: 1, Read: stream.ReadOptions{Frame: tt.frame, Codec: "none"},
			OnObjectError: stream.SkipClasses(), OnRecordError: func(*stream.Error, stream.Totals) (stream.Action, error) {
				if refused++; refused == 10 {
					cancel()
				}
				return stream.Skip, nil
			},
		})
		cancel()
		if !errors.Is(err, context.Canceled) || refused != 10 || rep.Counts.Remaining().Objects != 1 {
			t.Errorf("%s: got %v after %d refusals, counts %+v, want the end of the context after 10", tt.frame, err, refused, rep.Counts)
		}
	}
}

// idle returns nothing, as a decoder and as the reader of an indexed format.
type idle struct{}

func (idle) Read([]byte) (int, error)                              { return 0, nil }
func (idle) Reset(io.Reader) error                                 { return nil }
func (idle) Close() error                                          { return nil }
func (idle) State() []byte                                         { return nil }
func (idle) Fill(_ []byte, ends []uint32) ([]uint32, error)        { return ends, nil }
func (idle) open(io.Reader, *codec.Options) (codec.Decoder, error) { return idle{}, nil }

// A codec or an indexed format that returns neither data nor an error is the
// object's error, for whoever reads.
func TestNothingAgainAndAgain(t *testing.T) {
	codecs := codec.Default().Clone()
	codecs.Register(codec.Codec{Name: "idle", NewReader: idle{}.open})
	idleFormat := indexed.Format{Name: "idle", Open: func(io.ReaderAt, int64, *indexed.Options) (indexed.Reader, error) { return idle{}, nil }}
	s := store(t, map[string][]byte{"a": []byte("some text")})
	for name, read := range map[string]stream.ReadOptions{
		"a codec": {Codec: "idle", Codecs: codecs}, "an indexed format": stream.WithIndexed(stream.ReadOptions{Frame: "idle"}, idleFormat),
	} {
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Read: read})
		if !errors.Is(err, io.ErrNoProgress) || rep.Complete() {
			t.Errorf("%s: a job ends with %v", name, err)
		}
		for _, err = range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: read}) {
		}
		if !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s: Records ends with %v", name, err)
		}
	}
	read := stream.ReadOptions{Codec: "idle", Codecs: codecs}
	if _, err := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Read: read}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Open: got %v", err)
	}
}
