package codec

import "github.com/thaw-go/thaw/internal/decode/lzma"

// lzmaFixed is what a decoder takes beside its window and the probabilities of
// literals: those of everything else, and the least window.
const lzmaFixed = 128 << 10

// lzmaGrows is what a reader of xz or lzip may come to hold.
func lzmaGrows(maxWindow int64) int64 { return lzmaNeeds(maxWindow, xzProps, -1).Memory }

// lzmaRoom follows the largest window that a decoder had, which it keeps.
type lzmaRoom struct {
	opts   *Options
	window int64
}

// outgrown says that a decoder is to be made again for a window: one that is at
// hand would hold its own until the larger one is filled.
func (r *lzmaRoom) outgrown(window int64) bool { return r.window > 0 && window > r.window }

// admit asks for a window.
func (r *lzmaRoom) admit(window, memory int64) error {
	if err := r.opts.admit(window, memory); err != nil {
		return err
	}
	r.window = max(r.window, window)
	return nil
}

// lzmaNeeds are the needs of a window and of literals: while a window grows, the
// old one and the new one are held.
func lzmaNeeds(window int64, p lzma.Props, size int64) Needs {
	return Needs{Window: window, Memory: window + window/2 + p.Memory() + lzmaFixed, Size: size}
}
