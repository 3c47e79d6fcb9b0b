package session

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestVerify compares two runs of one config, of two configs, and one that has no embedded twin.
func TestVerify(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	g := s.Graph("bundled")
	m := s.Model("sphere-2d").Dim(2).Epochs(1).Set("eval.bootstrap", 0)
	one, same, other := s.Train(g, m), s.Train(g, m), s.Train(g, m.Seed(7))
	if text := one.Verify(same).String(); !strings.Contains(text, one.Digest()) ||
		!strings.Contains(text, "this tracker") {
		t.Errorf("two runs of one config:\n%s", text)
	}
	if text := one.Verify(other).String(); !strings.Contains(text, "param seed") ||
		strings.Contains(text, "same checkpoint") {
		t.Errorf("runs of two seeds:\n%s", text)
	}
	if e := caught(t, func() { one.Verify() }); !strings.Contains(e.Message, "no embedded result") {
		t.Errorf("without a twin: %s: %s", e.Name, e.Message)
	}
	again := one.Reproduce()
	if text := again.String(); !strings.Contains(text, one.Digest()) {
		t.Errorf("the run reproduced:\n%s", text)
	}
	if newest := s.Run("last"); newest.ID() == other.ID() || newest.Digest() != one.Digest() {
		t.Errorf("the reproduction is not a run of its own: %s", newest.ID())
	}
	if e := caught(t, func() { one.Verify(same, other) }); e.Name != UnknownRun {
		t.Errorf("two others: %s: %s", e.Name, e.Message)
	}
}

// TestTablesOfResults: tables with names of their own need no run.
func TestTablesOfResults(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	for name, want := range map[string]string{"patterns": "Multiplicity", "dimension": "SpherE-20D",
		"radius": "Royal Society", "wn18rr": "Rotate3D"} {
		table := s.Table(name)
		if text := table.String(); !strings.Contains(text, want) || (table.ResultTable != nil) != (name == "wn18rr") {
			t.Errorf("%s lacks %s:\n%s", name, want, text)
		}
	}
	if e := caught(t, func() { s.Table("patterns", "clean") }); e.Name != BadModel {
		t.Errorf("a variant of patterns: %s: %s", e.Name, e.Message)
	}
}
