package codec_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

func zipped(t *testing.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if data != "" {
		f, err := w.Create("a.ndjson")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tarOf is an archive of one file.
func tarOf(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o666}); err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// Formats that hold records as no framer finds them are named, text that begins like
// one of them is not.
func TestDetectContainer(t *testing.T) {
	t.Parallel()
	const page = "\x15\x04\x15\x10\x15\x14\x4c\x15\x02" // the header of a page
	for _, tc := range []struct {
		why, head, key, want string
	}{
		{"zip", zipped(t, text), "a.zip", "zip"},
		{"zip under no name", zipped(t, text), "a", "zip"},
		{"zip under another name", zipped(t, text), "a.ndjson", "zip"},
		{"zip of nothing", zipped(t, ""), "a", "zip"},
		{"7z", "7z\xbc\xaf\x27\x1c\x00\x04aa\nbb", "a", "7z"},
		{"rar 4", "Rar!\x1a\x07\x00aa\nbb", "a", "rar"},
		{"rar 5", "Rar!\x1a\x07\x01\x00aa\nbb", "a", "rar"},
		{"parquet", "PAR1" + page + "aa\nbb", "a", "parquet"},
		{"parquet with an encrypted footer", "PARE" + page, "a", "parquet"},
		{"parquet by its name", "PAR1aa\nbbPAR1", "a.parquet", "parquet"},
		{"parquet by its name in capitals", "PAR1aa\nbbPAR1", "A.PARQUET", "parquet"},
		{"avro", "Obj\x01\x04\x16avro.schema\x08null\x14avro.codec", "a", "avro"},
		{"avro with other metadata first", "Obj\x01\x06\x08user\x08alex\x14avro.codec", "a", "avro"},
		{"avro by its name", "Obj\x01aa\nbb", "a.avro", "avro"},
		{"orc", "ORC\x0a\x06\x08\x00\x12\x00\x1a", "a", "orc"},
		{"orc by its name", "ORC\naa", "a.orc", "orc"},
		{"sqlite", "SQLite format 3\x00\x10\x00", "a.db", "sqlite"},
		{"arrow", "ARROW1\x00\x00\xff\xff", "a", "arrow"},
		{"hdf5", "\x89HDF\r\n\x1a\n\x00", "a", "hdf5"},
		{"sequence file", "SEQ\x06\x19org.apache.hadoop.io.Text\x19org.apache.hadoop.io.Text", "a", "sequence-file"},

		{"tar of a file named ORC", tarOf(t, "ORC"), "a.tar", ""},
		{"tar of a file named like ORC", tarOf(t, "ORCHARD/a.txt"), "a", ""},
		{"tar of a file named PAR1", tarOf(t, "PAR1"), "a.tar", ""},
		{"tar of a file with an extension", tarOf(t, "PAR1.parquet"), "a.tar", ""},
		{"nothing", "", "a.zip", ""},
		{"text", text, "a", ""},
		{"text under the name of another", text, "a.parquet", ""},
		{"text that begins with PAR1", "PAR1 is what Parquet begins with\n", "a.txt", ""},
		{"text that begins with Obj", "Obj\x01Name\x01\x02Value\n", "a", ""},
		{"text that begins with Obj and ends", "Obj\x01", "a", ""},
		{"text that begins with ORC", "ORC,TROLL\n1,2\n", "a.csv", ""},
		{"columns of Hive that begin with ORC", "ORC\x01TROLL\x02x\n", "a", ""},
		{"text that begins with SEQ", "SEQ\x04 is no class\n", "a", ""},
		{"text that begins with PK", "PK,Name\n1,x\n", "a.csv", ""},
		{"text that begins with a key separator", "PK\x03\x04 and nothing else\n", "a", ""},
		{"text that begins with Rar!", "Rar!\n", "a", ""},
		{"text that begins with SQLite", "SQLite format 3\n", "a", ""},
	} {
		d, err := codec.Default().Detect([]byte(tc.head), true, codec.Hints{Key: tc.key})
		if err != nil || d.Container != tc.want || d.Codec != "none" {
			t.Errorf("%s: got %+v, %v; want container %q", tc.why, d, err, tc.want)
		}
		// The same under a codec, however few bytes of it are there at first.
		d, err = codec.Default().Detect(gz([]byte(tc.head)), true, codec.Hints{Key: tc.key + ".gz"})
		if err != nil || d.Container != "" {
			t.Errorf("%s in gzip: got %+v, %v", tc.why, d, err)
		}
		for n := range len(tc.head) {
			early := d
			if !codec.Default().Examine(&early, []byte(tc.head[:n]), false) && (early.Container != tc.want) {
				t.Errorf("%s in gzip, %d bytes: got %q, decided; want %q", tc.why, n, early.Container, tc.want)
			}
		}
		codec.Default().Examine(&d, []byte(tc.head), true)
		if d.Container != tc.want {
			t.Errorf("%s in gzip: got %q, want %q", tc.why, d.Container, tc.want)
		}
		info, err := codec.Inspect(strings.NewReader(tc.head), int64(len(tc.head)), &codec.InspectOptions{Key: tc.key})
		if err != nil || info.Detection.Container != tc.want {
			t.Errorf("Inspect of %s: got %q, %v; want %q", tc.why, info.Detection.Container, err, tc.want)
		}
		if packed := gz([]byte(tc.head)); len(tc.head) > 0 {
			info, err = codec.Inspect(bytes.NewReader(packed), int64(len(packed)), &codec.InspectOptions{Key: tc.key + ".gz"})
			if err != nil || info.Detection.Container != tc.want {
				t.Errorf("Inspect of %s in gzip: got %q, %v; want %q", tc.why, info.Detection.Container, err, tc.want)
			}
		}
	}
}

// Data that is compressed once more than its names say is noted, with what decodes
// it. Ordinary data is decided at its first bytes.
func TestExamineLayers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why  string
		d    codec.Detection
		head []byte
		note string // that holds this
	}{
		{"gzip in gzip", codec.Detection{Codec: "gzip"}, gz([]byte(text)), `"gzip,gzip"`},
		{"zstd in gzip", codec.Detection{Codec: "gzip"}, zst([]byte(text)), `"gzip,zstd"`},
		{"zstd after a skippable frame in gzip", codec.Detection{Codec: "gzip"}, join(skippable(5), zst([]byte(text))), `"gzip,zstd"`},
		{"gzip in two layers", codec.Detection{Codec: "zstd", Inner: []string{"gzip"}}, gz([]byte(text)), `"zstd,gzip,gzip"`},
		{"one layer too many", codec.Detection{Codec: "zstd", Inner: []string{"gzip", "gzip", "gzip"}}, gz([]byte(text)), "gzip"},
		{"no decoder", codec.Detection{Codec: "gzip"}, []byte("\x1f\x9d\x90\x61"), "compress"},
		{"text", codec.Detection{Codec: "gzip"}, []byte(text), ""},
		{"nothing", codec.Detection{Codec: "gzip"}, nil, ""},
		{"plain", codec.Detection{Codec: "none"}, gz([]byte(text)), ""},
	} {
		d := tc.d
		if codec.Default().Examine(&d, tc.head, true) {
			t.Errorf("%s: got not decided at the end", tc.why)
		}
		if (tc.note == "") != (d.Notes == nil) || tc.note != "" && (len(d.Notes) != 1 || !strings.Contains(d.Notes[0], tc.note)) {
			t.Errorf("%s: got notes %q, want one with %s", tc.why, d.Notes, tc.note)
		}
		if d.Conflicts != nil || d.Container != "" {
			t.Errorf("%s: got %+v", tc.why, d)
		}
	}
	d := codec.Detection{Codec: "gzip"}
	if codec.Default().Examine(&d, []byte("{"), false) {
		t.Error("a byte of text: got not decided")
	}
}
