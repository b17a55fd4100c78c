// Package simstore puts a simulated network link in front of a store: the time to the
// first byte of each request, a rate for each connection, and one for all of them
// together. A local folder then reads as a bucket far away does: lanes, ranges and
// read-ahead can be tried, and tests can assert times.
//
//	link, err := simstore.ParseLink("ttfb=30ms,conn=85MB/s,total=1GB/s")
//	store := blob.New(simstore.New(memstore.New(), link), nil)
//
// blob.OpenOptions.Wrap puts a link in front of a store that is opened by URL.
//
// # What is simulated
//
// Every request waits for the first byte: each range, each look-up, each write, and each
// page of 1,000 objects of a listing. Each range is a connection, whose bytes pass at its
// rate and, among all ranges open at once, at the total rate; bytes arrive in pieces of
// 2 ms. A reader that pauses finds at most 20 ms' worth of bytes waiting, as in a socket's
// buffer. What is written passes without a rate. The time that the store itself takes is
// added.
//
// # Time
//
// Only timers are used: under testing/synctest the times are exact, and in real time the
// sum is, whatever the single timer does. A context ends every wait at once.
//
// # Errors
//
// Errors are those of the store, and those of contexts.
package simstore
