package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// How many entities Circles draws, those with the best scores: more hide each other.
const (
	shownInferred  = 40
	shownUntouched = 25
)

// Circles draws what a model of dimension 1 has learned: every entity is a circle in the plane, the relation turns the
// head's circle around the origin, and the answers are the circles that it then touches. A circle has the learned radius
// if the run's criterion is intersect, and is otherwise widened by gamma/2, so that circles touch where the criterion
// holds; the caption says which it is.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Dim(1).Set("gamma", 0.05).Set("eval.criterion", "intersect"))
//	run.Circles("Max Born", "advised")
//
// Drawn are all answers that are facts of the graph, of any split, the best of the inferred ones, facts that are missed,
// and the nearest of the rest; others are counted. The picture shows head, rotated head and answers at full size: missed
// facts far away are named at its edge. Who touches is exactly who answers: run.Ask(head, relation, "?").
func (r *Run) Circles(head, relation string) Chart {
	run := r.trained(r.session.context())
	if s := run.Model.Settings(); s.Dimension != 1 || s.Model != sphere.SpherE2D {
		panic(fail(NotDrawn, "Circles draws sphere-2d models of dimension 1; run %s is %s of dimension %d. lab.Model(\"sphere-2d\").Dim(1) describes one that can be drawn",
			r.label(), experiments.ModelTitle(s.Model), s.Dimension))
	}
	q, err := retrieve.ParseQuery(run.Graph, head, relation, retrieve.Unknown)
	check(nameError(run.Graph, err))
	set := newAsker(r, run).ask(q)
	p := newPlane(run.Model, set.asker.criterion, q)

	circles := []chart.Circle{}
	add := func(c circle, name string, mark chart.Mark) {
		circles = append(circles, chart.Circle{Name: name, X: c.x, Y: c.y, R: c.r, Mark: mark})
	}
	var found, outside []int32
	missed, proof, turned := 0, 0, p.turned
	for e := range int32(run.Model.Entities()) {
		switch {
		case e == q.Known: // drawn as the head
		case set.in[e] && set.levels[e] == inferred:
			found = append(found, e)
		case set.in[e]:
			add(p.entity(e), run.Graph.Label(e), chart.Known)
			if set.levels[e] == proven {
				proof++
			}
		case set.levels[e] != inferred:
			add(p.entity(e), run.Graph.Label(e), chart.Missed)
			missed++
		default:
			outside = append(outside, e)
		}
	}
	best := func(list []int32, limit int, mark chart.Mark) (hidden int) {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(set.scores[b], set.scores[a]) })
		hidden = max(0, len(list)-limit)
		for _, e := range list[:len(list)-hidden] {
			add(p.entity(e), run.Graph.Label(e), mark)
		}
		return hidden
	}
	more := best(found, shownInferred, chart.Inferred)
	hidden := best(outside, shownUntouched, chart.Untouched)
	own := p.entity(q.Known)
	add(own, run.Graph.Label(q.Known), chart.Head)
	add(turned, relation+" ("+run.Graph.Label(q.Known)+")", chart.Rotated)

	caption := []string{fmt.Sprintf("%s touch the rotated head", counts(len(set.members), "entity", "entities"))}
	if set.in[q.Known] {
		caption[0] += ", the head itself among them"
	}
	if proof > 0 {
		caption = append(caption, fmt.Sprintf("of those that are facts %d from the test split alone", proof))
	}
	if more > 0 {
		caption = append(caption, counts(more, "inferred answer", "inferred answers")+" of lower score not drawn")
	}
	if missed > 0 {
		caption = append(caption, counts(missed, "fact does not", "facts do not"))
	}
	if hidden > 0 {
		caption = append(caption, counts(hidden, "entity further away is", "entities further away are")+" not drawn")
	}
	caption = append(caption, p.rule())
	return Chart{chart.Circles(chart.Options{Title: set.question + "  (" + r.info.Name + ")", Caption: strings.Join(caption, "; ")}, circles,
		chart.Arrow{Name: relation, FromX: own.x, FromY: own.y, ToX: turned.x, ToY: turned.y})}
}

// circle is a circle in the plane of a model of dimension 1.
type circle struct{ x, y, r float64 }

// plane turns a criterion into geometry: an entity answers q if and only if its circle touches the turned one.
type plane struct {
	model     *sphere.Model
	criterion sphere.Criterion
	asked     float64 // factor of an entity's radius
	half      float64 // of the cut, which widens every circle
	turned    circle
}

func newPlane(m *sphere.Model, c sphere.Criterion, q kg.Query) plane {
	known, asked, cut := m.Reach(c, q)
	at := m.Point(q)
	p := plane{model: m, criterion: c, asked: float64(asked), half: float64(cut) / 2}
	p.turned = circle{float64(at[0]), float64(at[1]), float64(known)*float64(m.Radius(q.Known)) + p.half}
	return p
}

func (p plane) entity(e int32) circle {
	at := p.model.Center(e)
	return circle{float64(at[0]), float64(at[1]), p.asked*float64(p.model.Radius(e)) + p.half}
}

// rule says what the circles are.
func (p plane) rule() string {
	switch {
	case p.criterion == sphere.CriterionIntersect:
		return "a circle has the learned radius"
	case p.asked != 1:
		return fmt.Sprintf("a circle has %.4g times the learned radius, plus gamma/2 = %.4g (criterion %s)", p.asked, p.half, p.criterion)
	}
	return fmt.Sprintf("a circle has the learned radius plus gamma/2 = %.4g (criterion %s)", p.half, p.criterion)
}
