package spelling

import "strings"

// Completions returns the first n of the words that begin with the typed text, or all if there are fewer. It ignores
// case.
func Completions(words []string, typed string, n int) []string {
	var found []string
	for _, word := range words {
		if len(found) == n {
			break
		}
		if len(word) >= len(typed) && strings.EqualFold(word[:len(typed)], typed) {
			found = append(found, word)
		}
	}
	return found
}
