// Package integration runs package drivertest and whole backfills against real
// servers on this machine. It is a module of its own, since the servers are heavy.
//
//	go -C internal/integration test ./...
//
// The tests build, start and stop the servers themselves, on free ports of the
// loopback interface. A server that cannot be built or installed is a skip that
// says so, and a failure where the environment has CI=true. The first run compiles
// the servers and can take minutes: -timeout 30m then, or build them once:
//
//	go -C internal/integration build -o /tmp/servers/ tool
//	THAW_SERVERS=/tmp/servers go -C internal/integration test ./...
//
//	S3     versitygw over a folder, a tool of go.mod
//	GCS    fake-gcs-server in memory, a tool of go.mod
//	Azure  Azurite in memory, installed by npm
//
// What a server cannot do stands in a list beside its test, with the reason; the
// store that can fail, internal/testing/faultstore, shows these cases.
package integration
