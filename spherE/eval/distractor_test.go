package eval

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The share of distractors is what a plain loop over them counts, one query at a time.
func TestDistractorsAreCounted(t *testing.T) {
	t.Parallel()
	pattern, _ := kg.FindPattern("pattern-n-n")
	g, err := pattern.Graph(3)
	expect.NoError(t, err)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, salt: 5, open: true}
	report, err := Run(t.Context(), m, g, Settings{Block: 7, Threads: 2,
		Cuts: []Cut{Criterion(sphere.CriterionMargin), Criterion(sphere.CriterionSphere), Top(20), Released{Top(20)}}})
	expect.NoError(t, err)
	logged := report.LoggedMetrics()
	for key, c := range map[string]sphere.Criterion{"test/distractors": sphere.CriterionMargin,
		"test/sphere/distractors": sphere.CriterionSphere} {
		if _, ok := ParseKey(key); !ok {
			t.Errorf("%s is not the key of a report", key)
		}
		retrieved := 0
		row := make([]float32, g.Entities.Len())
		for _, d := range g.Distractors {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				q := d.Query(side)
				m.Distances([]kg.Query{q}, row)
				if threshold := m.Values(c, q, row, row); row[d.Answer(side)] <= threshold {
					retrieved++
				}
			}
		}
		want := float64(retrieved) / float64(2*len(g.Distractors))
		if got, ok := logged[key]; !ok || got != want || want == 0 || want == 1 {
			t.Errorf("%s is %v, a plain loop counts %v", key, got, want)
		}
	}
	// Top-20, and top-20 where the query's true answers are behind all others.
	truth := g.Index(kg.Train, kg.Valid, kg.Test)
	row, sets := make([]float32, g.Entities.Len()), [2]int{}
	for _, d := range g.Distractors {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			q := d.Query(side)
			m.Distances([]kg.Query{q}, row)
			m.Values(sphere.CriterionMargin, q, row, row)
			before, wrong := 0, 0
			for e, v := range row {
				if v < row[d.Answer(side)] {
					before++
					if !kg.Contains(truth.Answers(q), int32(e)) {
						wrong++
					}
				}
			}
			for i, n := range []int{before, wrong} {
				if n < 20 {
					sets[i]++
				}
			}
		}
	}
	for i, key := range []string{"test/top-20/distractors", "test/released-top-20/distractors"} {
		if want := float64(sets[i]) / float64(2*len(g.Distractors)); logged[key] != want || sets[i] == 0 {
			t.Errorf("%s is %v, a plain loop counts %v", key, logged[key], want)
		}
	}
	if share := logged["test/lookup/distractors"]; share != 0 {
		t.Errorf("lookup returns %v of the distractors", share)
	}
}

// Graphs without distractors, and validations, log no share.
func TestDistractorsOfTestOnly(t *testing.T) {
	t.Parallel()
	pattern, _ := kg.FindPattern("pattern-1-1")
	g, err := pattern.Graph(1)
	expect.NoError(t, err)
	m := &fake{g: g, levels: 1 << 20, gamma: 3}
	with := func(g *kg.Graph, s Settings) bool {
		report, err := Run(t.Context(), m, g, s)
		expect.NoError(t, err)
		return report.Cuts[0].Distractors != nil
	}
	none := &kg.Graph{Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train, Valid: g.Test,
		Test: g.Test}
	both := &kg.Graph{Name: g.Name, Entities: g.Entities, Relations: g.Relations, Train: g.Train, Valid: g.Test,
		Test: g.Test, Distractors: g.Distractors}
	if with(none, Settings{}) || with(both, Settings{Split: kg.Valid}) || !with(both, Settings{}) {
		t.Error("the share of distractors is measured elsewhere than on the test split of a graph that has them")
	}
}
