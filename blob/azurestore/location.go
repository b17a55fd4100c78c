package azurestore

import (
	"net/url"
	"strings"
)

// location names a container for good. Containers are named within their account. Where
// a connection string says which, it stands in the container's address: in front of
// the service's domain, or as the folder above the container where the service is an
// emulator.
func location(account, address, container string) string {
	u, err := url.Parse(address)
	if account != "" || err != nil {
		return "azblob://" + account + "/" + container
	}
	account, _, _ = strings.Cut(u.Hostname(), ".")
	if folders := strings.Split(strings.Trim(u.Path, "/"), "/"); len(folders) > 1 {
		account = folders[len(folders)-2]
	}
	return "azblob://" + account + "/" + container
}
