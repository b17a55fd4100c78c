package faultstore

// Content is what an object holds. It never changes and is safe for concurrent
// use.
type Content interface {
	Size() int64

	// Part gives up to n bytes from offset on, at least one while the offset
	// is below Size. They are not to be written to.
	Part(offset, n int64) []byte
}

// Bytes is content that lies in memory.
type Bytes []byte

// Size is its length.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Part is a slice of it.
func (b Bytes) Part(offset, n int64) []byte { return b[offset:min(offset+n, b.Size())] }

// Repeated is a block again and again, up to a size: large objects without memory.
// A block whose length divides no power of two makes every range differ.
type Repeated struct {
	Block []byte
	Total int64
}

// Size is Total.
func (r Repeated) Size() int64 { return r.Total }

// Part is a slice of the block.
func (r Repeated) Part(offset, n int64) []byte {
	from := offset % int64(len(r.Block))
	return r.Block[from:min(from+min(n, r.Total-offset), int64(len(r.Block)))]
}

// flipped is other content of the same size: every bit is turned over.
type flipped struct{ Content }

func (f flipped) Part(offset, n int64) []byte {
	old := f.Content.Part(offset, min(n, 64<<10))
	part := make([]byte, len(old))
	for i, b := range old {
		part[i] = ^b
	}
	return part
}
