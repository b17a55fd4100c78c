package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inUsage  = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}`)
	inReadme = regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*\./thaw ([a-z]+)`)
	inHelp   = regexp.MustCompile(`(?m)^  (-[a-z-]+)`)
	flagRow  = regexp.MustCompile("(?m)^\\| (all but )?((?:`[a-z]+`(?:, )?)+) \\| `(-[a-z -]+)` \\|$")
	verbName = regexp.MustCompile("`([a-z]+)`")
)

// README shows every verb, and its table every flag of each.
func TestReadmeHasEveryVerbAndFlag(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	verbs := names(inUsage.FindAllStringSubmatch(usage, -1))
	if shown := names(inReadme.FindAllStringSubmatch(string(readme), -1)); !slices.Equal(shown, verbs) {
		t.Errorf("README shows the verbs %v, the tool has %v", shown, verbs)
	}
	said := map[string]map[string]bool{}
	for _, row := range flagRow.FindAllStringSubmatch(string(readme), -1) {
		of := names(verbName.FindAllStringSubmatch(row[2], -1))
		if row[1] != "" {
			but := of
			of = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return slices.Contains(but, verb) })
		}
		for _, verb := range of {
			for _, f := range strings.Fields(row[3]) {
				if said[verb] == nil {
					said[verb] = map[string]bool{}
				}
				if said[verb][f] {
					t.Errorf("README has %s of %s twice", f, verb)
				}
				said[verb][f] = true
			}
		}
	}
	for _, verb := range verbs {
		_, help, _ := call(t, verb, "-h")
		has, want := slices.Sorted(maps.Keys(said[verb])), names(inHelp.FindAllStringSubmatch(help, -1))
		if !slices.Equal(has, want) {
			t.Errorf("README has the flags %v of %s, the tool %v", has, verb, want)
		}
	}
}

// names are the first groups of matches, in order, each once.
func names(matches [][]string) []string {
	var found []string
	for _, m := range matches {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}
