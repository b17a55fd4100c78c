//go:build !race

package stress_test

// few is how many schedules every test run has.
const few = 300
