// Package stress holds a test of package stream by random schedules: jobs over
// objects of all codecs and framers, on stores, sinks and checkpoints that do what
// such things do, in virtual time, against a plain reference.
//
// A schedule is drawn from a seed and from nothing else. Read it in this order:
//
//	schedule_test.go   what is drawn
//	plain_test.go      decoded data, and the records that it was made of
//	stored_test.go     stored objects, and where a cut leaves a whole one
//	reference_test.go  what must become of an object
//	storage_test.go    the store that serves the objects
//	sink_test.go       sinks and checkpoints of which a kill takes what is not durable
//	run_test.go        the jobs and readers of a schedule
//	check_test.go      the comparison
//	stress_test.go     the tests, flags, and the shrinking of what fails
//
// A few hundred schedules run with every go test. More of them:
//
//	go test ./stream/internal/stress -run Stress -schedules 100000 -seed 1 -timeout 0
//
// What fails prints the command that repeats it. Goroutines run side by side, so
// that a seed may need several tries: add -count 20.
package stress
