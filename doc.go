// Package thaw holds no code. It is the root of the packages that read compressed
// records out of object stores, fast and in bounded memory, and tell where the time
// of the read went:
//
//   - [github.com/thaw-go/thaw/stream] reads one object ([stream.Open],
//     [stream.Records]) or all of a source ([stream.Backfill]), and reports.
//   - [github.com/thaw-go/thaw/blob] opens stores by URL and lists, reads and
//     writes their objects.
//   - [github.com/thaw-go/thaw/codec] detects compression formats and decodes them.
//   - [github.com/thaw-go/thaw/frame] splits decoded bytes into records.
//
// README.md shows the call sites and the tool, ARCHITECTURE.md the way of a record
// through the packages.
//
// [stream.Open]: https://pkg.go.dev/github.com/thaw-go/thaw/stream#Open
// [stream.Records]: https://pkg.go.dev/github.com/thaw-go/thaw/stream#Records
// [stream.Backfill]: https://pkg.go.dev/github.com/thaw-go/thaw/stream#Backfill
package thaw
