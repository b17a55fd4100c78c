// Package azurestore is Azure Blob Storage as a store. Importing it registers the
// scheme azblob:
//
//	store, err := blob.Open(ctx, "azblob://logs?storage_account=acme&prefix=2026/", nil)
//
// A program that has a client of its own makes the driver with [New].
//
// # Credentials and parameters
//
// Account and credentials come from the environment: AZURE_STORAGE_ACCOUNT with
// AZURE_STORAGE_KEY, or AZURE_STORAGE_SAS_TOKEN, or AZURE_STORAGE_CONNECTION_STRING,
// else the default identity. The parameters are those of gocloud.dev's azureblob:
// storage_account, domain, protocol, cdn and localemu, with the same variables
// behind them. Errors quote neither signatures nor the messages of a refusal, which
// hold what was to be signed.
//
// # Versions
//
// The ETag, without its quotes, is the version, in listings, look-ups, reads and
// writes alike. A read of a version sends it as a precondition and compares it with
// the ETag of each response. A change of the tier leaves it as it is; a change of
// metadata does not.
//
// # Listing
//
// What lies before the place to begin at is listed and left out, 5,000 keys a
// request. The order is checked: an account with a hierarchical namespace lists by
// folders, which is an error where that is not the order of bytes.
//
// A directory is a blob of its own, in accounts with folders by its resource type and
// in others by the metadata hdi_isfolder that Hadoop and azcopy write. It is no
// object: listings leave it out, and to look it up or to read it is driver.ErrFolder.
//
// # Archive tier
//
// Objects of tier Archive are archived; while they move out they are restoring. See
// [Driver.Restore].
//
// # Errors
//
// 404 is fs.ErrNotExist for object and container alike. 401, 403 and a refused
// access token are fs.ErrPermission. A precondition that does not hold is
// blob.ErrChanged for a read and blob.ErrConflict for a write. 408, 429, 5xx and
// failures of the network, name look-ups included, are blob.ErrTransient.
//
// # Limits
//
// Keys are UTF-8 and pass through as they are. The service turns backslashes into
// slashes: no object has a key with one, and a write of one is fs.ErrInvalid. It
// refuses control characters.
package azurestore
