package session

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestTableOfRuns: a table of chosen runs has them and no others, whatever else is logged.
func TestTableOfRuns(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	g := s.Graph("bundled")
	m := s.Model("sphere-2d").Dim(2).Epochs(1).Set("eval.bootstrap", 0)
	clean, released := s.Train(g, m.Name("one")), s.Train(g, m.Variant("released").Name("two"))
	point := s.Train(g, s.Model("rotate").Dim(2).Epochs(1).Set("eval.bootstrap", 0).Name("three"))
	newer := s.Train(g, m.Name("four"))
	has := func(table *Table, runs ...*Run) {
		t.Helper()
		text := table.String()
		for _, r := range []*Run{clean, released, point, newer} {
			wanted := false
			for _, w := range runs {
				wanted = wanted || w == r
			}
			if strings.Contains(text, tracker.ShortID(r.ID())) != wanted {
				t.Errorf("run %s: want in the table: %v\n%s", r.Name(), wanted, text)
			}
		}
	}
	has(clean.Table(), clean)
	has(released.Table(), released)
	has(s.Compare(point, clean, released).Table("clean"), point, clean)
	if text := s.Compare(clean, released).Table("released").String(); !strings.Contains(text,
		tracker.ShortID(released.ID())) || !strings.Contains(text, "variant clean;") {
		t.Errorf("variant released:\n%s", text)
	}
	if e := caught(t, func() { s.Compare(point, clean).Table("clean", "paper") }); e.Name != BadModel {
		t.Errorf("two variants: %s: %s", e.Name, e.Message)
	}
	if e := caught(t, func() { s.Compare(point, clean).Table("cleen") }); e.Name != BadModel {
		t.Errorf("no variant: %s: %s", e.Name, e.Message)
	}
	unfinished := s.TrainUntil(g, m.Epochs(2).Name("five"), 1)
	if e := caught(t, func() { unfinished.Table() }); e.Name != UnknownRun || !strings.Contains(e.Message, "five") {
		t.Errorf("nothing to show: %s: %s", e.Name, e.Message)
	}
}
