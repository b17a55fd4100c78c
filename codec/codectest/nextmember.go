package codectest

import (
	"slices"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// nextMember: every member after the first is found, however the object is divided, and in
// other bytes nothing goes wrong.
func (s suite) nextMember(t *testing.T) {
	if s.c.NextMember == nil {
		t.Skip("no NextMember")
	}
	var stored []byte
	var starts []int
	for _, v := range s.f.vectors(t) {
		if s.c.Magic != nil && s.c.Magic(v.Stored, true) != codec.Matched {
			continue // it begins with what is not a member
		}
		starts = append(starts, len(stored))
		stored = append(stored, v.Stored...)
	}
	whole := s.membersOf(t, stored)
	for _, at := range starts {
		if at+codec.MemberLook <= len(stored) && !slices.Contains(whole, at) {
			t.Errorf("the member at %d of %d is not found", at, len(stored))
		}
	}
	for n := range min(len(stored), 200) {
		s.membersOf(t, stored[:n])
		for _, at := range s.membersOf(t, stored[n:]) {
			if !slices.Contains(whole, n+at) {
				t.Errorf("the bytes from %d on: got a member at %d; all bytes have none there", n, at)
			}
		}
	}
}

// membersOf returns where NextMember finds members in b.
func (s suite) membersOf(t *testing.T, b []byte) (found []int) {
	t.Helper()
	for at := 0; at < len(b); {
		i := s.c.NextMember(b[at:])
		if i < -1 || i >= len(b)-at {
			t.Fatalf("got %d for %d bytes", i, len(b)-at)
		}
		if i < 0 {
			break
		}
		found = append(found, at+i)
		at += i + 1
	}
	return found
}
