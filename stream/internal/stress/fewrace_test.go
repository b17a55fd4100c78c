//go:build race

package stress_test

// few is how many schedules every test run with the race detector has.
const few = 60
