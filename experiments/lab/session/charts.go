package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Chart is a chart of a run. It is shown and changed like any chart.Chart. Functions of package chart take the embedded
// Chart:
//
//	chart.Stack(chart.Options{}, a.Curve().Chart, b.Curve().Chart)
type Chart struct{ chart.Chart }

// Write writes the chart to a file. The ending of the name chooses the format: .svg, .pdf, .png or .txt. An error ends
// the cell.
func (c Chart) Write(path string) { check(c.Chart.WriteFile(path)) }

// WriteFile is Write under chart.Chart's name for it. It has no result: an error ends the cell.
func (c Chart) WriteFile(path string) { c.Write(path) }

// Curve draws the logged loss over the epochs and, if there were validations, their F1.
func (r *Run) Curve() Chart {
	ctx := r.context()
	from := r.session.reader(ctx, r)
	line := func(name, key string) chart.Series {
		x, y := history(ctx, from, r.run.Stored.ID, key)
		return chart.Series{Name: name, X: x, Y: y}
	}
	loss := line("loss", "loss")
	if len(loss.Y) == 0 {
		panic(fail(NotDrawn, "run %s has logged no loss", r.label()))
	}
	title := "training of " + r.run.Stored.Name
	first := chart.Line(chart.Options{YLabel: "loss", XLabel: "epoch"}, loss)
	head, tail := line("head F1", "valid/head_f1"), line("tail F1", "valid/tail_f1")
	if len(head.Y) == 0 {
		first.Title = title
		return Chart{first}
	}
	second := chart.Line(chart.Options{YLabel: "F1 of validation", XLabel: "epoch"}, head, tail)
	return Chart{chart.Stack(chart.Options{Title: title}, first, second)}
}

// Radii draws the learned radius of each entity against the number of training facts that it occurs in. The caption has
// their rank correlation (Spearman).
func (r *Run) Radii() Chart {
	run := r.loadTrained(r.context())
	if !run.Model.HasRadii() {
		panic(fail(NotDrawn, `the entities of run %s are points without radii; lab.Model("sphere-2d") has radii`,
			r.label()))
	}
	occurrences := make([]float64, run.Graph.Entities.Len())
	for _, t := range run.Graph.Train {
		occurrences[t.Head]++
		if t.Tail != t.Head {
			occurrences[t.Tail]++
		}
	}
	s := chart.Series{Name: "entities"}
	for e, n := range occurrences {
		if n > 0 { // without facts an entity keeps its initial radius
			s.X, s.Y = append(s.X, n), append(s.Y, float64(run.Model.Radius(int32(e))))
			s.Names = append(s.Names, run.Graph.Label(int32(e)))
		}
	}
	caption := fmt.Sprintf("%s; rank correlation %.2f", quantity.CommaCountOf(len(s.X), "entity", "entities"), eval.Spearman(s.X, s.Y))
	return Chart{chart.Scatter(chart.Options{Title: "radius against occurrence, " + r.run.Stored.Name, Caption: caption,
		XLabel: "training facts of the entity", YLabel: "radius", LogX: true}, s)}
}

// RadiusPlot draws the paper's figure: the mean radius of the entities that occur in equally many triples of all
// splits. Radii draws every entity.
func (r *Run) RadiusPlot() Chart { return Chart{r.radii(1).Chart()} }

// Spheres lists the n largest and the n smallest spheres, with the number of triples of all splits that the entity is
// in. The program contains the radii of some runs. If such a run has no trained model here, n is at most 10.
func (r *Run) Spheres(n int) *Rows {
	radii := r.radii(n)
	rows := &Rows{title: "largest and smallest spheres, " + r.run.Stored.Name,
		columns: []string{"spheres", "entity", "occurrences", "radius"},
		notes: []string{fmt.Sprintf("rank correlation of occurrences and radius over %s: %.2f",
			quantity.CommaCountOf(radii.Entities, "entity", "entities"), radii.Spearman)}}
	for _, part := range []struct {
		name string
		list []answer.EntityRadius
	}{{"largest", radii.Largest}, {"smallest", radii.Smallest}} {
		for _, e := range part.list {
			rows.values = append(rows.values, []interface{}{part.name, cmp.Or(e.Label, e.Name), int64(e.Occurrences),
				e.Radius})
		}
	}
	return rows
}

// radii measures the run's radii.
func (r *Run) radii(top int) *answer.Radii {
	if top < 1 {
		panic(fail(Failed, "Spheres(%d): the number must be at least 1", top))
	}
	if !answer.HasModel(r.logged().Stored) {
		list, err := results.EmbeddedRadii()
		check(err)
		if found := results.FindRadii(list, "", r.run.Checkpoint); found != nil {
			return found.Top(top)
		}
	}
	radii, err := r.loadTrained(r.context()).Radii(top)
	if none := (*answer.NoRadiiError)(nil); errors.As(err, &none) {
		panic(fail(NotDrawn, `the entities of run %s are points without radii; lab.Model("sphere-2d") has radii`,
			r.label()))
	}
	check(err)
	return radii
}

// shownBars is the number of relations that Bars draws.
const shownBars = 40

// Bars draws head and tail F1 of the relations with the most facts, most facts first, as evaluated on the test facts by
// the run's criterion.
func (r *Run) Bars() Chart {
	report := r.report()
	groups := byFacts(report)
	if len(groups) == 0 {
		panic(fail(NotDrawn, "the evaluation of run %s has no relations", r.label()))
	}
	caption := ""
	if more := len(groups) - shownBars; more > 0 {
		caption = fmt.Sprintf("the %d relations with the most test facts; %s more are left out", shownBars, quantity.Commas(more))
		groups = groups[:shownBars]
	}
	var names []string
	head, tail := chart.Series{Name: "head F1"}, chart.Series{Name: "tail F1"}
	for _, g := range groups {
		names = append(names, fmt.Sprintf("%s (%s, %d)", g.Name, g.Category, g.Head.Triples))
		head.Y, tail.Y = append(head.Y, g.Head.F1), append(tail.Y, g.Tail.F1)
	}
	o := chart.Options{Caption: caption, Title: fmt.Sprintf("F1 by relation (category, test facts), %s, cut %s",
		r.run.Stored.Name, report.Primary)}
	return Chart{chart.Bar(o, names, head, tail)}
}

// PrecisionRecall draws precision against recall of one relation's test queries, heads and tails, over the score from
// which an answer counts. Score 0, the threshold of the run's criterion, is marked. Precision and recall are means over
// test facts, as in an evaluation. F1 is computed from these means here, while Bars shows the mean of F1. An empty name
// means all relations.
//
//	run.PrecisionRecall("advised")
func (r *Run) PrecisionRecall(relation string) Chart {
	ctx := r.context()
	run := r.loadTrained(ctx)
	id := int32(-1)
	what := "all relations"
	if relation != "" {
		var err error
		id, err = run.Graph.FindRelation(relation)
		check(nameError(run.Graph, err))
		what = relation
	}
	queries := testQueries(run.Graph, id)
	if len(queries) == 0 {
		if len(run.Graph.Test) == 0 {
			panic(noTest(run))
		}
		panic(fail(NotDrawn, "relation %s has no test facts, so its precision and recall are not known", relation))
	}
	c := sweep(ctx, run, queries)
	c.Name = r.run.Stored.Name
	return Chart{chart.PrecisionRecall(chart.Options{
		Title: fmt.Sprintf("precision against recall, %s, cut %s", what, byCriterion(run).Name),
		Caption: "the number at a point is the score from which an answer counts; at 0 the cut's set ends; " +
			"F1 here is that of the averages, not the mean F1 of Bars"}, c)}
}

// byCriterion returns the cut of the criterion that the run's config or its variant chooses, or the default cut for a
// model without criteria.
func byCriterion(run *answer.Run) answer.Cut {
	return answer.Cut{Name: cmp.Or(string(run.Criterion()), run.UsualCut())}
}

// testQuery is a distinct query of the test facts with its weight.
type testQuery struct {
	kg.Query
	weight int // test facts that have it
}

// testQueries returns the distinct queries of the test facts of a relation, -1 meaning all relations.
func testQueries(g *kg.Graph, relation int32) []testQuery {
	at := map[kg.Query]int{}
	var list []testQuery
	for _, t := range g.Test {
		if relation >= 0 && t.Relation != relation {
			continue
		}
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			q := t.Query(side)
			if i, ok := at[q]; ok {
				list[i].weight++
				continue
			}
			at[q] = len(list)
			list = append(list, testQuery{q, 1})
		}
	}
	return list
}

// curvePoints is the approximate number of points of a curve of precision against recall.
const curvePoints = 60

// sweep finds precision and recall of queries for scores from which an answer counts: quantiles of the true answers'
// scores, and 0.
func sweep(ctx context.Context, run *answer.Run, queries []testQuery) chart.Curve {
	retriever, err := run.Retriever(ctx, byCriterion(run), retrieve.Options{}, nil)
	check(err)
	all := run.Graph.Index()
	type scored struct{ every, right []float32 } // descending
	answers := make([]scored, len(queries))
	var right []float64
	row := make([]float32, run.Graph.Entities.Len())
	for i, q := range queries {
		check(retriever.Slacks(ctx, []kg.Query{q.Query}, row))
		s := scored{every: slices.DeleteFunc(slices.Clone(row), func(x float32) bool { return x != x })}
		for _, e := range all.Answers(q.Query) {
			if x := row[e]; x == x {
				s.right = append(s.right, x)
				right = append(right, float64(x))
			}
		}
		descending := func(x, y float32) int { return cmp.Compare(y, x) }
		slices.SortFunc(s.every, descending)
		slices.SortFunc(s.right, descending)
		answers[i] = s
	}
	slices.Sort(right)
	cuts := []float64{0}
	for k := 0; k <= curvePoints && len(right) > 0; k++ {
		cuts = append(cuts, right[k*(len(right)-1)/curvePoints])
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	from := func(list []float32, cut float64) int {
		return sort.Search(len(list), func(i int) bool { return float64(list[i]) < cut })
	}
	var c chart.Curve
	for i, cut := range cuts {
		var precision, recall, weight float64
		for j, q := range queries {
			size, hits := from(answers[j].every, cut), from(answers[j].right, cut)
			w := float64(q.weight)
			weight += w
			if hits > 0 {
				precision += w * float64(hits) / float64(size)
				recall += w * float64(hits) / float64(len(all.Answers(q.Query)))
			}
		}
		c.Threshold = append(c.Threshold, cut)
		c.Precision, c.Recall = append(c.Precision, precision/weight), append(c.Recall, recall/weight)
		if cut == 0 {
			c.Marked = []int{i}
		}
	}
	return c
}
