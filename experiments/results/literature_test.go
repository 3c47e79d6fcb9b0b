package results

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// TestLiterature: every number is an MRR with a source, of a model of ours.
func TestLiterature(t *testing.T) {
	t.Parallel()
	titles, seen := map[string]bool{}, map[[2]string]bool{}
	for _, name := range sphere.Models() {
		titles[sphere.Title(name)] = true
	}
	for _, r := range literature() {
		key := [2]string{r.Graph, r.Model}
		if !titles[r.Model] || r.MRR <= 0 || r.MRR >= 1 || r.Source == "" || r.Graph == "" || seen[key] {
			t.Errorf("%+v", r)
		}
		seen[key] = true
	}
}

// TestElsewhereNamesModelsOfTheTable leaves out other graphs, other splits and models without ranks of ours.
func TestElsewhereNamesModelsOfTheTable(t *testing.T) {
	t.Parallel()
	ranked := Numbers{MRR: Number{Value: .3}}
	rows := []Row{{Model: "ComplEx", Cut: eval.TopMean{}, Numbers: ranked}, {Model: "TransE", Cut: eval.TopMean{}}}
	table := &ResultTable{Graph: "fb15k-237", Split: "test"}
	notes := table.elsewhere(rows)
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "ComplEx .348 (LibKGE).") ||
		strings.Contains(notes[0].Text, "TransE") {
		t.Errorf("notes %+v", notes)
	}
	for _, other := range []*ResultTable{{Graph: "umls", Split: "test"}, {Graph: "fb15k-237", Split: "valid"}} {
		if notes := other.elsewhere(rows); notes != nil {
			t.Errorf("%s %s: notes %+v", other.Graph, other.Split, notes)
		}
	}
}
