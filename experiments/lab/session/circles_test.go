package session

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// How many entities a picture shows, those with the best scores.
const (
	shownInferred  = 40
	shownUntouched = 25
)

func TestCirclesDrawsTheSet(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1},
		7)
	set := r.Ask("Max Born", "advised", "?")
	c := r.Circles("Max Born", "advised")
	svg, err := c.SVG()
	expect.NoError(t, err)
	drawn := strings.Count(string(svg), `class="sphere"`)
	head := set.entity("Max Born")
	var sure, found []string // as titles of circles, best first
	for _, e := range set.set.Members {
		title := run.Graph.Label(e) + ": answer, " + set.mark(e).String() + ","
		switch {
		case e == head: // drawn as the head
		case set.set.Scores[e] < 0: // known, and drawn as missed
			sure = append(sure, run.Graph.Label(e)+": ")
		case set.mark(e) == retrieve.Inferred:
			found = append(found, title)
		default:
			sure = append(sure, title)
		}
	}
	if len(found) <= shownInferred {
		t.Fatalf("only %d inferred answers", len(found))
	}
	missed := 0
	for _, e := range run.Graph.Index().Answers(kg.Query{Side: kg.TailSide, Known: head,
		Relation: relationID(t, run.Graph, "advised")}) {
		if !set.set.In[e] {
			missed++
		}
	}
	if want := len(sure) + shownInferred + missed + shownUntouched + 2; drawn != want {
		t.Errorf("%d circles, want %d", drawn, want)
	}
	if set.Known().Len() == 0 || set.HeldOut().Len() == 0 {
		t.Errorf("%s: the test shows little", set.title())
	}
	for _, title := range append(sure, found[:shownInferred]...) {
		if !strings.Contains(string(svg), html.EscapeString(title)) {
			t.Errorf("no circle is %q", title)
		}
	}
	if text := fmt.Sprintf("%d inferred answers of lower score not drawn",
		len(found)-shownInferred); !strings.Contains(c.Caption, text) {
		t.Errorf("caption: %s", c.Caption)
	}
	if !strings.Contains(c.Caption, "not drawn") || !strings.Contains(c.Caption, "gamma/2 = 0.5") {
		t.Errorf("caption: %s", c.Caption)
	}
	if c := r.Cut("top-5").Circles("Max Born", "advised"); !strings.HasPrefix(c.Caption, "5 entities") ||
		!strings.Contains(c.Caption, "(cut top-5)") {
		t.Errorf("caption of cut top-5: %s", c.Caption)
	}
	bare, bareRun := drawnRun(t, "d", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1,
		Gamma: 1}, 7)
	bareRun.Config.Eval.Criterion = string(sphere.CriterionIntersect)
	if c := bare.Circles("Max Born", "advised"); !strings.Contains(c.Caption, "a circle has the learned radius") ||
		strings.Contains(c.Caption, "gamma") {
		t.Errorf("caption of criterion intersect: %s", c.Caption)
	}
	large, _ := drawnRun(t, "b", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1},
		7)
	points, _ := drawnRun(t, "c", sphere.Settings{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 1, Gamma: 1},
		7)
	space, _ := drawnRun(t, "e", sphere.Settings{Model: sphere.SpherE3D, Variant: sphere.Released, Dimension: 1,
		Gamma: 1}, 7)
	for _, run := range []*Run{large, points, space} {
		if err := caught(t, func() { run.Circles("Max Born", "advised") }); err.Name != NotDrawn ||
			!strings.Contains(err.Message, `lab.Model("sphere-2d").Dim(1)`) {
			t.Errorf("%s: %v", err.Name, err)
		}
	}
	for _, call := range []func(){func() { points.Radii() }, func() { points.RadiusPlot() },
		func() { points.Spheres(3) }} {
		if err := caught(t, call); err.Name != NotDrawn || !strings.Contains(err.Message, "points without radii") {
			t.Errorf("radii of points: %v", err)
		}
	}
	if err := caught(t, func() { bare.Spheres(0) }); err.Name != Failed {
		t.Errorf("no spheres: %v", err)
	}
	rows := bare.Spheres(2)
	if rows.Len() != 4 || rows.Value(0, "radius").(float64) < rows.Value(1, "radius").(float64) ||
		rows.Value(2, "radius").(float64) > rows.Value(3, "radius").(float64) {
		t.Errorf("spheres: %v", rows.Numbers("radius"))
	}
	if text := bare.RadiusPlot().String(); !strings.Contains(text, "triples of the entity") {
		t.Errorf("figure:\n%s", text)
	}
}

func relationID(t *testing.T, g *kg.Graph, name string) int32 {
	t.Helper()
	id, err := g.FindRelation(name)
	expect.NoError(t, err)
	return id
}
