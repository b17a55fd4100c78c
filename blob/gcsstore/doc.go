// Package gcsstore reads and writes buckets of Google Cloud Storage. Importing it
// registers the scheme gs:
//
//	store, err := blob.Open(ctx, "gs://logs/2026/", nil)
//
// A program that has a client passes its bucket to [New]:
//
//	store := blob.New(gcsstore.New(client.Bucket("logs"), nil), nil)
//
// # Parameters
//
// The host of the URL is the bucket, the path a folder in it. The query parameters are
// those of gocloud.dev: anonymous=true and access_id=- read without credentials,
// universe_domain names another domain of the service, grpc=true and zonal=true choose
// the gRPC API. private_key_path and any other access_id serve signed URLs and have no
// effect. One is added: user_project names the project that pays where a bucket's
// requesters do. Credentials are the application default ones; STORAGE_EMULATOR_HOST
// names an emulator, which needs none.
//
// # Versions
//
// The version is the generation. Every range is requested with it as a precondition, and
// the generation of each response is compared with the one requested. Over gRPC the
// client library resumes broken bodies by itself.
//
// # Bytes and keys
//
// Bodies are returned as stored. A response that was decompressed on the way is
// blob.ErrUnsupported. Keys are UTF-8 and are sent as they are.
//
// # Archive tiers
//
// NEARLINE, COLDLINE and ARCHIVE read at once: no object is archived in the sense of
// [driver.ArchiveState], and there is nothing to restore.
//
// # Errors
//
// 404 is fs.ErrNotExist, for an object and a bucket alike. 401, 403 and a refused access
// token are fs.ErrPermission. A precondition that does not hold is blob.ErrChanged for a
// read and blob.ErrConflict for a write. 408, 429, 5xx, exceeded rates and failures of
// the network are blob.ErrTransient.
//
// # Requests
//
// Each call is one request. The client library's retries are off, since package blob
// retries.
//
// # Limits
//
// The service refuses carriage returns and line feeds in keys, and the keys "." and "..".
package gcsstore
