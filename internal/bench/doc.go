// Package bench compares thaw with what people use instead, side by side in one
// run. It is a module of its own, since the peers are heavy.
//
//	go -C internal/bench run ./restore      # the restore path; -h lists flags
//	go -C internal/bench run ./codecs       # decoding on one core
//	go -C internal/bench run ./frames       # framing on one core
//	go -C internal/bench run ./inflate      # gzip beside Go libraries and tools
//	go -C internal/bench run ./sidecar      # gzip through an index of it
//	go -C internal/bench run ./link         # stores over a simulated link
//	go -C internal/bench run ./healing      # what failing and stalling requests cost
//	go -C internal/bench run ./resume       # what a killed and resumed run reads again
//	go -C internal/bench run ./heap         # live heap and manifest over huge jobs
//
// Every figure is a child process of its own: wall time from the first listing to
// the last record, and the processor time of the process. The variants take turns
// within a round, in an order that changes from round to round, and the report
// gives medians with a distribution-free interval of at least 95 %.
package bench
