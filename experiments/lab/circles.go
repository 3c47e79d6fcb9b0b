package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// How many entities Circles draws, those with the best scores: more hide each other.
const (
	shownInferred  = 40
	shownUntouched = 25
)

// circleMarks are the marks of answers in a chart.
var circleMarks = map[retrieve.Mark]chart.Mark{
	retrieve.Known: chart.Known, retrieve.HeldOut: chart.HeldOut, retrieve.Inferred: chart.Inferred,
}

// byCriterion is the cut of the criterion that the run's config or its variant chooses; for a model without criteria
// the default cut.
func byCriterion(run *experiments.TrainedRun) experiments.AnswerCut {
	return experiments.AnswerCut{Name: cmp.Or(string(run.Criterion()), run.DefaultCut())}
}

// Circles draws what a model of dimension 1 has learned: every entity is a circle in the plane, the relation turns the
// head's circle around the origin, and the answers are the circles that it then touches. A circle has the learned
// radius if the run's criterion is intersect, and is otherwise widened by gamma/2, so that circles touch where the
// criterion holds; the caption says which it is.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Dim(1).Set("gamma", 0.05).Set("eval.criterion", "intersect"))
//	run.Circles("Max Born", "advised")
//
// It draws all known and held-out answers, the best of the inferred ones, facts that are missed, and the nearest of the
// rest; others are counted. The picture shows head, rotated head and answers at full size: missed facts far away are
// named at its edge. Who touches is exactly who answers by the criterion: run.Cut("sphere").Ask(head, relation, "?").
func (r *Run) Circles(head, relation string) Chart {
	ctx := r.context()
	run := r.trained(ctx)
	if s := run.Model.Settings(); s.Dimension != 1 || s.Model != sphere.SpherE2D {
		panic(fail(NotDrawn, "Circles draws sphere-2d models of dimension 1; run %s is %s of dimension %d. "+
			"lab.Model(\"sphere-2d\").Dim(1) describes one that can be drawn",
			r.label(), sphere.Title(s.Model), s.Dimension))
	}
	q, err := retrieve.ParseQuery(run.Graph, head, relation, retrieve.Unknown)
	check(nameError(run.Graph, err))
	retriever, err := run.Retriever(ctx, byCriterion(run), retrieve.Options{}, nil)
	check(err)
	a, err := retriever.Answer(ctx, q)
	check(err)
	p := newPlane(run.Model.(*sphere.Model), a.Criterion, q) // a stack has no dimension

	circles := []chart.Circle{}
	add := func(c circle, name string, mark chart.Mark) {
		circles = append(circles, chart.Circle{Name: name, X: c.x, Y: c.y, R: c.r, Mark: mark})
	}
	drawn := map[int32]bool{q.Known: true} // as the head
	inferred := 0
	var answers, missed []retrieve.Member
	for _, m := range a.Set {
		if m.Entity == q.Known {
			continue
		}
		drawn[m.Entity] = true
		if m.Mark == retrieve.Inferred {
			inferred++
		}
		if m.Mark != retrieve.Inferred || inferred <= shownInferred {
			answers = append(answers, m)
		}
	}
	for _, m := range a.Missed {
		if m.Entity != q.Known {
			drawn[m.Entity] = true
			missed = append(missed, m)
		}
	}
	var outside []int32
	for e := range int32(run.Model.Entities()) {
		if !drawn[e] {
			outside = append(outside, e)
		}
	}
	slices.SortStableFunc(outside, func(x, y int32) int { return cmp.Compare(a.Slacks[y], a.Slacks[x]) })
	nearest := outside[:min(len(outside), shownUntouched)]
	hidden := len(outside) - len(nearest)
	// The last circle of a mark lies above the others and is named first: that is the best.
	for _, e := range slices.Backward(nearest) {
		add(p.entity(e), run.Graph.Label(e), chart.Untouched)
	}
	for _, m := range slices.Backward(missed) {
		add(p.entity(m.Entity), m.Label, chart.Missed)
	}
	for _, m := range slices.Backward(answers) {
		add(p.entity(m.Entity), m.Label, circleMarks[m.Mark])
	}
	own := p.entity(q.Known)
	add(own, run.Graph.Label(q.Known), chart.Head)
	add(p.turned, relation+" ("+run.Graph.Label(q.Known)+")", chart.Rotated)

	caption := []string{fmt.Sprintf("%s touch the rotated head", counts(a.Total, "entity", "entities"))}
	if a.Slacks[q.Known] >= 0 {
		caption[0] += ", the head itself among them"
	}
	if more := inferred - shownInferred; more > 0 {
		caption = append(caption, counts(more, "inferred answer", "inferred answers")+" of lower score not drawn")
	}
	if len(missed) > 0 {
		caption = append(caption, counts(len(missed), "fact does not", "facts do not"))
	}
	if hidden > 0 {
		caption = append(caption, counts(hidden, "entity further away is", "entities further away are")+" not drawn")
	}
	caption = append(caption, p.rule())
	o := chart.Options{Title: a.QueryText() + "  (" + r.run.Stored.Name + ")", Caption: strings.Join(caption, "; ")}
	return Chart{chart.Circles(o, circles,
		chart.Arrow{Name: relation, FromX: own.x, FromY: own.y, ToX: p.turned.x, ToY: p.turned.y})}
}

// circle is a circle in the plane of a model of dimension 1.
type circle struct{ x, y, r float64 }

// plane turns a criterion into geometry: an entity answers q if and only if its circle touches the turned one.
type plane struct {
	model     *sphere.Model
	criterion sphere.Criterion
	factor    float64 // of an entity's radius
	half      float64 // of the threshold, which widens every circle
	turned    circle
}

func newPlane(m *sphere.Model, c sphere.Criterion, q kg.Query) plane {
	known, answer, threshold := m.Reach(c, q)
	at := m.Point(q)
	p := plane{model: m, criterion: c, factor: float64(answer), half: float64(threshold) / 2}
	p.turned = circle{float64(at[0]), float64(at[1]), float64(known)*float64(m.Radius(q.Known)) + p.half}
	return p
}

func (p plane) entity(e int32) circle {
	at := p.model.Center(e)
	return circle{float64(at[0]), float64(at[1]), p.factor*float64(p.model.Radius(e)) + p.half}
}

// rule says what the circles are.
func (p plane) rule() string {
	switch {
	case p.criterion == sphere.CriterionIntersect:
		return "a circle has the learned radius"
	case p.factor != 1:
		return fmt.Sprintf("a circle has %.4g times the learned radius, plus gamma/2 = %.4g (criterion %s)",
			p.factor, p.half, p.criterion)
	}
	return fmt.Sprintf("a circle has the learned radius plus gamma/2 = %.4g (criterion %s)", p.half, p.criterion)
}
