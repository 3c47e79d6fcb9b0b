package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// diseases is a graph of genes, diseases and phenotypes; f finds a fact of it, in training or not.
func diseases(t *testing.T) (g *kg.Graph, f func(h, r, t string) kg.Triple) {
	t.Helper()
	g, err := kg.New("diseases", [][3]string{{"PROM1", "causes", "Cone rod dystrophy"},
		{"ABCA4", "causes", "Cone rod dystrophy"}, {"ABCA4", "causes", "Stargardt disease"}, {"Cone rod dystrophy", "shows", "Night blindness"},
		{"Stargardt disease", "shows", "Night blindness"}}, nil, nil)
	expect.NoError(t, err)
	return g, func(head, relation, tail string) kg.Triple {
		h, err := g.FindEntity(head)
		expect.NoError(t, err)
		r, err := g.FindRelation(relation)
		expect.NoError(t, err)
		to, err := g.FindEntity(tail)
		expect.NoError(t, err)
		return kg.Triple{Head: h, Relation: r, Tail: to}
	}
}

func facts(list ...kg.Triple) (all []Fact) {
	for _, t := range list {
		all = append(all, Fact{Triple: t})
	}
	return all
}

// TestTexts: the reasons are named as people would say them, below a title with the probabilities.
func TestTexts(t *testing.T) {
	t.Parallel()
	g, f := diseases(t)
	of := f("PROM1", "causes", "Stargardt disease")
	rods, gene := f("PROM1", "causes", "Cone rod dystrophy"), f("ABCA4", "causes", "Cone rod dystrophy")
	star, blind := f("ABCA4", "causes", "Stargardt disease"), f("Cone rod dystrophy", "shows", "Night blindness")
	half, low, none := .5, .125, .0625
	e := Evidence{Source: FromModel, Probability: &half, WithoutAll: &none, Notes: []string{"a note"}}
	e.Reasons = []Reason{
		{Kind: Rule, Confidence: .25, Support: 3, Cases: 7, Premise: 3, Facts: facts(rods, gene, star), Without: &low,
			More: 2},
		{Kind: Rule, Confidence: .2, Support: 1, Cases: 2, Premise: 1, Facts: facts(rods, star)},
		{Kind: Rule, Confidence: .1, Support: 5, Cases: 9, Premise: 1, Facts: facts(blind, rods), More: 4},
		{Kind: Neighbour, Confidence: .75, Premise: 1, Facts: facts(rods), Neighbour: &Similar{Entity: rods.Tail,
			Like: of.Tail, Shared: []Shared{
				{RelationID: blind.Relation, Count: 11, Of: 15, Rarest: []int32{blind.Tail}},
				{RelationID: rods.Relation, AsTail: true, Count: 1, Of: 2, Rarest: []int32{gene.Head}}}}},
		{Kind: Neighbour, Confidence: .5, Premise: 1, Facts: facts(star), Neighbour: &Similar{Entity: gene.Head,
			Like: of.Head, Shared: []Shared{{RelationID: rods.Relation, Count: 1, Of: 1, Rarest: []int32{rods.Tail}}}}},
		{Kind: Path, Confidence: .5, Premise: 2, Facts: facts(rods, blind)},
		{Kind: Path, Confidence: .3, Premise: 2, Facts: facts(gene, blind, star, blind, gene, blind), Without: &half},
		{Kind: Path, Confidence: .2, Premise: 1, Facts: facts(star, gene)},
	}
	e.Name(g, of)
	var b strings.Builder
	expect.NoError(t, e.WriteText(&b))
	want := `evidence that the model counts: probability 0.500, without all of these facts 0.062
  paths that carried the score
    share 0.500  PROM1 causes Cone rod dystrophy, Cone rod dystrophy shows Night blindness
    share 0.300, without 0.500  ABCA4 causes Cone rod dystrophy, Cone rod dystrophy shows Night blindness (and 2 paths through the same entities)
    share 0.200  ABCA4 causes Stargardt disease (and 1 fact about the two)
  rules
    confidence 0.250, without 0.125  PROM1 causes Cone rod dystrophy, ABCA4 causes Cone rod dystrophy, ABCA4 causes Stargardt disease (and 2 paths like it); 3 of 7 pairs linked like this have "causes"
    confidence 0.200  PROM1 causes Cone rod dystrophy; of 2 with that, 1 has "? causes Stargardt disease": ABCA4
    confidence 0.100  Cone rod dystrophy shows Night blindness; of 9 with that, 5 have "PROM1 causes ?": Cone rod dystrophy and 4 more
  neighbours
    similarity 0.750  PROM1 causes Cone rod dystrophy, which shares with Stargardt disease 11 of its 15 "shows" (Night blindness and 10 more), 1 of its 2 "causes" as tail (ABCA4)
    similarity 0.500  ABCA4 causes Stargardt disease; ABCA4 shares with PROM1 1 of its 1 "causes" (Cone rod dystrophy)
  note: a note
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	gone := Removed(e.Reasons...)
	if !slices.Equal(gone, g.Without([]kg.Triple{f("Stargardt disease", "shows", "Night blindness")}).Train) {
		t.Errorf("the facts are %v", gone)
	}
}

// TestNoReasons: evidence without reasons says so, and where it is from.
func TestNoReasons(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	expect.NoError(t, (&Evidence{Source: FromGraph}).WriteText(&b))
	expect.NoError(t, (&Evidence{Source: FromNetwork}).WriteText(&b))
	if got := b.String(); got != "evidence counted in the graph, apart from the model\n  ("+None+
		")\nevidence that the model reads\n  ("+None+")\n" {
		t.Errorf("got %q", got)
	}
}
