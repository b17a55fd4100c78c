package main

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestVariants: every variant decodes what it says it does.
func TestVariants(t *testing.T) {
	data := corpus.NDJSONBytes(1, 60_000)
	o := new(object)
	var err error
	if o.stored, err = encode(data); err != nil {
		t.Fatal(err)
	}
	if o.form, err = makeIndex(o.stored); err != nil {
		t.Fatal(err)
	}
	if o.index, err = seek.ReadIndex(bytes.NewReader(o.form)); err != nil {
		t.Fatal(err)
	}
	if o.index.Len() == 0 {
		t.Fatalf("got no places in %d bytes", len(data))
	}
	for _, how := range whole {
		if one, err := variants[how](o, 2); err != nil || one.Bytes != 2*int64(len(data)) {
			t.Errorf("%s: got %d bytes, %v, want %d", how, one.Bytes, err, 2*len(data))
		}
	}
	for _, how := range middle {
		if one, err := variants[how](o, 1); err != nil || one.Records == 0 {
			t.Errorf("%s: got %d reads, %v", how, one.Records, err)
		}
	}
	bad := *o
	bad.stored = bytes.Clone(o.stored)
	bad.stored[len(bad.stored)-8] ^= 1
	for _, how := range whole {
		if _, err := variants[how](&bad, 1); err == nil {
			t.Errorf("%s: got no error for a checksum that is wrong", how)
		}
	}
}
