package cli

import "fmt"

// Count is so many of a noun for people: 1 place, 2 places.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
