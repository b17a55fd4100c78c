// Package gcsstore is Google Cloud Storage as a store. Importing it registers the
// scheme gs:
//
//	store, err := blob.Open(ctx, "gs://logs?prefix=2026/", nil)
//
// Credentials are the application default ones; STORAGE_EMULATOR_HOST names an
// emulator, which needs none. A program that has a client of its own makes the
// driver with [New].
//
// # Parameters
//
// Those of gocloud.dev's gcsblob: anonymous=true and access_id=- read without
// credentials, universe_domain names another domain of the service, grpc=true and
// zonal=true choose the gRPC API; beside them user_project names the project that pays
// where a bucket's requesters do. private_key_path and any other access_id serve
// signed URLs, and are taken without effect.
//
// # Versions
//
// The generation is the version, in listings, look-ups, reads and writes alike. A
// read of a version sends it as a precondition and compares it with the generation
// of each response. Over gRPC the client library resumes broken bodies by itself.
//
// # Stored bytes
//
// Objects of Content-Encoding gzip are read as stored. A response that was
// decompressed on the way is blob.ErrUnsupported.
//
// # Storage classes
//
// NEARLINE, COLDLINE and ARCHIVE read at once: no object is archived in the sense of
// [driver.ArchiveState], and there is nothing to restore.
//
// # Errors
//
// 404 is fs.ErrNotExist for object and bucket alike. 401, 403 and a refused access
// token are fs.ErrPermission. A precondition that does not hold is blob.ErrChanged for
// a read and blob.ErrConflict for a write. 408, 429, 5xx, exceeded rates and failures
// of the network are blob.ErrTransient.
//
// # Limits
//
// Keys are UTF-8 and pass through as they are. The service itself refuses carriage
// returns, line feeds, and the keys "." and "..".
package gcsstore
