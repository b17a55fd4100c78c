//go:build !race

package sinks_test

const racing = false
