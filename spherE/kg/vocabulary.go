package kg

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Vocabulary maps names to ids and back. Names are sorted bytewise and the id
// is the rank, so equal sets of names get equal ids. It is read-only and safe
// for concurrent use.
type Vocabulary struct {
	names []string
}

// NewVocabulary sorts the names and removes duplicates; the argument is left
// as it is.
func NewVocabulary(names []string) *Vocabulary {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	size := 0
	for _, n := range sorted {
		size += len(n)
	}
	// All names lie in one string: one allocation instead of one per name.
	var all strings.Builder
	all.Grow(size)
	for _, n := range sorted {
		all.WriteString(n)
	}
	text := all.String()
	out := make([]string, len(sorted))
	for i, n := range sorted {
		out[i], text = text[:len(n)], text[len(n):]
	}
	return &Vocabulary{names: out}
}

// Len is the number of names.
func (v *Vocabulary) Len() int { return len(v.names) }

// Name returns the name of an id; it panics for an id outside of [0, Len).
func (v *Vocabulary) Name(id int32) string { return v.names[id] }

// ID returns the id of a name.
func (v *Vocabulary) ID(name string) (int32, bool) {
	i := sort.SearchStrings(v.names, name)
	if i < len(v.names) && v.names[i] == name {
		return int32(i), true
	}
	return 0, false
}

// Nearest returns up to n names that a misspelt name may have meant, the
// nearest first, for error messages. See nearest.
func (v *Vocabulary) Nearest(name string, n int) []string { return nearest(v.names, name, n) }

// nearest returns up to n distinct candidates by edit distance to name,
// ignoring case; one that contains the name as a part (a surname, say) counts
// as nearer than any that is more than one edit away. Candidates that share
// less than half of the name are not offered. Ties are in bytewise order.
func nearest(candidates []string, name string, n int) []string {
	if n <= 0 || name == "" {
		return nil
	}
	want := []rune(strings.ToLower(name))
	lowered := string(want)
	type scored struct {
		name     string
		distance int
	}
	var best []scored
	limit := (len(want) + 1) / 2 // no candidate further than this is offered
	var row []int
	for _, c := range candidates {
		low := strings.ToLower(c)
		var d int
		gap := utf8.RuneCountInString(low) - len(want)
		switch {
		case len(want) >= 3 && strings.Contains(low, lowered):
			d = min(gap, 1)
		case gap > limit || -gap > limit:
			continue
		default:
			d, row = editDistance(want, low, row)
		}
		if d > limit {
			continue
		}
		s := scored{c, d}
		at, _ := slices.BinarySearchFunc(best, s, func(a, b scored) int {
			if a.distance != b.distance {
				return a.distance - b.distance
			}
			return strings.Compare(a.name, b.name)
		})
		if at >= n || (at < len(best) && best[at] == s) {
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

// editDistance is the number of insertions, deletions and replacements of
// characters that turn a into b. row is scratch space that is handed back.
func editDistance(a []rune, b string, row []int) (int, []int) {
	if cap(row) < len(a)+1 {
		row = make([]int, len(a)+1)
	}
	row = row[:len(a)+1]
	for i := range row {
		row[i] = i
	}
	j := 0
	for _, rb := range b {
		diagonal := row[0]
		j++
		row[0] = j
		for i, ra := range a {
			cost := diagonal
			if ra != rb {
				cost++
			}
			diagonal = row[i+1]
			row[i+1] = min(cost, row[i]+1, diagonal+1)
		}
	}
	return row[len(a)], row
}
