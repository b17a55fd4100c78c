package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// privateTexts are what a reader elsewhere cannot follow.
var privateTexts = []struct {
	what *regexp.Regexp
	why  string
}{
	{regexp.MustCompile(`(^|[^\w./-])/(home|Users|root|work)/\w+`), "a folder of one machine"},
	{regexp.MustCompile(`[A-Z]:\\Users\\\w+`), "a folder of one machine"},
	{regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`), "work that is not done: do it, or say what is not supported"},
	{regexp.MustCompile(`(?i)\b(issue|ticket|bug|pull request|PR) #?\d+\b`), "a number of a tracker: say what it was about"},
	{regexp.MustCompile(`\.go:\d+\b`), "the number of a line, which moves"},
	{regexp.MustCompile(`(?i)\b(this|last|previous|next) (session|sprint|week)\b`), "when it was written"},
}

// The texts of the repository speak of the project alone: they hold for whoever
// reads them, anywhere and later.
func TestTextsSpeakOfTheProject(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == ".git" || name == "testdata" || name == "lint" {
				return filepath.SkipDir // testdata is of other programs
			}
			return nil
		}
		text := slices.Contains([]string{".go", ".md", ".sh", ".s", ".mod", ".yml", ".yaml"}, filepath.Ext(name))
		if !text && filepath.Base(filepath.Dir(path)) != ".ci" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for i, line := range strings.Split(string(data), "\n") {
			for _, p := range privateTexts {
				if m := p.what.FindString(line); m != "" {
					t.Errorf("%s:%d: %q is %s", path, i+1, m, p.why)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("read %d files, %v", seen, err)
	}
}
