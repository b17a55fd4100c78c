//go:build race

package streamtest

const racing = true
