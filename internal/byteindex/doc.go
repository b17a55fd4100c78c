// Package byteindex finds every place of a byte at once. Framers that separate
// records by one byte call it once a slab, so that short records cost no call
// each.
//
// amd64 with AVX2 and BMI1 looks at 64 bytes a turn; elsewhere, and under the
// build tag purego, it is a loop over [bytes.IndexByte].
package byteindex
