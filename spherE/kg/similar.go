package kg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/spherelab/spherelab/internal/quantity"
)

// similarNames groups the names of a vocabulary that look the same to a reader: they differ only by case, by Unicode
// form (an accented letter, or the letter and its accent; a full-width letter), by spaces or by marks that are not
// shown. Groups and their ids are in ascending order.
func similarNames(v *Vocabulary) [][]int32 {
	fold := cases.Fold()
	same := map[string][]int32{}
	for id, name := range v.names {
		if key := readAs(name, fold); key != name {
			same[key] = append(same[key], int32(id))
		}
	}
	var groups [][]int32
	for key, ids := range same {
		if id, ok := v.ID(key); ok { // a name that is its own key is not in the map
			ids = append(ids, id)
		}
		if len(ids) > 1 {
			slices.Sort(ids)
			groups = append(groups, ids)
		}
	}
	slices.SortFunc(groups, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// readAs returns what all names that look the same have in common.
func readAs(name string, fold cases.Caser) string {
	plain := true // lower-case ASCII with single spaces inside
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c < ' ' || c == 0x7f ||
			c == ' ' && (i == 0 || i == len(name)-1 || name[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	shown := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(fold.String(norm.NFKC.String(name))))
	return strings.Join(strings.Fields(shown), " ")
}

// difference returns what the names of a group differ by.
func difference(names []string) string {
	all := func(f func(string) string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return f(name) != f(names[0]) })
	}
	spaces := func(name string) string { return strings.Join(strings.Fields(name), " ") }
	fold := cases.Fold()
	switch {
	case all(fold.String):
		return "case"
	case all(norm.NFKC.String):
		return "Unicode form"
	case all(spaces):
		return "spaces"
	}
	return "case, Unicode form, spaces or marks that are not shown"
}

// quoteDistinct quotes names so that names that look the same become distinguishable.
func quoteDistinct(names []string, kind string) []string {
	verb := "%q"
	if kind != "case" {
		verb = "%+q"
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf(verb, name)
	}
	return out
}

// Similar is a group of entities or of relations whose names differ only by case, Unicode form, spaces or marks that
// are not shown. They are different entities or relations nevertheless.
type Similar struct {
	Kind       string   `json:"kind"` // "entity" or "relation"
	Names      []string `json:"names"`
	Difference string   `json:"difference"` // what they differ by
}

// String quotes the names and says what they differ by.
func (s Similar) String() string {
	return strings.Join(quoteDistinct(s.Names, s.Difference), " and ") + " (" + s.Difference + ")"
}

// similar lists the groups of a graph, entities first.
func similar(g *Graph) []Similar {
	out := []Similar{}
	for _, v := range []labelled{g.entities(), g.relations()} {
		for _, ids := range similarNames(v.names) {
			s := Similar{Kind: v.kind}
			for _, id := range ids {
				s.Names = append(s.Names, v.names.Name(id))
			}
			s.Difference = difference(s.Names)
			out = append(out, s)
		}
	}
	return out
}

// maxNamed is the largest number of groups of names in a warning.
const maxNamed = 3

// similarWarnings returns warnings of groups of names of one kind, with the line where a second name of a group first
// occurs. parts have final ids.
func similarWarnings(v labelled, parts *[3]part) []Warning {
	groups := similarNames(v.names)
	if len(groups) == 0 {
		return nil
	}
	w := Warning{Kind: SimilarName, Count: len(groups)}
	group := map[int32]int{}
	var named []string
	for i, ids := range groups {
		s := Similar{}
		for _, id := range ids {
			group[id] = i
			s.Names = append(s.Names, v.names.Name(id))
		}
		if s.Difference = difference(s.Names); i < maxNamed {
			named = append(named, s.String())
		}
	}
	first := map[int]int32{} // the first name of each group that occurred
	w.at(parts, func(t Triple) bool {
		ids := []int32{t.Head, t.Tail}
		if v.kind == "relation" {
			ids = []int32{t.Relation}
		}
		return slices.ContainsFunc(ids, func(id int32) bool {
			i, ok := group[id]
			if !ok {
				return false
			}
			earlier, seen := first[i]
			if !seen {
				first[i] = id
			}
			return seen && earlier != id
		})
	})
	if more := len(groups) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	w.Message = fmt.Sprintf("%s to a reader, but different %s here: %s; use one spelling",
		quantity.CountOf(len(groups), "group of names is one "+v.kind, "groups of names are one "+v.kind+" each"), v.plural,
		strings.Join(named, ", "))
	return []Warning{w}
}

// at sets the place of the warning: the first triple that matches. match is called once per triple, in order.
func (w *Warning) at(parts *[3]part, matches func(Triple) bool) {
	for p := range parts {
		for i, t := range parts[p].triples {
			if matches(t) {
				w.Split, w.File, w.Line = parts[p].split, parts[p].file, parts[p].line(i)
				return
			}
		}
	}
}
