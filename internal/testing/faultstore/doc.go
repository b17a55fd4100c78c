// Package faultstore is an object store for tests whose every request can fail in
// a chosen way: a driver in memory, and a server on loopback that speaks the part of
// the S3 protocol that reading needs, over the same objects.
//
// A [Plan] looks at each [Call] and answers with a [Fault]; [Random] draws faults
// from a seed, the same for the same call whatever the order in which goroutines
// arrive. [Store.Counts] says what was asked and what is still open.
//
// # The driver
//
// A [Store] is a driver.Driver that behaves as an adaptor of a faulty service:
// faults of a body strike in the body, and a range that is not the one asked for says
// where it begins. A body that was decompressed on the way is a driver.ErrTransient,
// since an adaptor sees it in the response. Only timers are used, so that the store
// runs in virtual time.
//
// # The server
//
// [Serve] answers path-style requests without looking at who asks: GET, HEAD, PUT,
// DELETE and POST ?restore of an object, and ListObjectsV2. Faults are what they are
// on a network: a reset connection, a body shorter than its Content-Length, a 200
// for a 206. A link shapes the bodies.
package faultstore
