// Package transport tunes net/http for reading many ranges of objects at once.
// The adaptors of cloud services share it.
package transport
