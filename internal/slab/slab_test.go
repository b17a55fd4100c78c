package slab_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/slab"
)

func TestReuseAfterLastRelease(t *testing.T) {
	l := slab.NewList(8, 1)
	a := l.Get()
	a.Retain()
	a.Release()
	if b := l.Get(); b == a {
		t.Fatal("a slab with a reference left was given out again")
	}
	a.Release()
	if b := l.Get(); b != a {
		t.Error("a free slab was not reused")
	}
}

func TestKeepBoundsTheList(t *testing.T) {
	l := slab.NewList(8, 1)
	a, b := l.Get(), l.Get()
	a.Release()
	b.Release()
	if got := l.Get(); got != a {
		t.Error("the kept slab was not reused")
	}
	if got := l.Get(); got == b {
		t.Error("a slab beyond keep was kept")
	}
}

func TestMisusePanics(t *testing.T) {
	tests := map[string]func(*slab.Slab){
		"released twice":         func(s *slab.Slab) { s.Release(); s.Release() },
		"retained after release": func(s *slab.Slab) { s.Release(); s.Retain() },
	}
	for name, misuse := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse(slab.New(1))
		})
	}
}
