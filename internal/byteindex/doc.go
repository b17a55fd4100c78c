// Package byteindex finds every place of a byte at once. Framers that separate
// records by one byte call it once a slab, so that short records cost no call
// each. It returns them as a list, or as a bit for each byte.
//
// amd64 with AVX2 and BMI1 looks at 64 bytes a turn; elsewhere, and under the
// build tag purego, the list is a loop over [bytes.IndexByte], and the bits come
// from eight bytes at a time in one register.
package byteindex
