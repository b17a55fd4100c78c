// Package frametest checks framers: [Run] is the conformance suite that every
// framer of this project passes, [Split] a plain driver that feeds a framer as
// the pipeline does.
//
// # Errors
//
// A breach of the contract of [frame.Scanner] is an error that wraps
// [ErrContract]; every other error is the Scanner's.
//
// # Concurrency
//
// A Driver may be used by several goroutines.
package frametest
