// Package streamtest holds a [stream.Sink] and a [stream.Checkpoint] to the contracts of
// package stream.
//
// A test of a Sink says how to make one and how to read back what is durable:
//
//	func TestConformance(t *testing.T) {
//		streamtest.RunSink(t, func(t *testing.T) streamtest.Place {
//			db := open(t)
//			return streamtest.Place{
//				Open: func() stream.Sink { return mine.Sink(db) },
//				Rows: func() ([]streamtest.Row, error) { return mine.Read(db) },
//			}
//		})
//	}
//
// The suites run jobs over stores in memory, break them off, let reads fail, and
// continue them. They use small data and no clock. With the race detector they find
// more.
package streamtest
