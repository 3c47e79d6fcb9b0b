package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestReleasedProtocol evaluates triple by triple as the authors' code does: the other true answers of a query get
// 10,000 less, and then a set is the best l entities of an array in which more is better, or all values that are at
// most 0.
func TestReleasedProtocol(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(51), 18, 4, 10).graph(t)
	for _, s := range inFiveDimensions {
		m := learned(t, s, g)
		criterion := s.Criteria()[0]
		cuts := []Cut{Criterion(criterion), Released{Top(1)}, Released{Top(3)}, Released{Criterion(criterion)}}
		r := mustRun(t, m, g, Settings{Cuts: cuts, Resamples: 50})
		for _, cut := range cuts[1:] {
			c, ok := r.Cut(cut.Name())
			if !ok {
				t.Fatalf("no cut %s", cut.Name())
			}
			inner := cut.(Released).Of
			for side, got := range map[kg.Side]Scores{kg.HeadSide: c.Head, kg.TailSide: c.Tail} {
				want := tripleByTriple(m, g, side, criterion, inner)
				compareScores(t, fmt.Sprintf("%s %s side %v", s.Model, cut.Name(), side), got, want, 1e-12)
			}
			if c.Head.RR == 0 || c.Head.RR == 1 {
				t.Errorf("%s %s: RR is %g, so the test does not see both kinds of triples", s.Model, cut.Name(), c.Head.RR)
			}
			if c.Intervals["head_f1"].Low > c.Head.F1 || c.Intervals["head_f1"].High < c.Head.F1 {
				t.Errorf("%s: F1 %g is not in %v", cut.Name(), c.Head.F1, c.Intervals["head_f1"])
			}
		}
		for key := range r.Metrics() {
			if strings.HasPrefix(key, releasedPrefix) && (strings.Contains(key, "novel") || strings.Contains(key, "union") ||
				strings.Contains(key, "query")) {
				t.Errorf("%s is logged, and not defined", key)
			}
		}
		r = mustRun(t, m, g, Settings{Cuts: cuts, Resamples: 5, KeepRecords: true})
		compared, err := Compare(t.Context(), r, r, CompareSettings{CutB: "released-top-1", Resamples: 5})
		expect.NoError(t, err)
		for _, d := range compared.Differences {
			if strings.Contains(d.Key, "novel") || strings.Contains(d.Key, "union") {
				t.Errorf("%s is compared, and not defined", d.Key)
			}
		}
		clean, _ := r.Cut(string(criterion))
		if leaked, _ := r.Cut("released-" + string(criterion)); leaked.Head.F1 <= clean.Head.F1 {
			t.Errorf("the leak does not raise F1: %g, without it %g", leaked.Head.F1, clean.Head.F1)
		}
	}
}

// inFiveDimensions are models of five dimensions, as in the authors' code.
var inFiveDimensions = []sphere.Settings{
	{Model: "house-5d", Variant: "released", Dimension: 3, Gamma: 5, Epsilon: 2, Tau: .1},
	{Model: "sphere-5d", Variant: "released", Dimension: 3, Gamma: 9, Epsilon: 9, Tau: .1},
}

// learned trains a model until some sets hold their triple's answer.
func learned(t *testing.T, s sphere.Settings, g *kg.Graph) *sphere.Model {
	t.Helper()
	m, err := sphere.New(s, g, 1)
	expect.NoError(t, err)
	trainer, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 60, Steps: 5, Batch: 16, Negatives: 8, Seed: 3,
		Sampling: "alternate", Temperature: 1, LearningRate: .02, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8})
	expect.NoError(t, err)
	defer trainer.Close()
	for trainer.Done() < 60 {
		if _, err := trainer.Epoch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func compareScores(t *testing.T, what string, got, want Scores, tolerance float64) {
	t.Helper()
	for i, pair := range [][2]float64{{got.F1, want.F1}, {got.Precision, want.Precision}, {got.Recall, want.Recall},
		{got.RR, want.RR}, {got.Size, want.Size}} {
		if math.Abs(pair[0]-pair[1]) > tolerance {
			t.Errorf("%s: %s %g, triple by triple %g", what, scoreNames[i], pair[0], pair[1])
		}
	}
}

func tripleByTriple(m *sphere.Model, g *kg.Graph, side kg.Side, criterion sphere.Criterion, cut Cut) Scores {
	var all []kg.Triple
	for _, split := range []kg.Split{kg.Train, kg.Valid, kg.Test} {
		all = append(all, g.Split(split)...)
	}
	var mean Scores
	n := float64(len(g.Test))
	for _, x := range g.Test {
		q, own := x.Query(side), x.Answer(side)
		truth := map[int32]bool{}
		for _, y := range all {
			if y.Query(side) == q {
				truth[y.Answer(side)] = true
			}
		}
		dist := make([]float32, m.Entities())
		m.Distances([]kg.Query{q}, dist)
		set := map[int32]bool{}
		if top, ok := cut.(Top); ok {
			values := make([]float32, len(dist))
			m.Values(sphere.CriterionMargin, q, dist, values)
			order := make([]int32, len(values))
			for e := range order {
				order[e] = int32(e)
				values[e] = -values[e]
				if truth[int32(e)] && int32(e) != own {
					values[e] -= 10_000
				}
			}
			slices.SortFunc(order, func(a, b int32) int {
				if values[a] > values[b] {
					return -1
				}
				return 1
			})
			for _, e := range order[:top] {
				set[e] = true
			}
		} else {
			threshold := m.Values(criterion, q, dist, dist)
			for e, v := range dist {
				if truth[int32(e)] && int32(e) != own {
					v -= 10_000
				}
				if v <= threshold {
					set[int32(e)] = true
				}
			}
		}
		hits := 0.0
		for e := range set {
			if truth[e] {
				hits++
			}
		}
		mean.F1 += 2 * hits / float64(len(set)+len(truth)) / n
		if len(set) > 0 {
			mean.Precision += hits / float64(len(set)) / n
		}
		mean.Recall += hits / float64(len(truth)) / n
		mean.Size += float64(len(set)) / n
		if set[own] {
			mean.RR += 1 / n
		}
	}
	return mean
}
