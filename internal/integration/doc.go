// Package integration runs package drivertest and whole backfills against real
// servers on this machine. It is a module of its own, since the servers are heavy.
//
//	go -C internal/integration test ./...
//
// The tests build, start and stop the servers themselves, on free ports of the
// loopback interface. A server that cannot be built or installed is a skip that
// says so, and a failure where the environment has CI=true.
//
// The S3 server is versitygw over a folder, built from the tool line of go.mod.
package integration
