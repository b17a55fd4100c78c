package brotli_test

import "strings"

// block is a last meta-block of size bytes, with one type and one code in each
// category. The code of literals is the caller's.
func block(size int, literals func(w *bitWriter), command, distance int) *bitWriter {
	w := stream().coded(true, size).plain()
	literals(w)
	return w.simple(ofCommands, command).simple(ofDistances, distance)
}

// inserting is the command that inserts n literals, 0 to 5, and copies 2 bytes from
// the last distance.
func inserting(n int) int { return n << 3 }

// oneOf is a simple code of literals.
func oneOf(s string) func(w *bitWriter) {
	return func(w *bitWriter) {
		symbols := make([]int, len(s))
		for i := range s {
			symbols[i] = int(s[i])
		}
		w.simple(ofLiterals, symbols...)
	}
}

func simpleRules() []rule {
	shape := func(s string, steep int) func(w *bitWriter) {
		return func(w *bitWriter) { oneOf(s)(w); w.num(steep, 1) }
	}
	return []rule{
		{"one literal", block(4, oneOf("z"), inserting(4), 0), "zzzz", ""},
		{"two literals, in their order", block(3, oneOf("ba"), inserting(3), 0).num(0b010, 3), "aba", ""},
		{"three literals, the last two in their order", block(4, oneOf("zba"), inserting(4), 0).num(0, 1).num(1, 2).num(3, 2).num(0, 1), "zabz", ""},
		{"four literals, flat", block(4, shape("dcba", 0), inserting(4), 0).num(0, 2).num(2, 2).num(1, 2).num(3, 2), "abcd", ""},
		{"four literals, steep", block(4, shape("dcba", 1), inserting(4), 0).num(0, 1).num(1, 2).num(3, 3).num(7, 3), "dcab", ""},
		{"a literal twice", block(3, oneOf("aa"), inserting(3), 0), "", "twice"},
		{"a literal twice of four", block(3, shape("abca", 0), inserting(3), 0), "", "twice"},
		{"the last command", block(22597, oneOf("a"), 703, 0).num(3, 24).num(0, 24), strings.Repeat("a", 22597), ""},
		{"a command beyond the alphabet", block(3, oneOf("a"), 704, 0), "", "beyond the alphabet"},
		{"a code cut", stream().coded(true, 3).plain().num(1, 2), "", "cut"},
	}
}

// complex begins a complex code: the lengths of the symbols of the code of code
// lengths. What follows is in that code.
func (w *bitWriter) complex(lens map[int]int) *bitWriter {
	order := []int{1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	codes := [6][2]int{{0, 2}, {7, 4}, {3, 3}, {2, 2}, {1, 2}, {15, 4}}
	w.num(0, 2)
	room := 32
	for _, s := range order {
		c := codes[lens[s]]
		if w.num(c[0], c[1]); lens[s] > 0 {
			room -= 32 >> lens[s]
		}
		if room <= 0 {
			break
		}
	}
	return w
}

func complexRules() []rule {
	code := func(lens map[int]int, rest ...[2]int) func(w *bitWriter) {
		return func(w *bitWriter) {
			w.complex(lens)
			for _, r := range rest {
				w.num(r[0], r[1])
			}
		}
	}
	b := func(v, n int) [2]int { return [2]int{v, n} }
	// One symbol alone takes no bits.
	return []rule{
		{"256 lengths of 8", block(3, code(map[int]int{8: 1}), inserting(3), 0).num(0x86, 8).num(0x46, 8).num(0xc6, 8), "abc", ""},
		{"256 times the first length repeated, which is 8", block(3, code(map[int]int{16: 1}, b(2, 2), b(2, 2), b(2, 2), b(1, 2)), inserting(3), 0).num(0x86, 8).num(0x46, 8).num(0xc6, 8), "abc", ""},
		{"97 zeros by repeats of repeats, and two lengths of 1", block(2, code(map[int]int{1: 1, 17: 1}, b(1, 4), b(1+2<<1, 4), b(1+6<<1, 4), b(0, 2)), inserting(2), 0).num(0b01, 2), "ba", ""},
		{"no length of a length", block(3, code(nil), inserting(3), 0), "", "code of code lengths"},
		{"lengths of lengths that leave room", block(3, code(map[int]int{1: 2, 2: 2}), inserting(3), 0), "", "code of code lengths"},
		{"lengths of lengths over full", block(3, code(map[int]int{1: 1, 2: 2, 3: 1}), inserting(3), 0), "", "code of code lengths"},
		{"lengths that leave room", block(3, code(map[int]int{15: 1}), inserting(3), 0), "", "prefix code that is not complete"},
		{"lengths over full", block(3, code(map[int]int{1: 1, 2: 1}, b(0b010, 3)), inserting(3), 0), "", "prefix code that is not complete"},
		{"repeats over full", block(3, code(map[int]int{1: 1, 16: 1}, b(0, 1), b(1, 3)), inserting(3), 0), "", "prefix code that is not complete"},
		{"zeros beyond the alphabet", block(3, code(map[int]int{17: 1}, b(7, 3), b(7, 3), b(7, 3)), inserting(3), 0), "", "more symbols than there are"},
		{"repeats beyond the alphabet", block(3, code(map[int]int{16: 1}, b(3, 2), b(3, 2), b(3, 2), b(3, 2)), inserting(3), 0), "", "more symbols than there are"},
	}
}

// blockRules are those of the types of blocks, and of maps.
func blockRules() []rule {
	// Two codes of literals, of which the first has one and the second another.
	codes := func(w *bitWriter, first, second string) *bitWriter {
		w.count(1)
		oneOf(first)(w)
		oneOf(second)(w)
		return w.simple(ofCommands, inserting(3)).simple(ofDistances, 0)
	}
	begin := func() *bitWriter { return stream().coded(true, 3) }
	mapped := func() *bitWriter { return begin().num(0, 3).num(0, 6).num(0, 2).count(2) }
	runs := func(w *bitWriter, most int) *bitWriter { return w.num(1, 1).num(most-1, 4) }
	types := runs(begin().count(2).simple(4, 0).simple(26, 0).num(0, 2).num(0, 2).num(0, 6).num(0, 4).count(2), 6).simple(8, 6, 7).num(0, 7)
	for range 64 {
		types.num(1, 1)
	}
	return []rule{
		{"a run to the end of a map", codes(runs(mapped(), 6).simple(8, 6).num(0, 6).num(0, 1), "a", "b"), "aaa", ""},
		{"a run beyond the end of a map", codes(runs(mapped(), 7).simple(9, 7).num(0, 7).num(0, 1), "a", "b"), "", "beyond the end of a context map"},
		{"a map of places that move to the front", codes(mapped().num(0, 1).simple(2, 1).num(1, 1), "b", "a"), "aba", ""},
		{"a map of one code for all", codes(mapped().num(0, 1).simple(2, 1).num(0, 1), "b", "a"), "aaa", ""},
		{"a code beyond those of a map", mapped().num(0, 1).simple(3, 3), "", "cut"},
		{"two types of literals", codes(types.num(0, 1), "a", "b").num(1, 2), "abb", ""},
		{"a code of types with one twice", begin().count(2).simple(4, 1, 1), "", "twice"},
		{"a count beyond the alphabet", begin().count(2).simple(4, 0).simple(26, 26), "", "beyond the alphabet"},
		{"types cut", begin().count(2).simple(4, 0), "", "cut"},
	}
}
