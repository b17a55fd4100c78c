package brotli_test

import "testing"

// TestLargestDistances: of the alphabets of a large window, those symbols are allowed
// that the library allows, whatever the postfix and the direct distances are.
func TestLargestDistances(t *testing.T) {
	t.Parallel()
	s, library := newStreams(), newLibrary()
	for postfix := range 4 {
		for direct := 0; direct < 16; direct += 5 {
			begin := 16 + direct<<postfix
			allowed := 0
			for symbol := begin + 48<<postfix; symbol < begin+64<<postfix; symbol++ {
				w := new(bitWriter).num(0x11, 8).num(10, 6).coded(true, 3)
				w.num(0, 3).num(postfix, 2).num(direct, 4).num(0, 2).num(0, 2)
				oneOf("a")(w)
				w.simple(ofCommands, copying(3, 0)).simple(begin+124<<postfix, symbol)
				compare(t, s, library, w.out, postfix, direct, symbol)
				if _, _, err := s.decode(w.out); err == nil {
					allowed++
				}
			}
			if allowed == 0 || allowed == 16<<postfix {
				t.Errorf("postfix %d, direct %d: got %d symbols allowed, want some and not all", postfix, direct, allowed)
			}
		}
	}
}
