package stress_test

// unmended is what is left out, since what it finds is known: checks, and names of
// plainer.
var unmended = map[string]bool{}
