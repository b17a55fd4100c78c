// Package simlink says when bytes have passed a link: so many a second over each
// connection and so many over all of them. It only computes moments and waits for
// them by timers, so that it works in virtual time (testing/synctest) as it does in
// real time.
//
// # Exactness
//
// A moment follows from the bytes that passed since the link last stood idle, not
// from the one before it, so that roundings do not add up. A wait that ends late, as
// timers do, does not slow the link down: what would have arrived meanwhile is there
// at once, up to [Window] of it, as a socket's buffer would hold it.
package simlink
