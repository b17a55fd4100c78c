package blob

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// globMeta are the characters with a meaning in a glob.
const globMeta = `*?[{\`

func hasMeta(s string) bool { return strings.ContainsAny(s, globMeta) }

// cutGlob splits a glob after the last folder that is named literally.
func cutGlob(glob string) (folder, rest string) {
	i := strings.IndexAny(glob, globMeta)
	if i < 0 {
		i = len(glob)
	}
	i = strings.LastIndexByte(glob[:i], '/') + 1
	return glob[:i], glob[i:]
}

// globHead returns the text that every match of the glob begins with.
func globHead(glob string) string {
	head := make([]byte, 0, len(glob))
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\' && i+1 < len(glob):
			i++
			head = append(head, glob[i])
		case strings.IndexByte(globMeta, c) >= 0:
			return string(head)
		default:
			head = append(head, c)
		}
	}
	return string(head)
}

func validGlob(glob string) error {
	if glob != "" && !doublestar.ValidatePattern(glob) {
		return fmt.Errorf("malformed glob %q", glob)
	}
	return nil
}

// canHold reports whether the glob can match a key below a folder, named with its
// slash. For a glob with slashes in braces it reports true.
func canHold(glob, folder string) bool {
	if glob == "" {
		return true
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		var element string
		element, glob = cutElement(glob)
		if element == "**" || strings.Contains(element, "/") {
			return true
		}
		if !doublestar.MatchUnvalidated(element, name) {
			return false
		}
	}
	return glob != ""
}

// cutElement splits a valid glob after its first path element. A slash in braces or in
// a class does not end an element.
func cutElement(glob string) (element, rest string) {
	depth, class := 0, false
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth <= 0 && !class {
				return glob[:i], glob[i+1:]
			}
		}
	}
	return glob, ""
}

// matchGlob reports whether a valid glob matches the whole key. The empty glob matches
// everything.
func matchGlob(glob, key string) bool {
	return glob == "" || doublestar.MatchUnvalidated(glob, key)
}
