package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goFiles calls f for every Go file of the repository, nested modules included.
func goFiles(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			f(path, string(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A file that grows past this holds more than one concept.
const longestFile = 500

func TestFilesStayShort(t *testing.T) {
	goFiles(t, func(path, text string) {
		if n := strings.Count(text, "\n"); n > longestFile {
			t.Errorf("%s has %d lines, at most %d", path, n, longestFile)
		}
	})
}

// Names that say nothing, and pools that belong to nobody.
func TestNoHouseSins(t *testing.T) {
	sins := []*regexp.Regexp{
		regexp.MustCompile(`(?m)^type \w*(Manager|Helper|Util)\b`),
		regexp.MustCompile(`(?m)^var \w+ *(=|)\s*(&?sync\.Pool)`),
	}
	goFiles(t, func(path, text string) {
		for _, s := range sins {
			if m := s.FindString(text); m != "" {
				t.Errorf("%s: %q", path, m)
			}
		}
	})
}
