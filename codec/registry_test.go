package codec_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// own is a codec of a user's, which passes data through.
func own(name string) codec.Codec {
	return codec.Codec{Name: name, NewReader: func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
		return codec.NewDecoder(name, src, opts, func(in *codec.Input, first bool) (io.Reader, error) { return in, io.EOF })
	}}
}

// An extension that stands for two leaves the inner one of the codec that was chosen.
func TestShortExtensions(t *testing.T) {
	t.Parallel()
	r := codec.Default().Clone()
	c := own("mine")
	c.ShortExtensions = map[string]string{".tmine": ".tar"}
	r.Register(c)
	for key, want := range map[string]string{
		"a.tmine": "mine .tar", "A.TMINE": "mine .tar", "a.tgz": "gzip .tar", "a.svgz": "gzip .svg",
		"a.tbz2": "bzip2 .tar", "a.txz": "xz .tar", "a.tlz": "lzma .tar", "a.tzst": "zstd .tar",
	} {
		d, err := r.Detect(nil, true, codec.Hints{Key: key})
		if got := d.Codec + " " + d.Extension; err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", key, got, err, want)
		}
	}
}

// The codec that is registered last wins over those registered before it, the
// built-in ones too, wherever several have the same sign.
func TestLastRegisteredWins(t *testing.T) {
	t.Parallel()
	magic := func(head []byte, final bool) codec.Match {
		if len(head) >= 4 && string(head[:4]) == "\x28\xb5\x2f\xfd" {
			return codec.Matched
		}
		return codec.NoMatch
	}
	with := func(c codec.Codec, extension, encoding string, magic func([]byte, bool) codec.Match) *codec.Registry {
		r := codec.Default().Clone()
		c.Extensions, c.Encodings, c.Magic = []string{extension}, []string{encoding}, magic
		r.Register(c)
		return r
	}
	twice := with(own("first"), ".zst", "", magic)
	short := func(name, inner string) *codec.Registry {
		r := codec.Default().Clone()
		c := own(name)
		c.ShortExtensions = map[string]string{".tgz": inner}
		r.Register(c)
		return r
	}
	second := own("second")
	second.Extensions, second.Magic = []string{".zst"}, magic
	twice.Register(second)
	for _, tc := range []struct {
		why       string
		registry  *codec.Registry
		head      string
		hints     codec.Hints
		want      string
		evidence  codec.Evidence
		conflicts []string
	}{
		{"a format of its own under .zst", with(own("mine"), ".zst", "", nil), text,
			codec.Hints{Key: "a.zst"}, "mine", codec.ByExtension, nil},
		{"data of zstd, by magic", with(own("mine"), ".zst", "", magic), string(zst([]byte(text))),
			codec.Hints{Key: "a.zst"}, "mine", codec.ByMagic, nil},
		{"magic goes before extension: it has none", with(own("mine"), ".zst", "", nil), string(zst([]byte(text))),
			codec.Hints{Key: "a.zst"}, "zstd", codec.ByMagic, []string{"extension says mine"}},
		{"an extension that stands for two", with(own("mine"), ".tgz", "", nil), text,
			codec.Hints{Key: "a.tgz"}, "mine", codec.ByExtension, nil},
		{"a short extension", short("mine", ".x"), text,
			codec.Hints{Key: "a.tgz"}, "mine", codec.ByExtension, nil},
		{"a short extension of the codec that was replaced", with(own("gzip"), "", "", nil), text,
			codec.Hints{Key: "a.tgz"}, "gzip", codec.ByExtension, nil},
		{"Content-Encoding", with(own("mine"), "", "br", nil), text,
			codec.Hints{ContentEncoding: "br"}, "mine", codec.ByEncoding, nil},
		{"the Content-Encoding of two", with(own("mine"), "", "deflate", nil), text,
			codec.Hints{ContentEncoding: "deflate"}, "mine", codec.ByEncoding, nil},
		{"the last of two", twice, string(zst([]byte(text))),
			codec.Hints{Key: "a.zst"}, "second", codec.ByMagic, nil},
		{"replaced by name", with(own("zstd"), ".zst", "", nil), text,
			codec.Hints{Key: "a.zst"}, "zstd", codec.ByExtension, nil},
	} {
		got, err := tc.registry.Detect([]byte(tc.head), true, tc.hints)
		if err != nil || got.Codec != tc.want || got.Evidence != tc.evidence || !slices.Equal(got.Conflicts, tc.conflicts) {
			t.Errorf("%s: got %s by %s, conflicts %q, %v; want %s by %s, %q", tc.why, got.Codec, got.Evidence, got.Conflicts, err, tc.want, tc.evidence, tc.conflicts)
		}
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	r := codec.Default().Clone()
	want := r.Names()
	first, err := r.Lookup(want[0])
	if err != nil {
		t.Fatal(err)
	}
	r.Register(first)
	if got := r.Names(); !slices.Equal(got, want) {
		t.Errorf("names after replacing the first: got %q, want %q", got, want)
	}
	r.Register(own("own"))
	if got := r.Names(); !slices.Equal(got, append([]string{"own"}, want...)) {
		t.Errorf("names with one more: got %q, want it before %q", got, want)
	}
	for _, name := range []string{"", "nosuch", "gzip,zstd"} {
		if _, err := r.Lookup(name); !errors.Is(err, codec.ErrUnsupported) {
			t.Errorf("Lookup(%q): got %v, want ErrUnsupported", name, err)
		}
	}
	for what, call := range map[string]func(){
		"no name":      func() { c := own(""); r.Register(c) },
		"no NewReader": func() { r.Register(codec.Codec{Name: "x"}) },
		"default":      func() { codec.Default().Register(own("own")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register, %s: got no panic, want one", what)
				}
			}()
			call()
		}()
	}
}
