package hostile

import "bytes"

// A window descriptor holds an exponent above ten and eighths.
const (
	window1MiB   = 10 << 3
	window128MiB = 17 << 3
)

func zstandard() []Object {
	last := unhex("010000")
	frame := func(blocks ...[]byte) []byte { return zstdFrame(window1MiB, append(blocks, last)...) }
	large := func(part []byte) func(int) []byte { return framed(zstdFrame(window1MiB), part, last) }
	return []Object{
		{"zstd", "empty frames", repeated(unhex("28b52ffd 20 00 010000"))},
		{"zstd", "empty frames with a window of 1 MiB", repeated(frame())},
		{"zstd", "empty frames with a window of 128 MiB", repeated(zstdFrame(window128MiB, last))},
		{"zstd", "frames of a compressed block of no data, windows in turn", numbered(nil, func(i int) []byte {
			return zstdFrame(byte(i%17)<<3|byte(i%8), zstdBlock(2, []byte{0, 0}), last)
		}, nil)},
		{"zstd", "frames of a byte with a window of 128 MiB", repeated(zstdFrame(window128MiB, unhex("09000041")))},
		{"zstd", "frames whose windows grow", numbered(nil, func(i int) []byte {
			window := 128<<10 + 8*i
			head := append(unhex("28b52ffd a0"), byte(window), byte(window>>8), byte(window>>16), byte(window>>24))
			run := func(n int) []byte { return []byte{byte(n<<3 | 2), byte(n >> 5), byte(n >> 13), 'x'} }
			return join(head, run(128<<10), run(window-128<<10), last)
		}, nil)},
		{"zstd", "skippable frames", framed(nil, unhex("502a4d1800000000"), frame())},
		{"zstd", "empty blocks", large(unhex("000000"))},
		{"zstd", "blocks of a byte", large(unhex("08000041"))},
		{"zstd", "runs of a byte", large(unhex("0a000041"))},
		{"zstd", "blocks with a Huffman table for a literal", large(zstdHuffman())},
		{"zstd", "blocks with a Huffman table of all literals in a few bits", large(zstdWeights())},
		{"zstd", "blocks with three FSE tables for a sequence", framed(
			zstdFrame(window1MiB, zstdBlock(0, []byte("0123456789abcdef"))), zstdTables(), last)},
		{"zstd", "blocks with three FSE tables for a sequence, and as many bytes as they may have", framed(
			zstdFrame(window1MiB, zstdBlock(0, []byte("0123456789abcdef"))), join(zstdTables(), zstdRun(tablesNeed)), last)},
		{"zstd", "blocks with predefined tables for a sequence", framed(
			zstdFrame(window1MiB, zstdBlock(0, []byte("0123456789abcdef"))), zstdPredefined(), last)},
		{"zstd", "a seek table that lies", zstdSeekTable},
	}
}

func zstdFrame(window byte, blocks ...[]byte) []byte {
	return append(append(unhex("28b52ffd 00"), window), join(blocks...)...)
}

// zstdBlock is a block that is not the last.
func zstdBlock(kind int, body []byte) []byte {
	v := len(body)<<3 | kind<<1
	return append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, body...)
}

// zstdHuffman is a block of one literal that has a Huffman table of 2048 entries.
func zstdHuffman() []byte {
	weights := []byte{1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10} // and 11 for the last
	tree := []byte{127 + byte(len(weights))}
	for i := 0; i < len(weights); i += 2 {
		pair := weights[i] << 4
		if i+1 < len(weights) {
			pair |= weights[i+1]
		}
		tree = append(tree, pair)
	}
	stream := append(tree, 3) // the end mark and the code of the last, a bit
	head := 2 | 1<<4 | len(stream)<<14
	b := append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, stream...)
	return zstdBlock(2, append(b, 0))
}

// zstdWeights is a block of one literal with a Huffman table in which all literals
// have eight bits. Its 255 weights of 1 take four bits: one symbol has nearly all
// states, and most of them lead to another without a bit.
func zstdWeights() []byte {
	w := new(lowFirst)
	w.put(1, 4)   // 64 parts
	w.put(1, 6)   // none for the weight 0
	w.put(0, 2)   // and no run of such
	w.put(126, 7) // 63 for the weight 1
	w.put(0, 1)   // less than one for the weight 2
	tree := w.align()
	w = new(lowFirst)
	w.put(1<<16|62<<10, 17) // the end mark, states 62 and 0, and four bits
	tree = append(tree, w.align()...)
	stream := join([]byte{byte(len(tree))}, tree, []byte{0, 1})
	head := 2 | 1<<4 | len(stream)<<14
	b := append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, stream...)
	return zstdBlock(2, append(b, 0))
}

// zstdTables is a block of one sequence with descriptions of the largest tables,
// in which one symbol has all states.
func zstdTables() []byte {
	table := func(log uint) []byte {
		w := new(lowFirst)
		w.put(uint64(log-5), 4)
		w.put(1<<(log+1)-1, log+1) // 1<<log parts for symbol 0
		return w.align()
	}
	body := join([]byte{0, 1, 0xa8}, table(9), table(8), table(9), []byte{0, 0, 0, 1 << 2})
	return zstdBlock(2, body)
}

// tablesNeed is how many decoded bytes allow a Decoder the tables of zstdTables.
const tablesNeed = 200

// zstdRun is a block of a byte n times.
func zstdRun(n int) []byte {
	return []byte{byte(n<<3 | 1<<1), byte(n >> 5), byte(n >> 13), 'a'}
}

// zstdPredefined is a block of one sequence, of a repeated offset and no literals.
func zstdPredefined() []byte {
	// States of 6, 5 and 6 bits, and the end mark above them.
	return zstdBlock(2, []byte{0, 1, 0, 0, 0, 1 << 1})
}

// zstdSeekTable is empty frames with a seek table whose last frame is another than
// it says.
func zstdSeekTable(size int) []byte {
	frame := unhex("28b52ffd 20 00 010000")
	n := max(2, size/(len(frame)+8))
	entry := []byte{byte(len(frame)), 0, 0, 0, 0, 0, 0, 0}
	table := bytes.Repeat(entry, n)
	table[len(table)-4] = 1
	body := len(table) + 9
	head := append(unhex("5e2a4d18"), byte(body), byte(body>>8), byte(body>>16), byte(body>>24))
	foot := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 0}, unhex("b1ea928f")...)
	return join(bytes.Repeat(frame, n), head, table, foot)
}
