package stream_test

import (
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream"
)

// Decoders of the codecs met last are kept for reuse, whatever was met before.
func TestDecodersOfTheLastCodecsAreKept(t *testing.T) {
	t.Parallel()
	const kinds, each = 6, 4
	all := codec.Default().Clone()
	none, _ := codec.Default().Lookup("none")
	var opened [kinds]int
	objects := map[string][]byte{}
	for i := range kinds {
		c := none
		c.Name, c.Extensions, c.Magic = fmt.Sprint("kind", i), []string{fmt.Sprint(".k", i)}, nil
		c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
			opened[i]++
			return none.NewReader(src, opts)
		}
		all.Register(c)
		for n := range each {
			objects[fmt.Sprintf("%d/%d.txt.k%d", i, n, i)] = []byte("x\n")
		}
	}
	_, err := stream.Backfill(t.Context(), store(t, objects).List(nil), stream.Discard, &stream.Options{
		Lanes: 1, Workers: 1, Read: stream.ReadOptions{Codecs: all},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range opened {
		if n != 1 {
			t.Errorf("codec %d: %d decoders were made for %d objects, want 1", i, n, each)
		}
	}
}

// A decoder is kept for objects that are read with the same options, and no field of
// them is forgotten.
func TestDecodersAreKeptForTheirOptions(t *testing.T) {
	t.Parallel()
	all := codec.Default().Clone()
	none, _ := codec.Default().Lookup("none")
	c, opened := none, 0
	c.Name, c.Extensions, c.Magic = "kind", []string{".k"}, nil
	c.NewReader = func(src io.Reader, opts *codec.Options) (codec.Decoder, error) {
		opened++
		return none.NewReader(src, opts)
	}
	all.Register(c)
	s := store(t, map[string][]byte{"a.k": []byte("x\n")})
	opens := func(pool *stream.Pool, decode codec.Options) int {
		before := opened
		r, err := stream.Open(t.Context(), s, "a.k", &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool, Codecs: all, Decode: decode}})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		return opened - before
	}
	for field := range reflect.TypeFor[codec.Options]().Fields() {
		if !field.IsExported() || field.Name == "Grow" { // which the Pool answers
			continue
		}
		other := func() (o codec.Options) {
			switch f := reflect.ValueOf(&o).Elem().FieldByIndex(field.Index); f.Interface().(type) {
			case int64:
				f.SetInt(1 << 20)
			case bool:
				f.SetBool(true)
			case [][]byte:
				f.Set(reflect.ValueOf([][]byte{[]byte("dictionary")}))
			default:
				t.Fatalf("%s is of a type that the test does not know", field.Name)
			}
			return o
		}
		pool := stream.NewPool(&stream.PoolOptions{Memory: 16 << 20})
		if n := opens(pool, codec.Options{}) + opens(pool, codec.Options{}); n != 1 {
			t.Errorf("got %d decoders for two objects, want 1", n)
		}
		if n := opens(pool, other()); n != 1 {
			t.Errorf("%s: a decoder with another value was used", field.Name)
		}
		if n := opens(pool, other()); n != 0 {
			t.Errorf("%s: the decoder was not used again with the same value", field.Name)
		}
	}
}
