package present

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// Explain explains a fact with the model of a run.
func (r *Reader) Explain(ctx context.Context, info tracker.RunInfo, q web.Question) (web.Explanation, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return web.Explanation{}, err
	}
	fact, err := retrieve.ParseTriple(run.Graph, q.Head, q.Relation, q.Tail)
	if err != nil {
		return web.Explanation{}, err
	}
	p, end := r.o.Progress()
	defer end()
	cut := answer.Cut{Name: q.Cut}
	retriever, err := run.Retriever(ctx, cut, retrieve.Options{}, p)
	if err != nil {
		return web.Explanation{}, err
	}
	x, err := retriever.Explain(ctx, fact)
	if err != nil {
		return web.Explanation{}, err
	}
	page := explanationPage(x, wordsOf(run.Graph))
	for _, note := range []string{run.UnfinishedNote(), run.CutNote(cut)} {
		if note != "" {
			page.Cut = append(page.Cut, note)
		}
	}
	return page, nil
}

// graphWords are words by which a reader names what is in a graph.
type graphWords struct{ entities, relations []string }

func wordsOf(g *kg.Graph) graphWords { return graphWords{g.EntityWords(), g.RelationWords()} }

// fact returns a fact as a question without a gap.
func (w graphWords) fact(t kg.Triple) web.Question {
	return web.Question{Head: w.entities[t.Head], Relation: w.relations[t.Relation], Tail: w.entities[t.Tail]}
}

// facts returns the facts of the answers to a query.
func (w graphWords) facts(q kg.Query, list []retrieve.Member) (facts []web.Question) {
	for _, m := range list {
		facts = append(facts, w.fact(q.Triple(m.Entity)))
	}
	return facts
}

// explanationPage lays out an explanation.
func explanationPage(x *retrieve.Explanation, w graphWords) web.Explanation {
	page := web.Explanation{Title: x.Head + " " + x.Relation + " " + x.Tail, Verdict: x.Verdict, Numbers: x.Numbers(),
		Notes: slices.Clone(x.Notes), Evidence: evidencePage(x.Evidence, w)}
	asTail, asHead := w.fact(x.Triple), w.fact(x.Triple)
	asTail.Tail, asHead.Head = retrieve.Unknown, retrieve.Unknown
	for _, side := range []struct {
		query string
		asked web.Question
		at    retrieve.Position
	}{{x.Head + " " + x.Relation + " ?", asTail, x.AsTail}, {"? " + x.Relation + " " + x.Tail, asHead, x.AsHead}} {
		in := "outside the set"
		if side.at.InSet {
			in = "in the set"
		}
		page.Places = append(page.Places, web.Place{Query: side.query, Asked: side.asked, Text: in + ": " + side.at.Numbers(),
			Nearest: nearestTable(side.at, w)})
	}
	return page
}

// nearestTable has the facts of the graph that answer the query of a position, those that the model finds best.
func nearestTable(p retrieve.Position, w graphWords) web.Table {
	t := web.Table{Title: "nearest facts of the graph", Columns: []web.Column{{Heading: "nearest facts of the graph"},
		{Heading: "mark"}, {Heading: "slack", Right: true}}, Facts: w.facts(p.Query, p.Nearest)}
	for _, m := range p.Nearest {
		t.Rows = append(t.Rows, []string{m.Label, m.Words(), fmt.Sprintf("%+.3f", m.Slack)})
	}
	return t
}

// evidencePage lays out the facts behind an answer.
func evidencePage(e *evidence.Evidence, w graphWords) *web.Evidence {
	if e == nil {
		return nil
	}
	page := &web.Evidence{Title: e.Title(), None: evidence.None, Notes: e.Notes}
	for _, kind := range evidence.Kinds() {
		list := web.Reasons{Heading: kind.Heading()}
		for _, r := range e.Of(kind) {
			reason := web.Reason{Text: r.Text, Numbers: fmt.Sprintf("%s %.3f", kind.Measure(), r.Confidence)}
			if r.Without != nil {
				reason.Numbers += fmt.Sprintf("; probability without these facts %.3f", *r.Without)
			}
			seen := map[kg.Triple]bool{}
			for _, f := range r.Facts {
				if !seen[f.Triple] {
					seen[f.Triple] = true
					reason.Facts = append(reason.Facts, web.Fact{Text: f.String(), Asked: w.fact(f.Triple)})
				}
			}
			list.List = append(list.List, reason)
		}
		if len(list.List) > 0 {
			page.Kinds = append(page.Kinds, list)
		}
	}
	return page
}
