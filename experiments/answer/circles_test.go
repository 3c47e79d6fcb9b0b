package answer

import (
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// drawnRun is a run with an untrained model of the bundled graph.
func drawnRun(t *testing.T, s sphere.Settings) *Run {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	s.Epsilon, s.Tau, s.Alpha, s.Beta = 2, .1, .1, .06
	m, err := sphere.New(s, g, 7)
	expect.NoError(t, err)
	c := config.Default()
	c.Model, c.Variant, c.Dimension, c.Gamma = s.Model, s.Variant, s.Dimension, s.Gamma
	return &Run{Info: tracker.RunInfo{Name: "drawn"}, Graph: g, Model: m, Config: c}
}

// TestGeometryIsAnswer: for every query and every entity of models of dimension 1, circles touch if and only if the
// entity is an answer. Geometry is computed in float64 from centres and radii alone. Values that the model's float32
// cannot tell from the border may fall on either side.
func TestGeometryIsAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variant   string
		criterion sphere.Criterion
		gamma     float64
	}{
		{sphere.Clean, sphere.CriterionSphere, 1}, {sphere.Clean, sphere.CriterionMargin, 1},
		{sphere.Clean, sphere.CriterionIntersect, 6},
		{sphere.Released, sphere.CriterionMargin, 2}, {sphere.Released, sphere.CriterionSphere, 2},
		{sphere.Paper, sphere.CriterionIntersect, 6}, {sphere.Paper, sphere.CriterionMargin, 1},
	} {
		run := drawnRun(t, sphere.Settings{Model: sphere.SpherE2D, Variant: c.variant, Dimension: 1, Gamma: c.gamma})
		retriever, err := run.Retriever(t.Context(), Cut{Name: string(c.criterion)}, retrieve.Options{}, nil)
		expect.NoError(t, err)
		g := run.Graph
		touching, apart, border := 0, 0, 0
		for head := range int32(g.Entities.Len()) {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				q := kg.Query{Side: side, Known: head, Relation: head % int32(g.Relations.Len())}
				a, err := retriever.Answer(t.Context(), q)
				expect.NoError(t, err)
				p := newPlane(run.Model.(*sphere.Model), string(c.criterion), a)
				for e := range int32(g.Entities.Len()) {
					gap := p.gap(e)
					switch {
					case math.Abs(gap) < roundedGap:
						border++
						continue
					case gap < 0:
						touching++
					default:
						apart++
					}
					if in := a.Slacks[e] >= 0; in != (gap < 0) {
						t.Fatalf("%s, %s: %s is an answer to %s: %v, but the gap is %g", c.variant, c.criterion,
							g.Label(e), a.QueryText(), in, gap)
					}
				}
			}
		}
		if touching == 0 || apart == 0 || border > (touching+apart)/1000 {
			t.Errorf("%s, %s: %d pairs touch, %d do not, %d are on the border: the test shows little", c.variant,
				c.criterion, touching, apart, border)
		}
	}
}

// TestGeometryIsAnswerByAnyCut: circles also touch if and only if the entity is an answer where a fitted threshold, a
// probability or a size decides, and where the threshold lies below zero.
func TestGeometryIsAnswerByAnyCut(t *testing.T) {
	t.Parallel()
	run := drawnRun(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1})
	for _, cut := range []Cut{{Name: "fitted-novel"}, {Name: "expected-novel"}, {Name: "precision-0.5"},
		{Name: "top-3"}, {Name: "sphere", Slack: .9}, {Name: "intersect", Slack: .05}} {
		retriever, err := run.Retriever(t.Context(), cut, retrieve.Options{}, nil)
		expect.NoError(t, err)
		touching, below, exact := 0, 0, 0
		for head := range int32(run.Graph.Entities.Len()) {
			q := kg.Query{Side: kg.TailSide, Known: head, Relation: head % int32(run.Graph.Relations.Len())}
			a, err := retriever.Answer(t.Context(), q)
			expect.NoError(t, err)
			p := newPlane(run.Model.(*sphere.Model), retriever.CutText(), a)
			if p.threshold < 0 {
				below++
			}
			if !p.strict {
				exact++
			}
			for e := range int32(run.Graph.Entities.Len()) {
				gap := p.gap(e)
				if math.Abs(gap) < roundedGap {
					continue
				}
				if gap < 0 {
					touching++
				}
				if in := a.Slacks[e] >= 0; in != (gap < 0) && (in || !p.strict) {
					t.Fatalf("%v: %s is an answer to %s: %v, but the gap is %g", cut, run.Graph.Label(e),
						a.QueryText(), in, gap)
				}
			}
		}
		margin := cut.Name == "top-3" || cut.Name == "precision-0.5" // its values end at zero
		if touching == 0 || exact == 0 && !margin || below == 0 && cut.Name == "intersect" {
			t.Errorf("%v: %d touch, %d thresholds are below zero, %d pictures are exact: the test shows little", cut,
				touching, below, exact)
		}
	}
}

// TestPointIsTheRotatedHead: the head's circle goes round the origin.
func TestPointIsTheRotatedHead(t *testing.T) {
	t.Parallel()
	run := drawnRun(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1})
	for entity := range int32(run.Graph.Entities.Len()) {
		q := kg.Query{Side: kg.TailSide, Known: entity, Relation: entity % 3}
		m := run.Model.(*sphere.Model)
		from, to := m.Center(entity), m.Point(q)
		if a, b := math.Hypot(float64(from[0]), float64(from[1])),
			math.Hypot(float64(to[0]), float64(to[1])); math.Abs(a-b) > 1e-5*a {
			t.Fatalf("entity %d: length %g before, %g after", entity, a, b)
		}
	}
}

// TestCirclesOfBothSides: the picture of (?, relation, tail) says that the relation is reversed; models of other
// dimensions have no picture.
func TestCirclesOfBothSides(t *testing.T) {
	t.Parallel()
	run := drawnRun(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1})
	for side, want := range map[kg.Side]bool{kg.HeadSide: true, kg.TailSide: false} {
		c, err := run.Circles(t.Context(), kg.Query{Side: side, Known: 3, Relation: 1}, Cut{Name: "margin"})
		expect.NoError(t, err)
		svg, err := c.SVG()
		expect.NoError(t, err)
		if got := strings.Contains(string(svg), ", reversed ("); got != want {
			t.Errorf("side %v says reversed: %v", side, got)
		}
	}
	for _, s := range []sphere.Settings{{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1},
		{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 1, Gamma: 1}} {
		if _, err := drawnRun(t, s).Circles(t.Context(), kg.Query{}, Cut{}); err == nil {
			t.Errorf("%s of dimension %d is drawn", s.Model, s.Dimension)
		}
	}
}
