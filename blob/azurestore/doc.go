// Package azurestore reads and writes containers of Azure Blob Storage. Importing it
// registers the scheme azblob:
//
//	store, err := blob.Open(ctx, "azblob://logs/2026/?storage_account=acme", nil)
//
// A program that has a client of the container passes it to [New]:
//
//	store := blob.New(azurestore.New(client, nil), nil)
//
// # Parameters
//
// The host of the URL is the container, the path a folder in it. The query parameters
// are those of gocloud.dev: storage_account, domain, protocol, cdn and localemu. What
// they leave open comes from the same environment variables. Credentials come from
// AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, or AZURE_STORAGE_SAS_TOKEN, or
// AZURE_STORAGE_CONNECTION_STRING, else they are the default identity.
//
// # Versions
//
// The version is the ETag without its quotes. Every range is requested with If-Match,
// and the ETag of each response is compared with the one requested. A change of metadata
// is a new version, a change of the tier is not. Once a weak ETag was seen, responses
// alone are compared, and a Put on a version is blob.ErrUnsupported.
//
// # Listing
//
// A listing that begins after a key is requested from the start, 5,000 keys a request,
// and what comes before is left out. An account with a hierarchical namespace lists by
// folders: where that is not the order of bytes it is blob.ErrOrder.
//
// A directory is a blob, marked by its resource type in accounts with folders and
// elsewhere by the metadata hdi_isfolder that Hadoop and azcopy write. It is no object:
// listings leave it out, and to look it up or to read it is fs.ErrNotExist.
//
// # Bytes and keys
//
// Bodies are returned as stored, whatever their Content-Encoding. Keys are UTF-8 and are
// sent as they are.
//
// # Archive tiers
//
// Objects of the tier Archive are archived, and restoring while they move out of it. See
// [Driver.Restore] for the tiers.
//
// # Errors
//
// 404 is fs.ErrNotExist, for an object and a container alike. 401, 403 and a refused
// access token are fs.ErrPermission. A precondition that does not hold is
// blob.ErrChanged for a read and blob.ErrConflict for a write. 408, 429, 5xx and
// failures of the network, name look-ups included, are blob.ErrTransient. Errors quote
// neither signatures nor the messages of a refusal, which hold what was to be signed.
//
// # Requests
//
// Each call is one request, but a Put over 8 MiB. The client library's retries are off,
// since package blob retries.
//
// # Limits
//
// The service turns backslashes into slashes: no object has a key with one, and a write
// of one is fs.ErrInvalid. It refuses control characters.
package azurestore
