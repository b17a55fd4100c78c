// Package corpus makes data for tests, benchmarks and examples: log records, CSV
// rows, mixed binary data and noise, and encodes it with the codecs that have a
// writer.
//
// All makers are streaming, need constant memory, and give the same bytes for
// the same seed on every machine and with every Go release: they draw from the
// PCG of math/rand/v2, whose sequence is fixed, and from nothing else. The bytes
// that [Encode] gives depend on the versions of the libraries that it uses.
package corpus
