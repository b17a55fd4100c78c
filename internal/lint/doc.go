// Package lint holds the rules of the repository that a compiler does not: which
// package may import which, and that texts speak of the project alone. Its tests
// are the rules.
package lint
