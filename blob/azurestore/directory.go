package azurestore

import "strings"

// isDirectory reports whether an answer is about a directory. Accounts with folders
// state a type of resource; elsewhere a directory is an empty blob whose metadata say
// so, in a case that clients and services change.
func isDirectory(resource string, metadata map[string]*string, size int64) bool {
	if strings.EqualFold(resource, "directory") {
		return true
	}
	if size > 0 {
		return false
	}
	for name, v := range metadata {
		if strings.EqualFold(name, "hdi_isfolder") && strings.EqualFold(value(v), "true") {
			return true
		}
	}
	return false
}
