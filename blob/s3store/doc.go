// Package s3store reads and writes buckets of S3 and of services that speak its
// protocol. Importing it registers the scheme s3:
//
//	store, err := blob.Open(ctx, "s3://logs/2026/?region=eu-west-1", nil)
//
// A program that has a client passes it to [New]:
//
//	store := blob.New(s3store.New(client, "logs", nil), nil)
//
// # Parameters
//
// The host of the URL is the bucket, the path a folder in it. The query parameters are
// those of gocloud.dev: region, profile, anonymous, role and its companions, endpoint,
// hostname_immutable, use_path_style (or s3ForcePathStyle), disable_https, dualstack,
// fips, accelerate, rate_limiter_capacity, ssetype, kmskeyid,
// request_checksum_calculation and response_checksum_validation. One is added:
// request_payer=requester, for buckets whose requesters pay. What they leave open comes
// from the environment and the shared files of the AWS SDK; credentials always do.
//
// An endpoint is a whole URL, and without a region means us-east-1. Most services other
// than S3 need use_path_style=true too:
//
//	s3://bucket/folder/?endpoint=http://localhost:9000&use_path_style=true
//
// # Versions
//
// The version is the ETag without its quotes. Every range is requested with If-Match,
// and the ETag, offset and size of each response are compared with what was requested. A
// weak ETag, W/"…", never matches If-Match: once one was seen, responses alone are
// compared, without W/, and a Put on a version is blob.ErrUnsupported.
//
// # Bytes and keys
//
// Bodies are returned as stored, whatever their Content-Encoding. Keys are sent as they
// are, where gocloud.dev escapes some. Control characters in keys survive a listing on
// services that encode listings.
//
// # Archive tiers
//
// Objects of GLACIER and DEEP_ARCHIVE are archived until there is a restored copy, as
// listings state. The archive tiers of INTELLIGENT_TIERING show only in Stat and in a
// failed read, and a restore there has no end.
//
// # Errors
//
// The class comes from the code of the response, else from its HTTP status. A bucket that
// does not exist is fs.ErrNotExist, and the message says that it is the bucket.
// Credentials that cannot be obtained are fs.ErrPermission.
//
// # Requests
//
// Each call is one request, or two where its comment says so. The SDK's retries are off,
// since package blob retries. A Driver that blob.Open made uses HTTP/1.1 with as many
// idle connections as ranges in flight; a client that is passed to New keeps its
// transport. Checksums of responses are verified only where a service demands it: codecs
// carry their own.
//
// # Limits
//
// Directory buckets list in no order, which is blob.ErrOrder. A Put is one request of at
// most 5 GiB; up to 16 MiB it is held in memory, and a longer body is not signed.
package s3store
