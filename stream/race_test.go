//go:build race

package stream_test

// few divides the counts of random tests: the race detector makes each run slow.
const few = 8
