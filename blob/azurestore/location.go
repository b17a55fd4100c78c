package azurestore

import (
	"net/url"
	"strings"
)

// names returns account and container. An account that no URL named stands in the
// container's address: in front of the service's domain, or as the folder above the
// container where the service is an emulator.
func (d *Driver) names() (account, container string) {
	u, err := url.Parse(d.container.URL())
	if err != nil {
		return d.account, ""
	}
	folders := strings.Split(strings.Trim(u.Path, "/"), "/")
	container = folders[len(folders)-1]
	switch {
	case d.account != "":
		account = d.account
	case len(folders) > 1:
		account = folders[len(folders)-2]
	default:
		account, _, _ = strings.Cut(u.Hostname(), ".")
	}
	return account, container
}
