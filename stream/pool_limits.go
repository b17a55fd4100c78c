package stream

import (
	"sort"

	"github.com/thaw-go/thaw/codec"
)

// MinMemory returns the least Memory, in bytes, with which one object at a time can be
// read with the given options. Less is a [*codec.LimitError], whose Needed is this. nil
// opts mean the zero value. With the defaults it is about 5 MiB: a smaller Memory
// also lowers MaxWindow and MaxRecord.
func MinMemory(opts *ReadOptions) int64 {
	if opts == nil {
		opts = &ReadOptions{}
	}
	return minMemory(opts)
}

// minMemory searches in steps of 8 bytes: an eighth and a half of the memory, by which
// records and windows are bounded, are whole numbers there.
func minMemory(opts *ReadOptions) int64 {
	const step, enough = 8, 4 * (laneFloor + 2*slabData)
	return step * int64(sort.Search(enough/step, func(n int) bool {
		memory := step * int64(n)
		return memory-maxWindow(opts, memory)-spillMax(maxRecord(opts, memory)) >= laneFloor
	}))
}

// maxWindow is the largest window that a reader with the given options accepts.
func maxWindow(opts *ReadOptions, memory int64) int64 {
	if opts.Decode.MaxWindow == 0 {
		return min(codec.DefaultMaxWindow, memory/2)
	}
	return min(opts.Decode.MaxWindow, memory/2)
}

// maxRecord is the largest record that a reader with the given options accepts.
func maxRecord(opts *ReadOptions, memory int64) int {
	if opts.MaxRecord == 0 {
		return int(min(defaultMaxRecord, memory/8))
	}
	return int(min(int64(opts.MaxRecord), memory/8))
}

// Memory returns the bytes that all readers of the Pool may hold together.
func (p *Pool) Memory() int64 { return p.memory }

// DecodeOptions returns opts.Decode as readers of the Pool use it: with MaxWindow set,
// and not over half of the memory. It is for decoding without a reader, as codec.Inspect
// does. nil opts mean the zero value.
func (p *Pool) DecodeOptions(opts *ReadOptions) codec.Options {
	if opts == nil {
		opts = &ReadOptions{}
	}
	d := opts.Decode
	d.MaxWindow = maxWindow(opts, p.memory)
	return d
}
