// Package s3store reads and writes buckets of S3 and of services that speak its
// protocol. Importing it makes s3 URLs known to package blob:
//
//	store, err := blob.Open(ctx, "s3://logs/2026/?region=eu-west-1", nil)
//
// The host is the bucket, the path a folder in it. The query parameters are those
// of gocloud.dev: region, profile, anonymous, role and its companions, endpoint,
// hostname_immutable, use_path_style (or s3ForcePathStyle), disable_https,
// dualstack, fips, accelerate, rate_limiter_capacity, ssetype, kmskeyid,
// request_checksum_calculation and response_checksum_validation; beside them
// request_payer=requester, for buckets whose requesters pay. What they leave open comes
// from the environment and the shared files of the AWS SDK, credentials always.
// An endpoint is a whole URL, and without a region means us-east-1; services beside
// S3 mostly want use_path_style=true too:
//
//	s3://bucket/folder/?endpoint=http://localhost:9000&use_path_style=true
//
// A program that has a client makes the Driver with [New].
//
// # Versions
//
// The version is the ETag without its quotes. Every range is asked for with
// If-Match, and the ETag, offset and size that a response states are compared
// with what was asked for. A weak ETag, W/"…", never matches If-Match: once one was
// seen, responses alone are compared, without W/, and a Put on a version is
// blob.ErrUnsupported.
//
// # Bytes and keys
//
// Bodies come as stored, whatever their Content-Encoding. Keys go out as they
// are; gocloud.dev escapes some. Control characters come back right from services that
// encode listings.
//
// # Archive tiers
//
// Objects of GLACIER and DEEP_ARCHIVE are archived until a restored copy is
// there, as listings tell. The archive tiers of INTELLIGENT_TIERING show in Stat
// and in a failed read alone, and their objects have no end of restoration.
//
// # Errors
//
// The class comes from the code of the service's answer, else from its HTTP
// status. A bucket that does not exist is fs.ErrNotExist and named. Credentials
// that cannot be had are fs.ErrPermission.
//
// # Requests
//
// Each call is one request, or two where its comment says so: the SDK's retries
// are off, since package blob retries. The transport of a Driver that a URL opened
// is HTTP/1.1 with as many idle connections as ranges in flight; a program's own
// client keeps its transport. Checksums of responses are verified when a service
// demands it only: codecs carry their own.
//
// # Limits
//
// Directory buckets list in no order, which is an error. A Put is one request of
// at most 5 GiB; up to 16 MiB it is held in memory, beyond that its body is not
// signed.
package s3store
