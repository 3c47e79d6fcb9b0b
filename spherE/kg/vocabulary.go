package kg

import (
	"slices"
	"sort"
	"strings"
)

// Vocabulary maps names to ids and back. Names are sorted bytewise and the id is the rank, so equal sets of names get
// equal ids. It is read-only and safe for concurrent use.
type Vocabulary struct {
	names []string
}

// newVocabulary sorts the names and removes duplicates. It does not change the argument.
func newVocabulary(names []string) *Vocabulary {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	size := 0
	for _, n := range sorted {
		size += len(n)
	}
	// All names are parts of one string: one allocation instead of one per name.
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

// Len returns the number of names.
func (v *Vocabulary) Len() int { return len(v.names) }

// Name returns the name of an id. It panics for an id that is not in [0, Len).
func (v *Vocabulary) Name(id int32) string { return v.names[id] }

// ID returns the id of a name.
func (v *Vocabulary) ID(name string) (int32, bool) {
	i := sort.SearchStrings(v.names, name)
	if i < len(v.names) && v.names[i] == name {
		return int32(i), true
	}
	return 0, false
}
