package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// SchemaGrid has a row per relation, those with the most facts first.
func SchemaGrid(s *kg.Schema) *Grid {
	g := &Grid{Title: fmt.Sprintf("%s: what %s of training say", s.Graph, quantity.CommaCount(s.Facts, "fact")),
		Columns: []Column{{Key: "relation"}, {Key: "facts", Right: true}, {Key: "heads", Right: true},
			{Key: "tails", Right: true}, {Key: "tails_per_head", Heading: "tails per head", Right: true},
			{Key: "heads_per_tail", Heading: "heads per tail", Right: true}, {Key: "symmetric", Right: true},
			{Key: "levels", Right: true, LeaveOut: 2}, {Key: "inverse", LeaveOut: 1}, {Key: "domain", Heading: "heads are"},
			{Key: "range", Heading: "tails are"}},
		Records: s}
	sorted := slices.SortedStableFunc(slices.Values(s.Relations),
		func(a, b kg.RelationSchema) int { return b.Facts - a.Facts })
	for _, r := range sorted {
		symmetric, levels, inverse := "", "", ""
		if r.Reversed > 0 {
			symmetric = fmt.Sprintf("%.0f %%", 100*r.Symmetric())
		}
		if r.Hierarchy != nil {
			levels = fmt.Sprint(r.Hierarchy.Levels)
		}
		for _, of := range r.Inverses {
			if inverse == "" && of.Share >= .5 {
				inverse = fmt.Sprintf("%s %.0f %%", of.Relation, 100*of.Share)
			}
		}
		g.Rows = append(g.Rows, []string{r.Relation, quantity.Commas(r.Facts), quantity.Commas(r.Heads),
			quantity.Commas(r.Tails), fmt.Sprintf("%.1f", r.TailsPerHead), fmt.Sprintf("%.1f", r.HeadsPerTail), symmetric,
			levels, inverse, classWords(r.Domain), classWords(r.Range)})
	}
	if s.TypesFrom != "" {
		g.AddNote("%s of %s, %d types, from %s; a share is that of the heads, or tails, of the type",
			quantity.CommaCountOf(s.Typed, "entity", "entities"), quantity.Commas(s.Entities), s.Types, s.TypesFrom)
	} else {
		g.AddNote("no types are given, so heads and tails are described by other relations; a file types.tsv next to the" +
			" graph, with lines of entity and type, or facts of rdf:type give them")
	}
	return g
}

// classWords names the first class, and the second one if its share is half as large or more.
func classWords(list []kg.Class) string {
	var words []string
	for i, c := range list {
		if i < 2 && (i == 0 || c.Share >= list[0].Share/2) {
			words = append(words, c.String())
		}
	}
	return strings.Join(words, ", ")
}
