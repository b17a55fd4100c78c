package inflate_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	kflate "github.com/klauspost/compress/flate"
)

// noisy is n bytes that do not compress.
func noisy(n int) string {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	r.Read(b)
	return string(b)
}

// lines is n bytes of text like a log.
func lines(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `{"time":%d,"level":%q,"path":"/v1/%s/%d","took":%.3f}`+"\n", 1767225600+i,
			[]string{"info", "info", "info", "warn", "error"}[r.IntN(5)], []string{"users", "orders", "items"}[r.IntN(3)], r.IntN(5000), r.ExpFloat64())
	}
	return b.String()[:n]
}

// mixed is n bytes of all kinds: text, noise, runs and short periods.
func mixed(n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	base := min(n, 20_000)
	text, noise := lines(base), noisy(base)
	var b strings.Builder
	for b.Len() < n {
		k := 1 + r.IntN(3000)
		at := r.IntN(max(1, base-k))
		switch r.IntN(4) {
		case 0:
			b.WriteString(text[at:min(base, at+k)])
		case 1:
			b.WriteString(noise[at:min(base, at+k)])
		case 2:
			b.WriteString(strings.Repeat(noise[at:at+1], k))
		default:
			p := 2 + r.IntN(40)
			b.WriteString(strings.Repeat(noise[at:min(base, at+p)], k/p+1))
		}
	}
	return b.String()[:n]
}

func bytes256() string {
	var b []byte
	for i := range 256 {
		b = append(b, byte(i))
	}
	return string(b)
}

func slicesOf(n, v int) []int { return slices.Repeat([]int{v}, n) }

// oneCode are lengths of which one is 1 and the others 0.
func oneCode(n, sym int) []int {
	lens := make([]int, n)
	lens[sym] = 1
	return lens
}

// deflate compresses with klauspost's encoder, levels -3 to 9, flushing now and
// then so that blocks are small.
func deflate(text string, level, flush int) []byte {
	var b bytes.Buffer
	w, err := kflate.NewWriter(&b, level)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(text); i += flush {
		io.WriteString(w, text[i:min(len(text), i+flush)])
		if i+flush < len(text) {
			w.Flush()
		}
	}
	w.Close()
	return b.Bytes()
}
