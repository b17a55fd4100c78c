package brotli_test

// copying is the command that inserts n literals, 0 to 5, and copies as many bytes as
// the code of copies has, 0 for 2 to 7 for 9, from a distance that follows.
func copying(n, code int) int { return 128 + n<<3 + code }

// at is a block of size bytes whose commands insert "aba" and copy 2 bytes from what
// symbol and bits say.
func at(size, symbol, extra, n int) *bitWriter {
	return block(size, oneOf("ab"), copying(3, 0), symbol).num(0b010, 3).num(extra, n)
}

func distanceRules() []rule {
	from := func(d int) *bitWriter {
		symbol, extra, n := distance(d)
		return at(5, symbol, extra, n)
	}
	// Two distances: one to the last byte, then what the other symbol says.
	then := func(symbol int) *bitWriter {
		first, extra, n := distance(1)
		w := stream().coded(true, 10).plain()
		oneOf("ab")(w)
		w.simple(ofCommands, copying(3, 0)).simple(ofDistances, symbol, first)
		return w.num(0b010, 3).num(1, 1).num(extra, n).num(0b111, 3).num(0, 1)
	}
	shape := func(w *bitWriter) { oneOf("abcd")(w); w.num(0, 1) }
	// A postfix of one bit, and two distances direct.
	postfix := func(symbol, extra, n int) *bitWriter {
		w := stream().coded(true, 6).num(0, 3).num(1, 2).num(1, 4).num(0, 2).num(0, 2)
		shape(w)
		return w.simple(ofCommands, copying(4, 0)).simple(16+2+24<<2, symbol).num(0b11_01_10_00, 8).num(extra, n)
	}
	return []rule{
		{"the last byte", from(1), "abaaa", ""},
		{"the first byte", from(3), "abaab", ""},
		{"before the first byte", from(4), "aba", "no word is so long"},
		{"the last distance, 4 at first", at(5, 0, 0, 0), "aba", "no word is so long"},
		{"the last but three, 16 at first", at(5, 3, 0, 0), "aba", "no word is so long"},
		{"one less than the last", at(5, 4, 0, 0), "abaab", ""},
		{"one more than the last", at(5, 5, 0, 0), "aba", "no word is so long"},
		{"two less than the last", at(5, 6, 0, 0), "ababa", ""},
		{"three less than the last", at(5, 8, 0, 0), "abaaa", ""},
		{"one less than 1", then(4), "abaaabbb", "not positive"},
		{"three less than 1", then(8), "abaaabbb", "not positive"},
		{"one more than 1", then(5), "abaaabbbbb", ""},
		{"three less than the last but one, 4", then(14), "abaaabbbbb", ""},
		{"more literals than bytes", at(2, 16, 0, 1), "", "more literals"},
		{"literals that fill the meta-block, whose copy is none", block(3, oneOf("ab"), copying(3, 7), 0).num(0b010, 3), "aba", ""},
		{"more bytes copied than there are", at(4, 16, 0, 1), "aba", "longer copy"},
		{"a copy over itself", block(12, oneOf("ab"), copying(3, 7), 17).num(0b010, 3).num(0, 1), "abaabaabaaba", ""},
		{"a direct distance, 1", postfix(16, 0, 0), "abcddd", ""},
		{"a direct distance, 2", postfix(17, 0, 0), "abcdcd", ""},
		{"the first with a postfix, 3", postfix(18, 0, 1), "abcdbc", ""},
		{"the first with a postfix, 5", postfix(18, 1, 1), "abcd", "no word is so long"},
		{"the second with a postfix, 4", postfix(19, 0, 1), "abcdab", ""},
	}
}

func wordRules() []rule {
	// A word, and 4 bytes from the last distance.
	word := func(size int) *bitWriter {
		symbol, extra, n := distance(1)
		w := stream().coded(true, size).plain().simple(ofLiterals, 0)
		return w.simple(ofCommands, copying(0, 2)).simple(ofDistances, 0, symbol).num(1, 1).num(extra, n)
	}
	number := func(length, number, transform, size int) *bitWriter {
		return &bitWriter{out: wordStream(length, number, transform, size)}
	}
	return []rule{
		{"a word", number(4, 0, 0, 4), "time", ""},
		{"a word is no distance used", word(8).num(0, 1), "timetime", ""},
		{"the last word of 24 bytes", number(24, 31, 0, 24), "सक्रियता", ""},
		{"a word of 3 bytes", number(3, 0, 0, 3), "", "no word is so long"},
		{"a word of 25 bytes", number(25, 0, 0, 25), "", "no word is so long"},
		{"a longer word than the meta-block has bytes", number(4, 0, 0, 3), "", "longer word"},
		{"a word and a space", number(4, 0, 1, 5), "time ", ""},
		{"a word in capitals", number(4, 0, 44, 4), "TIME", ""},
		{"a word but its last two bytes", number(4, 0, 27, 2), "ti", ""},
		{"the last transform", number(4, 0, 120, 7), " Time='", ""},
		{"a longer word by its transform", number(4, 0, 120, 6), "", "longer word"},
		{"beyond the last transform", number(4, 0, 121, 8), "", "beyond the data and the dictionary"},
		{"far beyond", block(4, oneOf("a"), copying(0, 2), ofDistances-1).num(-1, 24), "", "beyond the data and the dictionary"},
	}
}
