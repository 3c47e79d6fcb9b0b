package session

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestEmbeddedRunTrainedAgain: the config of a run that only the program contains is read and trained, and the result
// has the same bits.
func TestEmbeddedRunTrainedAgain(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	files, err := results.EmbeddedDimensions()
	expect.NoError(t, err)
	id := ""
	for _, f := range files {
		if p := f.Info.Params; p["data"] == "bundled" && p["model"] == "sphere-2d" && p["seed"] == "1" {
			id = f.Info.ID
		}
	}
	logged := s.Run(strings.ToUpper(id[:8]))
	if logged.ID() != id || logged.Graph().Name() != "bundled" ||
		!strings.Contains(logged.String(), "dimension.jsonl.gz") {
		t.Fatalf("found is %s", logged)
	}
	if e := caught(t, func() { logged.Verify() }); !strings.Contains(e.Message, "is the embedded result itself") {
		t.Errorf("compared with itself: %s", e.Message)
	}
	again := s.Train(logged.Graph(), logged.Model().Name("again"))
	for _, grid := range []*Grid{again.Verify(), again.Verify(logged)} {
		if text := grid.String(); !strings.Contains(text, "the same checkpoint digest") ||
			!strings.Contains(text, "dimension.jsonl.gz") {
			t.Errorf("trained again:\n%s", text)
		}
	}
	if mine, theirs := again.Table().String(), logged.Table().String(); cut(mine, "runs:") != cut(theirs, "runs:") {
		t.Errorf("tables of equal runs:\n%s\n%s", mine, theirs)
	}
	a, b := again.Curve(), logged.Curve()
	a.Title, b.Title = "", ""
	if a.String() != b.String() {
		t.Errorf("curves of equal runs:\n%s\n%s", a, b)
	}
}

func cut(text, before string) string {
	first, _, _ := strings.Cut(text, before)
	return first
}

// TestEmbeddedRunWithoutModel: what needs the trained model says how to get one, and committed radii are shown.
func TestEmbeddedRunWithoutModel(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	run := s.Run("111feca4")
	for what, f := range map[string]func(){"a question": func() { run.Cut("margin").Ask("/m/01", "r", "?") },
		"bars": func() { run.Bars() }, "radii of all": func() { run.Radii() }, "evaluation": func() { run.Evaluate() }} {
		if e := caught(t, f); e.Name != RunNotFinished ||
			!strings.Contains(e.Message, "lab.Train(run.Graph(), run.Model())") {
			t.Errorf("%s: %s: %s", what, e.Name, e.Message)
		}
	}
	if rows := run.Spheres(3); rows.Len() != 6 || rows.Value(0, "entity") != "Official Website" {
		t.Errorf("spheres:\n%s", rows)
	}
	if text := run.RadiusPlot().String(); !strings.Contains(text, "0.86") {
		t.Errorf("the figure:\n%s", text)
	}
	if rows := s.Run("448287b4").Spheres(1); rows.Len() != 2 { // by the digest: another run with the same bits has them
		t.Errorf("spheres of a run that was trained again:\n%s", rows)
	}
	if e := caught(t, func() { s.Run("dc9e9e5e").Spheres(3) }); e.Name != RunNotFinished {
		t.Errorf("radii of points: %s: %s", e.Name, e.Message)
	}
	for _, ref := range []string{"", "9", "448287b5", "fb15k-237"} {
		if e := caught(t, func() { s.Run(ref) }); e.Name != UnknownRun {
			t.Errorf("%q: %s: %s", ref, e.Name, e.Message)
		}
	}
	if e := caught(t, func() { s.Resume("448287b4") }); e.Name != UnknownRun {
		t.Errorf("resumed: %s: %s", e.Name, e.Message)
	}
}
