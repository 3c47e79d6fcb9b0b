package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Chart is a chart of a run. It is shown as any chart.Chart is, and its options can be changed as there; the embedded Chart
// is what functions of package chart take:
//
//	chart.Stack(chart.Options{}, a.Curve().Chart, b.Curve().Chart)
type Chart struct{ chart.Chart }

// Write writes the chart to a file, in the format that the end of its name says: .svg, .png or .txt. What goes wrong ends
// the cell.
func (c Chart) Write(path string) { check(c.Chart.WriteFile(path)) }

// WriteFile is Write under the name that a chart.Chart has for it. It has no result: what goes wrong ends the cell.
func (c Chart) WriteFile(path string) { c.Write(path) }

// Curve draws the loss and, where there were validations, their F1 over the epochs, as logged.
func (r *Run) Curve() Chart {
	ctx := r.context()
	t := r.session.tracker(ctx)
	line := func(name, key string) chart.Series {
		x, y := history(ctx, t, r.info.ID, key)
		return chart.Series{Name: name, X: x, Y: y}
	}
	loss := line("loss", "loss")
	if len(loss.Y) == 0 {
		panic(fail(NotDrawn, "run %s has logged no loss", r.label()))
	}
	title := "training of " + r.info.Name
	first := chart.Line(chart.Options{YLabel: "loss", XLabel: "epoch"}, loss)
	head, tail := line("head F1", "valid/head_f1"), line("tail F1", "valid/tail_f1")
	if len(head.Y) == 0 {
		first.Title = title
		return Chart{first}
	}
	return Chart{chart.Stack(chart.Options{Title: title}, first, chart.Line(chart.Options{YLabel: "F1 of validation", XLabel: "epoch"}, head, tail))}
}

// Radii draws the learned radius of each entity against the number of training facts that it occurs in. The caption has
// their rank correlation (Spearman).
func (r *Run) Radii() Chart {
	run := r.trained(r.context())
	if !run.Model.HasRadii() {
		panic(fail(NotDrawn, "the entities of run %s are points without radii; lab.Model(\"sphere-2d\") has radii", r.label()))
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
		if n > 0 { // one without facts has the radius that it was drawn with
			s.X, s.Y = append(s.X, n), append(s.Y, float64(run.Model.Radius(int32(e))))
			s.Names = append(s.Names, run.Graph.Label(int32(e)))
		}
	}
	caption := fmt.Sprintf("%s; rank correlation %.2f", counts(len(s.X), "entity", "entities"), spearman(s.X, s.Y))
	return Chart{chart.Scatter(chart.Options{Title: "radius against occurrence, " + r.info.Name, Caption: caption, XLabel: "training facts of the entity",
		YLabel: "radius", LogX: true}, s)}
}

// spearman is the correlation of ranks; equal values share the mean of their ranks. NaN where one side is constant.
func spearman(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	mean := float64(len(x)+1) / 2
	var xy, xx, yy float64
	for i := range a {
		u, v := a[i]-mean, b[i]-mean
		xy, xx, yy = xy+u*v, xx+u*u, yy+v*v
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	r := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			r[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return r
}

// shownBars is how many relations Bars draws.
const shownBars = 40

// Bars draws head and tail F1 of each relation, as evaluated on the test facts; the relations with most facts, first.
func (r *Run) Bars() Chart {
	groups := byFacts(r.report())
	if len(groups) == 0 {
		panic(fail(NotDrawn, "the evaluation of run %s has no relations", r.label()))
	}
	caption := ""
	if more := len(groups) - shownBars; more > 0 {
		caption = fmt.Sprintf("the %d relations with most test facts; %s more are left out", shownBars, thousands(more))
		groups = groups[:shownBars]
	}
	var names []string
	head, tail := chart.Series{Name: "head F1"}, chart.Series{Name: "tail F1"}
	for _, g := range groups {
		names = append(names, fmt.Sprintf("%s (%s, %d)", g.Name, g.Category, g.Head.Triples))
		head.Y, tail.Y = append(head.Y, g.Head.F1), append(tail.Y, g.Tail.F1)
	}
	return Chart{chart.Bar(chart.Options{Title: "F1 by relation (category, test facts), " + r.info.Name, Caption: caption}, names, head, tail)}
}

// PrecisionRecall draws precision against recall of one relation's test questions, heads and tails, over the score from
// which an answer counts. The run's own cut, score 0, is marked. The averages are those of an evaluation: over test
// facts. F1 in this chart is that of the averages, and so not the F1 of Bars, which is the mean over test facts. An empty
// name takes all relations.
//
//	run.PrecisionRecall("advised")
func (r *Run) PrecisionRecall(relation string) Chart {
	ctx := r.context()
	run := r.trained(ctx)
	id := int32(-1)
	what := "all relations"
	if relation != "" {
		var err error
		id, err = run.Graph.FindRelation(relation)
		check(nameError(run.Graph, err))
		what = relation
	}
	questions := testQuestions(run.Graph, id)
	if len(questions) == 0 {
		if len(run.Graph.Test) == 0 {
			panic(noTest(run.Graph))
		}
		panic(fail(NotDrawn, "relation %s has no test facts, so its precision and recall are not known", relation))
	}
	c := newAsker(r, run).sweep(ctx, questions)
	c.Name = r.info.Name
	return Chart{chart.PrecisionRecall(chart.Options{Title: fmt.Sprintf("precision against recall, %s", what),
		Caption: "the number at a point is the score from which an answer counts; the run's own is 0; " +
			"F1 here is that of the averages, not the mean F1 of Bars"}, c)}
}

// question is a distinct test question with its weight.
type question struct {
	query  kg.Query
	weight int // test facts that ask it
}

// testQuestions are the distinct questions of the test facts of a relation; -1 is all of them.
func testQuestions(g *kg.Graph, relation int32) []question {
	at := map[kg.Query]int{}
	var list []question
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
			list = append(list, question{q, 1})
		}
	}
	return list
}

// curvePoints is about how many points a curve of precision against recall has.
const curvePoints = 60

// sweep finds precision and recall of questions for scores from which an answer counts: quantiles of the true answers'
// scores, and 0.
func (a *asker) sweep(ctx context.Context, questions []question) chart.Curve {
	g := a.trained.Graph
	all := g.Index()
	type scored struct{ every, right []float32 } // descending
	answers := make([]scored, len(questions))
	var right []float64
	row := make([]float32, a.entities())
	for i, q := range questions {
		check(ended(ctx))
		a.trained.Model.Distances([]kg.Query{q.query}, row)
		a.slacks(q.query, row)
		s := scored{every: slices.DeleteFunc(slices.Clone(row), func(x float32) bool { return x != x })}
		for _, e := range all.Answers(q.query) {
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
		for j, q := range questions {
			size, hits := from(answers[j].every, cut), from(answers[j].right, cut)
			w := float64(q.weight)
			weight += w
			if hits > 0 {
				precision += w * float64(hits) / float64(size)
				recall += w * float64(hits) / float64(len(all.Answers(q.query)))
			}
		}
		c.Threshold, c.Precision, c.Recall = append(c.Threshold, cut), append(c.Precision, precision/weight), append(c.Recall, recall/weight)
		if cut == 0 {
			c.Marked = []int{i}
		}
	}
	return c
}
