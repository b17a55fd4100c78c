package frame_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// csvRun is how many bytes csv looks through at once.
const csvRun = 1024

var csvReference = referenceCSV(dialect{comma: ','})

// TestCSVAtRuns puts each pair of tokens within two bytes of where a run of blocks
// ends, after rows of one kind and before others.
func TestCSVAtRuns(t *testing.T) {
	t.Parallel()
	f := lookup(t, "csv")
	tokens := []string{"\"", "\"\"", "\n", "\r\n", ",\"", "\"\n", "a\"", "\n\n"}
	for _, filler := range []string{"\"x\",\"y\"\n", "\"x\n\"\"\",", "x,\"\"\n", "\"\"\"\"\"\"\n"} {
		rows := strings.Repeat(filler, csvRun/len(filler)+2)
		for _, token := range tokens {
			for _, next := range tokens {
				for at := csvRun - 2 - len(token); at <= csvRun+2; at++ {
					check(t, f, csvReference, rows[:at]+token+next+rows[:200], [][2]int{{0, 0}})
				}
			}
		}
	}
}

// TestCSVLong makes long data of rows that are mostly regular, so that blocks are
// left and entered again, with each token rare once.
func TestCSVLong(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	usual := []string{"\"text, and\nmore\"", "\"\"", "\"say \"\"so\"\"\"", "plain", "12.5", "\"" + strings.Repeat("\n", 300) + "\"", strings.Repeat("x", 700)}
	for range 150 {
		common := usual[:2+rnd.IntN(len(usual)-1)]
		rare := csvTokens[rnd.IntN(len(csvTokens))]
		var data strings.Builder
		for data.Len() < 12<<10 {
			data.WriteString(common[rnd.IntN(len(common))])
			if rnd.IntN(60) == 0 {
				data.WriteString(rare)
			}
			data.WriteString([]string{",", ",", "\n", "\r\n"}[rnd.IntN(4)])
		}
		check(t, lookup(t, "csv"), csvReference, data.String(), [][2]int{{0, 0}, {4096, 0}, {4096, 777}, {100, 0}})
	}
}

// FuzzCSVBlocks repeats what it is given, so that it comes to lie across blocks
// and runs of them.
func FuzzCSVBlocks(f *testing.F) {
	for _, seed := range csvSeeds {
		f.Add([]byte(seed), []byte("\"x\",\"y\"\n"), uint16(200))
	}
	f.Fuzz(func(t *testing.T, data, rows []byte, slab uint16) {
		if len(data) > 512 || len(rows) == 0 || len(rows) > 256 {
			return
		}
		regular := strings.Repeat(string(rows), 1500/len(rows)+1)
		check(t, lookup(t, "csv"), csvReference, regular+string(data)+regular, [][2]int{{0, 0}, {max(64, int(slab)), 0}})
	})
}
