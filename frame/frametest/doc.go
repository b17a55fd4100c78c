// Package frametest tests framers. [Run] is the conformance suite, which every framer of
// this project passes. A test of a custom framer calls it with a table of cases:
//
//	frametest.Run(t, netstrings(), []frametest.Case{
//		{Name: "records", In: "5:hello,0:,", Want: []string{"hello", ""}},
//		{Name: "cut", In: "2:hi,12:abc", Want: []string{"hi"}, Err: io.ErrUnexpectedEOF},
//	})
//
// [Split] and [Driver] cut data into records, with slabs of any size, as package stream
// does. [RefusesUTF16] is for framers of text.
//
// # Errors
//
// A Scanner that breaks the contract of [frame.Scanner] is an error that wraps
// [ErrContract]. Every other error is the Scanner's.
//
// # Concurrency
//
// Split, and the method of a Driver that is not changed, may be called by several
// goroutines at once.
package frametest
