package corpus

// codeLengths are Huffman's, with counts flattened until none is above 17. A
// symbol that does not occur has a code too.
func codeLengths(counts []int) []int {
	const longest = 17
	weights := make([]int, len(counts))
	for i, c := range counts {
		weights[i] = c*256 + 1
	}
	for {
		lengths := huffmanLengths(weights)
		most := 0
		for _, l := range lengths {
			most = max(most, l)
		}
		if most <= longest {
			return lengths
		}
		for i := range weights {
			weights[i] = weights[i]/2 + 1
		}
	}
}

func huffmanLengths(weights []int) []int {
	type node struct{ weight, parent int }
	nodes := make([]node, 0, 2*len(weights))
	for _, w := range weights {
		nodes = append(nodes, node{w, -1})
	}
	// lightest is the node without parent of least weight, except one.
	lightest := func(except int) int {
		best := -1
		for i, n := range nodes {
			if n.parent < 0 && i != except && (best < 0 || n.weight < nodes[best].weight) {
				best = i
			}
		}
		return best
	}
	for range len(weights) - 1 {
		a := lightest(-1)
		b := lightest(a)
		nodes = append(nodes, node{nodes[a].weight + nodes[b].weight, -1})
		nodes[a].parent, nodes[b].parent = len(nodes)-1, len(nodes)-1
	}
	lengths := make([]int, len(weights))
	for i := range lengths {
		for n := nodes[i].parent; n >= 0; n = nodes[n].parent {
			lengths[i]++
		}
	}
	return lengths
}

// canonical gives codes in the order of length, then symbol.
func canonical(lengths []int) []uint32 {
	codes := make([]uint32, len(lengths))
	next := uint32(0)
	for l := 1; l <= 20; l++ {
		for s, have := range lengths {
			if have == l {
				codes[s] = next
				next++
			}
		}
		next <<= 1
	}
	return codes
}
