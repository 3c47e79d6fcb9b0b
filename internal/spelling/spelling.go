// Package spelling finds the names that a misspelt one may have meant, for error messages.
package spelling

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Distance is the number of characters to insert, delete, replace or swap with the next one that turns a into b
// (optimal string alignment: no character is edited twice).
func Distance(a, b string) int {
	var m matcher
	return m.distance([]rune(a), b)
}

// Nearest returns up to n distinct candidates by Distance to word, the nearest first, ignoring case. A candidate that
// contains the word as a part (a surname, say) counts as nearer than any that is more than one edit away. Candidates
// that share less than half of the word are left out. Of equally near ones those with fewer characters around the word
// come first, then bytewise order decides.
func Nearest(candidates []string, word string, n int) []string {
	if n <= 0 || word == "" {
		return nil
	}
	want := []rune(strings.ToLower(word))
	lowered := string(want)
	type scored struct {
		name     string
		distance int
		around   int // characters that the distance ignores if the candidate contains the word
	}
	var best []scored
	limit := (len(want) + 1) / 2 // no candidate further than this is returned
	var m matcher
	for _, candidate := range candidates {
		low := strings.ToLower(candidate)
		var d, around int
		gap := utf8.RuneCountInString(low) - len(want)
		switch {
		case len(want) >= 3 && strings.Contains(low, lowered):
			d = min(gap, 1)
			around = gap - d
		case gap > limit || -gap > limit:
			continue
		default:
			d = m.distance(want, low)
		}
		if d > limit {
			continue
		}
		s := scored{candidate, d, around}
		at, found := slices.BinarySearchFunc(best, s, func(a, b scored) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.around, b.around),
				strings.Compare(a.name, b.name))
		})
		if found || at >= n {
			continue
		}
		best = slices.Insert(best, at, s)
		if len(best) > n {
			best = best[:n]
		}
		if len(best) == n {
			limit = min(limit, best[n-1].distance)
		}
	}
	names := make([]string, len(best))
	for i, b := range best {
		names[i] = b.name
	}
	return names
}

// matcher keeps the rows of the table between comparisons.
type matcher struct{ before, last, row []int }

func (m *matcher) distance(a []rune, b string) int {
	if len(m.row) < len(a)+1 {
		m.before, m.last, m.row = make([]int, len(a)+1), make([]int, len(a)+1), make([]int, len(a)+1)
	}
	for i := range len(a) + 1 {
		m.row[i] = i
	}
	var previous rune
	j := 0
	for _, rb := range b {
		j++
		m.before, m.last, m.row = m.last, m.row, m.before
		m.row[0] = j
		for i, ra := range a {
			change := 1
			if ra == rb {
				change = 0
			}
			m.row[i+1] = min(m.last[i]+change, m.last[i+1]+1, m.row[i]+1)
			if i > 0 && j > 1 && ra == previous && a[i-1] == rb {
				m.row[i+1] = min(m.row[i+1], m.before[i-1]+1)
			}
		}
		previous = rb
	}
	return m.row[len(a)]
}

// DidYouMean returns the end of an error message that suggests the known name nearest to a mistyped one; "" if none is
// near.
func DidYouMean(name string, known []string) string {
	if len(name) < 3 {
		return ""
	}
	best, distance := "", 2+min(1, len(name)/6)
	for _, k := range known {
		if d := Distance(name, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
