//go:build !race

package stream_test

// few divides the counts of random tests.
const few = 1
