// Package lint holds the rules of the repository that a compiler does not: which
// package may import which, how the files of stream depend on each other, how long a
// file is, that errors are not matched by text, that numbers in JSON state their unit,
// that names in docs exist, and that texts speak of the project alone. Its tests are the
// rules.
package lint
