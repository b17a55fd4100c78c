// Package kills holds a test that kills backfills with SIGKILL and starts them again:
// every record must arrive, and each once when repeated ids are dropped.
//
//	go test ./internal/testing/kills -args -kills 500 -records 2000000
//
// And one that kills backfills which delete or move what they have read:
//
//	go test ./internal/testing/kills -run After -args -afterkills 200
package kills
