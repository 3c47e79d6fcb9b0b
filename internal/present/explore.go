package present

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/explore"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// How much a sight has at the most, and leastShown, how many entities are shown where the cut has none.
const (
	maxNearest  = 12   // spheres
	maxGuesses  = 12   // inferred facts
	maxGroups   = 24   // questions that facts answer
	maxOfGroup  = 12   // facts of a question
	beyondCut   = 400  // entities beyond the cut
	maxTouched  = 2000 // entities of the cut and beyond
	leastShown  = 10
	shownDigits = 3
)

func (r *Reader) Explores(info tracker.RunInfo) bool { return explore.Shows(info) }

// layout returns the space of a run.
func (r *Reader) layout(ctx context.Context, info tracker.RunInfo) (*explore.Space, error) {
	l, err := r.load(ctx, info)
	if err != nil {
		return nil, err
	}
	return l.layout(ctx)
}

func (r *Reader) Space(ctx context.Context, info tracker.RunInfo) (web.Space, error) {
	s, err := r.layout(ctx, info)
	if err != nil {
		return web.Space{}, err
	}
	g := s.Run.Graph
	x := web.Space{Names: g.EntityWords(), X: s.X, Y: s.Y, Radius: s.Radius, Degree: s.Known, Note: s.Note(),
		Exact: s.Exact}
	if typing := g.Typing(); typing != nil {
		x.Kinds, x.Kind = typing.Names, make([]int, len(x.X))
		for e, of := range typing.Of {
			x.Kind[e] = -1
			if len(of) > 0 {
				x.Kind[e] = int(of[0])
			}
		}
	}
	return x, nil
}

func (r *Reader) See(ctx context.Context, info tracker.RunInfo, spot web.Spot) (web.Sight, error) {
	s, err := r.layout(ctx, info)
	if err != nil {
		return web.Sight{}, err
	}
	entity, err := s.Run.Graph.FindEntity(spot.Entity)
	if err != nil {
		return web.Sight{}, err
	}
	words := wordsOf(s.Run.Graph)
	x := web.Sight{ID: int(entity), Name: words.entities[entity], Note: s.Note(), Traits: traits(s, entity)}
	for _, n := range s.Nearest(entity, maxNearest) {
		x.Nearest = append(x.Nearest, web.Seen{ID: int(n.Entity), Name: words.entities[n.Entity],
			Numbers: fmt.Sprintf("gap %+.*f", shownDigits, n.Gap)})
	}
	facts := s.FactsOf(entity)
	x.Facts, x.More = factGroups(facts, words)
	if spot.Relation == "" {
		x.Guesses, err = r.guesses(ctx, s, facts[:min(len(facts), maxGroups)], spot)
		return x, err
	}
	query, err := spotQuery(s, spot)
	if err != nil {
		return web.Sight{}, err
	}
	touched, err := r.touch(ctx, s, query, spot)
	if err != nil {
		return web.Sight{}, err
	}
	x.Touched = touchedPage(s, touched, spot, words)
	x.Touched.Other, err = r.other(ctx, s, query, spot)
	return x, err
}

// guesses lays out what is inferred of an entity, whose facts these are.
func (r *Reader) guesses(ctx context.Context, s *explore.Space, facts []explore.Facts, spot web.Spot) (
	list []web.Seen, err error,
) {
	p, end := r.o.Progress()
	defer end()
	all, err := s.Guesses(ctx, facts, answer.Cut{Name: spot.Cut}, maxGuesses, p)
	if err != nil {
		return nil, err
	}
	w := wordsOf(s.Run.Graph)
	for _, g := range all {
		question := w.relations[g.Query.Relation] + " ?"
		if g.Query.Side == kg.HeadSide {
			question = "? " + w.relations[g.Query.Relation]
		}
		seen := web.Seen{ID: int(g.Entity), Name: w.entities[g.Entity], Mark: retrieve.Inferred.String(),
			Numbers: fmt.Sprintf("%s, slack %.*f", question, shownDigits, g.Slack), Fact: w.fact(g.Query.Triple(g.Entity))}
		if g.Probability != nil {
			seen.Numbers = question + ", p " + probabilityText(g.Probability)
		}
		list = append(list, seen)
	}
	return list, nil
}

// other lays out what the run that a spot names answers; nil where it names none.
func (r *Reader) other(ctx context.Context, s *explore.Space, q kg.Query, spot web.Spot) (*web.Other, error) {
	if spot.Against == "" {
		return nil, nil
	}
	info, err := answer.FindModel(ctx, r.tracker, spot.Against)
	if err != nil {
		return nil, err
	}
	run, err := r.model(ctx, info)
	if err != nil {
		return nil, err
	}
	p, end := r.o.Progress()
	defer end()
	a, err := s.Against(ctx, run, q, p)
	if err != nil {
		return nil, err
	}
	w := wordsOf(s.Run.Graph)
	page := &web.Other{Run: run.Info.Name, Cut: a.Cut}
	for _, m := range a.Set[:min(len(a.Set), maxTouched)] {
		page.List = append(page.List, web.Seen{ID: int(m.Entity), Name: w.entities[m.Entity],
			Mark: explore.Mark(m).String(), Fact: w.fact(q.Triple(m.Entity))})
	}
	return page, nil
}

// spotQuery is the question of a spot that has a relation.
func spotQuery(s *explore.Space, spot web.Spot) (kg.Query, error) {
	if spot.Heads {
		return retrieve.ParseQuery(s.Run.Graph, retrieve.Unknown, spot.Relation, spot.Entity)
	}
	return retrieve.ParseQuery(s.Run.Graph, spot.Entity, spot.Relation, retrieve.Unknown)
}

func (r *Reader) touch(ctx context.Context, s *explore.Space, q kg.Query, spot web.Spot) (*explore.Touched, error) {
	p, end := r.o.Progress()
	defer end()
	return s.Touch(ctx, q, answer.Cut{Name: spot.Cut}, beyondCut, maxTouched, p)
}

// sizes returns how many entities are the set of a spot, as many as it asks for or else those of the cut, and how many
// are shown: the set, or some where the cut has none.
func sizes(t *explore.Touched, spot web.Spot) (set, shown int) {
	if spot.Size >= 0 {
		set = min(spot.Size, len(t.Members))
		return set, set
	}
	return min(t.Usual, len(t.Members)), min(cmp.Or(t.Usual, leastShown), len(t.Members))
}

func traits(s *explore.Space, e int32) [][2]string {
	list := [][2]string{{"known facts", quantity.Commas(s.Known[e])}}
	if s.Run.Model.HasRadii() {
		list = append(list, [2]string{"radius", fmt.Sprintf("%.*f", shownDigits, s.Radius[e])})
	}
	if typing := s.Run.Graph.Typing(); typing != nil && len(typing.Of[e]) > 0 {
		var names []string
		for _, kind := range typing.Of[e] {
			names = append(names, typing.Names[kind])
		}
		list = append(list, [2]string{"type", strings.Join(names, ", ")})
	}
	return list
}

// factGroups lays out an entity's facts, those of the relation with most facts first.
func factGroups(all []explore.Facts, w graphWords) (list []web.SeenFacts, more string) {
	slices.SortStableFunc(all, func(a, b explore.Facts) int { return cmp.Compare(len(b.List), len(a.List)) })
	for _, f := range all[:min(len(all), maxGroups)] {
		heads := f.Query.Side == kg.HeadSide
		group := web.SeenFacts{Relation: w.relations[f.Query.Relation], Heads: heads}
		group.Title = w.entities[f.Query.Known] + " " + group.Relation + " ?"
		if heads {
			group.Title = "? " + group.Relation + " " + w.entities[f.Query.Known]
		}
		var n retrieve.Counts
		for _, fact := range f.List {
			n.Add(fact.Mark)
			if len(group.List) < maxOfGroup {
				group.List = append(group.List, web.Seen{ID: int(fact.Other), Name: w.entities[fact.Other],
					Mark: fact.Mark.String(), Fact: w.fact(f.Query.Triple(fact.Other))})
			}
		}
		group.Counts = fmt.Sprintf("%d known, %d held out", n.Known, n.HeldOut)
		if left := n.Total - len(group.List); left > 0 {
			group.More = fmt.Sprintf("%d more are left out.", left)
		}
		list = append(list, group)
	}
	if left := len(all) - len(list); left > 0 {
		more = quantity.CountOf(left, "question with fewer facts is", "questions with fewer facts are") + " left out."
	}
	return list, more
}

// touchedPage lays out what the moved sphere touches.
func touchedPage(s *explore.Space, t *explore.Touched, spot web.Spot, w graphWords) *web.Touched {
	page := &web.Touched{Cut: t.Cut, Usual: t.Usual, Known: t.Known, HeldOut: t.HeldOut, Path: s.Path(t.Query),
		Reach: t.Reach, Factor: t.Factor}
	page.Set, page.Size = sizes(t, spot)
	known, relation := w.entities[t.Query.Known], w.relations[t.Query.Relation]
	page.Title = known + " " + relation + " ?"
	if t.Query.Side == kg.HeadSide {
		page.Title = "? " + relation + " " + known
	}
	for _, m := range t.Members {
		seen := web.Seen{ID: int(m.Entity), Name: w.entities[m.Entity], Mark: explore.Mark(m).String(),
			Numbers: fmt.Sprintf("%+.*f", shownDigits, m.Value), Fact: w.fact(t.Query.Triple(m.Entity))}
		if m.Probability != nil {
			seen.Numbers += ", p " + probabilityText(m.Probability)
		}
		page.List = append(page.List, seen)
		page.Values = append(page.Values, float64(m.Value))
	}
	if page.Set < page.Size {
		page.Notes = append(page.Notes, fmt.Sprintf("The cut %s has no answers here; the best ones are shown.", t.Cut))
	}
	for _, note := range []string{t.Note, s.Run.UnfinishedNote(), s.Run.CutNote(answer.Cut{Name: spot.Cut})} {
		if note != "" {
			page.Notes = append(page.Notes, note)
		}
	}
	return page
}

func (r *Reader) DrawSight(ctx context.Context, info tracker.RunInfo, spot web.Spot) (chart.Chart, error) {
	s, err := r.layout(ctx, info)
	if err != nil {
		return chart.Chart{}, err
	}
	if spot.Relation == "" {
		entity, err := s.Run.Graph.FindEntity(spot.Entity)
		if err != nil {
			return chart.Chart{}, err
		}
		return s.Around(entity), nil
	}
	query, err := spotQuery(s, spot)
	if err != nil {
		return chart.Chart{}, err
	}
	t, err := r.touch(ctx, s, query, spot)
	if err != nil {
		return chart.Chart{}, err
	}
	_, shown := sizes(t, spot)
	return s.Moved(t, shown), nil
}
