package blob

import "testing"

// canHold is never wrong when it says no, and says no wherever an element tells.
func TestCanHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, folder string
		want         bool
	}{
		{"", "a/", true},
		{"*.gz", "a/", false},
		{"*/x", "a/", true},
		{"*/x", "a/b/", false},
		{"a/*.gz", "b/", false},
		{"a/*/x", "a/b/", true},
		{"a*/b?/x", "ab/b1/", true},
		{"a*/b?/x", "ab/b12/", false},
		{"**/*.gz", "a/b/c/", true},
		{"a/**", "a/b/", true},
		{"a/**", "b/", false},
		{"a/**/z/*.gz", "a/b/c/", true},
		{"{a,b}/x", "b/", true},
		{"{a,b}/x", "c/", false},
		{"{a/x,b/y}", "a/", true},
		{"{a/x,b/y}", "c/", true}, // not looked into
		{"[a-c]/x", "b/", true},
		{"[a-c]/x", "d/", false},
		{`\*/x`, "*/", true},
		{`\*/x`, "a/", false},
		{"[^a]/x", "a/", false},
	} {
		if got := canHold(c.glob, c.folder); got != c.want {
			t.Errorf("canHold(%q, %q): got %t, want %t", c.glob, c.folder, got, c.want)
		}
	}
}
