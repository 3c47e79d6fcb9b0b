package spelling

import "strings"

// Completions returns up to n of the words that begin with what is typed, in their order, upper and lower case alike.
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
