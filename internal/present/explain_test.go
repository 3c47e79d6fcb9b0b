package present

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// TestExplanationPage: the page has the evidence by kind, every fact of a reason once with its explanation, and the two
// queries with the facts near the asked one.
func TestExplanationPage(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	of, near, low := g.Test[3], g.Test[3], .125
	near.Tail = g.Train[40].Tail
	facts := []evidence.Fact{{Triple: g.Train[1]}, {Triple: g.Train[2]}, {Triple: g.Train[1]}}
	e := &evidence.Evidence{Source: evidence.FromModel, Notes: []string{"a note"}, Reasons: []evidence.Reason{
		{Kind: evidence.Neighbour, Confidence: .5, Premise: 1, Facts: facts[:1], Neighbour: &evidence.Similar{Entity: 3,
			Like: 4, Shared: []evidence.Shared{{Count: 1, Of: 2, Rarest: []int32{5}}}}},
		{Kind: evidence.Path, Confidence: .25, Premise: 1, Facts: facts, Without: &low}}}
	e.Name(g, of)
	x := &retrieve.Explanation{Triple: of, Head: g.Label(of.Head), Relation: g.RelationLabel(of.Relation),
		Tail: g.Label(of.Tail), Verdict: "likely", Notes: []string{"turned"}, Evidence: e,
		AsTail: retrieve.Position{Query: of.Query(kg.TailSide), InSet: true, Before: 2,
			Nearest: []retrieve.Member{{Entity: near.Tail, Label: "near", Slack: .5}}},
		AsHead: retrieve.Position{Query: of.Query(kg.HeadSide), Before: 7}}
	page := explanationPage(x, wordsOf(g))
	if page.Title != evidence.FactOf(g, of).String() || page.Verdict != "likely" || !slices.Equal(page.Notes, x.Notes) ||
		len(page.Numbers) != len(x.Numbers()) {
		t.Errorf("%+v", page)
	}
	kinds := page.Evidence.Kinds
	if len(kinds) != 2 || kinds[0].Heading != evidence.Path.Heading() ||
		kinds[1].Heading != evidence.Neighbour.Heading() || page.Evidence.Notes[0] != "a note" || page.Evidence.Title != e.Title() {
		t.Fatalf("%+v", page.Evidence)
	}
	path := kinds[0].List[0]
	if path.Numbers != "share 0.250; probability without these facts 0.125" || path.Text != e.Reasons[1].Text || len(path.Facts) != 2 {
		t.Errorf("%+v", path)
	}
	for i, f := range path.Facts {
		got, err := retrieve.ParseTriple(g, f.Asked.Head, f.Asked.Relation, f.Asked.Tail)
		if err != nil || got != g.Train[i+1] || f.Text != evidence.FactOf(g, got).String() {
			t.Errorf("fact %d is %+v, %v", i, f, err)
		}
	}
	tail, head := page.Places[0], page.Places[1]
	if tail.Asked.Tail != "?" || tail.Asked.Head == "?" || head.Asked.Head != "?" ||
		tail.Query != x.Head+" "+x.Relation+" ?" ||
		!strings.HasPrefix(tail.Text, "in the set: ") || !strings.Contains(tail.Text, "rank 3") ||
		!strings.HasPrefix(head.Text, "outside the set: ") || !strings.Contains(head.Text, "rank 8") {
		t.Errorf("%+v, %+v", tail, head)
	}
	if q := tail.Nearest.Facts[0]; len(head.Nearest.Rows) != 0 || tail.Nearest.Rows[0][0] != "near" ||
		q.Tail != g.EntityWords()[near.Tail] || q.Head != tail.Asked.Head {
		t.Errorf("nearest %+v, %+v", tail.Nearest, head.Nearest)
	}
	if evidencePage(nil, graphWords{}) != nil {
		t.Error("without evidence there is some")
	}
}
