package answer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// The max numbers of entities that Circles draws, those with the best scores. More would hide each other.
const (
	shownInferred  = 40
	shownUntouched = 25
)

// circleMarks are the marks of answers in a chart.
var circleMarks = map[retrieve.Mark]chart.Mark{
	retrieve.Known: chart.Known, retrieve.HeldOut: chart.HeldOut, retrieve.Inferred: chart.Inferred,
}

// DrawsCircles reports whether Circles can draw the run: a SpherE-2D model of dimension 1.
func (r *Run) DrawsCircles() bool {
	_, single := r.Model.(*sphere.Model) // a stack has no dimension
	s := r.Model.Settings()
	return single && s.Dimension == 1 && s.Model == sphere.SpherE2D
}

// Circles draws what a model of dimension 1 has learned, which DrawsCircles reports: every entity is a circle in the
// plane, the relation turns the circle of the known entity around the origin, and the answers are the circles that it
// then touches. A circle has the learned radius if the cut is the criterion intersect. Otherwise it is wider by half of
// the cut's threshold, which for other criteria is gamma, so that circles touch if and only if the cut holds. The
// caption says which it is.
//
// It draws all known and held-out answers, the best of the inferred ones, facts that are missed, and the nearest of the
// rest; others are counted.
func (r *Run) Circles(ctx context.Context, q kg.Query, cut Cut) (chart.Chart, error) {
	if !r.DrawsCircles() {
		return chart.Chart{}, fmt.Errorf("circles are those of sphere-2d models of dimension 1, not of %s", r.Title())
	}
	retriever, err := r.Retriever(ctx, cut, retrieve.Options{}, nil)
	if err != nil {
		return chart.Chart{}, err
	}
	a, err := retriever.Answer(ctx, q)
	if err != nil {
		return chart.Chart{}, err
	}
	p := newPlane(r.Model.(*sphere.Model), retriever.CutText(), a)

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
		if m.Slack < 0 { // known, and outside the cut
			missed = append(missed, m)
			continue
		}
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
	for e := range int32(r.Model.Entities()) {
		if !drawn[e] {
			outside = append(outside, e)
		}
	}
	slices.SortStableFunc(outside, func(x, y int32) int { return cmp.Compare(a.Slacks[y], a.Slacks[x]) })
	nearest := outside[:min(len(outside), shownUntouched)]
	hidden := len(outside) - len(nearest)
	// The last circle of a mark lies above the others and is named first: that is the best.
	for _, e := range slices.Backward(nearest) {
		add(p.entity(e), r.Graph.Label(e), chart.Untouched)
	}
	for _, m := range slices.Backward(missed) {
		add(p.entity(m.Entity), m.Label, chart.Missed)
	}
	for _, m := range slices.Backward(answers) {
		add(p.entity(m.Entity), m.Label, circleMarks[m.Mark])
	}
	own := p.entity(q.Known)
	relation := a.Relation
	if q.Side == kg.HeadSide {
		relation += ", reversed"
	}
	add(own, r.Graph.Label(q.Known), chart.Head)
	add(p.turned, relation+" ("+r.Graph.Label(q.Known)+")", chart.Rotated)

	caption := []string{p.touching(a.Total - a.Known + a.KnownInSet)}
	if a.Slacks[q.Known] >= 0 {
		caption[0] += ", the head itself among them"
	}
	if more := inferred - shownInferred; more > 0 {
		caption = append(caption, quantity.CountOf(more, "inferred answer", "inferred answers")+" of lower score not drawn")
	}
	switch {
	case len(missed) == 0:
	case p.strict:
		caption = append(caption, quantity.CountOf(len(missed), "fact is not among them", "facts are not among them"))
	default:
		caption = append(caption, quantity.CountOf(len(missed), "fact does not", "facts do not"))
	}
	if hidden > 0 {
		caption = append(caption, quantity.CountOf(hidden, "entity further away is", "entities further away are")+" not drawn")
	}
	caption = append(caption, p.rule())
	o := chart.Options{Title: a.QueryText() + "  (" + r.Info.Name + ")", Caption: strings.Join(caption, "; ")}
	return chart.Circles(o, circles,
		chart.Arrow{Name: relation, FromX: own.x, FromY: own.y, ToX: p.turned.x, ToY: p.turned.y}), nil
}

// circle is a circle in the plane of a model of dimension 1.
type circle struct{ x, y, r float64 }

// plane turns a cut into geometry: an entity is an answer if and only if its circle touches the turned one.
type plane struct {
	model     *sphere.Model
	cut       string
	criterion sphere.Criterion
	factor    float64 // of an entity's radius
	threshold float64 // of the cut
	wider     float64 // how much wider every circle is than its radius
	turned    circle
	strict    bool // some circles touch whose entities are not answers
}

// newPlane is the plane in which circles touch where the cut of an answer holds. A threshold below zero narrows the
// turned circle alone, as others may have no radius. The values of margin end at zero: a cut that distinguishes what
// lies there, such as top-3, has no geometry.
func newPlane(m *sphere.Model, cut string, a *retrieve.Answer) plane {
	q := a.Query
	known, answer, _ := m.Reach(a.Criterion, q)
	at := m.Point(q)
	p := plane{model: m, cut: cut, criterion: a.Criterion, factor: float64(answer), threshold: float64(a.Threshold)}
	p.wider = max(p.threshold/2, 0)
	p.turned = circle{float64(at[0]), float64(at[1]),
		float64(known)*float64(m.Radius(q.Known)) + p.threshold - p.wider}
	for e, slack := range a.Slacks {
		p.strict = p.strict || slack < 0 && int32(e) != q.Known && p.gap(int32(e)) < -roundedGap
	}
	return p
}

func (p plane) entity(e int32) circle {
	at := p.model.Center(e)
	return circle{float64(at[0]), float64(at[1]), p.factor*float64(p.model.Radius(e)) + p.wider}
}

// roundedGap bounds the difference of a gap between single and double precision.
const roundedGap = 1e-5

// gap returns the distance between the circles of an entity and the turned one, below zero if they touch.
func (p plane) gap(e int32) float64 {
	o := p.entity(e)
	return math.Hypot(o.x-p.turned.x, o.y-p.turned.y) - (p.turned.r + o.r)
}

// touching returns a note on how many entities are answers.
func (p plane) touching(n int) string {
	if p.strict {
		return quantity.CountOf(n, "entity is an answer", "entities are answers") + "; others touch, too, but the cut is more strict"
	}
	return quantity.CountOf(n, "entity touches", "entities touch") + " the rotated head"
}

// rule returns a note on what the circles are.
func (p plane) rule() string {
	radius := "the learned radius"
	if p.factor != 1 {
		radius = fmt.Sprintf("%.4g times the learned radius", p.factor)
	}
	switch {
	case p.cut == string(sphere.CriterionIntersect):
		return "a circle has " + radius
	case p.cut == string(p.criterion):
		return fmt.Sprintf("a circle has %s plus gamma/2 = %.4g (criterion %s)", radius, p.wider, p.criterion)
	case math.Abs(p.threshold) < roundedGap:
		return fmt.Sprintf("a circle has %s (cut %s)", radius, p.cut)
	case p.threshold < 0:
		return fmt.Sprintf("a circle has %s, the rotated head's less %.4g (cut %s)", radius, -p.threshold, p.cut)
	}
	return fmt.Sprintf("a circle has %s plus %.4g, half of the threshold (cut %s)", radius, p.wider, p.cut)
}
