package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestTieProtocol simulates the authors' loader without its filter, triple by triple: the asked answer's id takes
// the place of every other true answer, so all have its value. A sort breaks the ties by id, for every place that the
// asked answer can have among them, and at random. Both have the means of the formulas.
func TestTieProtocol(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(53), 18, 4, 10).graph(t)
	for _, s := range inFiveDimensions {
		m := learned(t, s, g)
		criterion := s.Criteria()[0]
		cuts := []Cut{Criterion(criterion), Tie{Top(1)}, Tie{Top(3)}, Tie{Top(7)}, Tie{Criterion(criterion)}}
		r := mustRun(t, m, g, Settings{Cuts: cuts, Resamples: 50})
		random := rand.New(rand.NewPCG(5, 6))
		for _, cut := range cuts[1:] {
			got, ok := r.Cut(cut.Name())
			if !ok {
				t.Fatalf("no cut %s", cut.Name())
			}
			for side, scores := range map[kg.Side]Scores{kg.HeadSide: got.Head, kg.TailSide: got.Tail} {
				byID := loaderWithoutFilter(m, g, side, criterion, cut.(Tie).Of, nil)
				compareScores(t, s.Model+" "+cut.Name()+" by id", scores, byID, 1e-12)
				compareScores(t, s.Model+" "+cut.Name()+" at random", scores,
					loaderWithoutFilter(m, g, side, criterion, cut.(Tie).Of, random), .01)
			}
			if _, top := cut.(Tie).Of.(Top); !top && (got.Head.F1 > got.Head.RR || got.Tail.F1 > got.Tail.RR) {
				t.Errorf("%s %s: F1 is above RR", s.Model, cut.Name())
			}
			if got.Head.RR == 0 || got.Head.RR == 1 || got.Head.F1 == got.Tail.F1 {
				t.Errorf("%s %s: %+v shows too little", s.Model, cut.Name(), got.Head)
			}
			// The mean of both sides over all triples stands where other protocols have n-to-n relations.
			if want := (got.Head.F1 + got.Tail.F1) / 2; math.Abs(got.NNF1-want) > 1e-15 {
				t.Errorf("%s: n-n F1 %g, the mean of both sides is %g", cut.Name(), got.NNF1, want)
			}
			for key, value := range map[string]float64{"head_f1": got.Head.F1, "tail_rr": got.Tail.RR, nnF1: got.NNF1} {
				if in := got.Intervals[key]; !(in.Low < value && value < in.High) {
					t.Errorf("%s: %s %g is not in %v", cut.Name(), key, value, in)
				}
			}
		}
		for key := range r.Metrics() {
			if strings.HasPrefix(key, tiePrefix) && (strings.Contains(key, "novel") || strings.Contains(key, "union") ||
				strings.Contains(key, "query")) {
				t.Errorf("%s is logged, and not defined", key)
			}
		}
		clean, _ := r.Cut(string(criterion))
		tied, _ := r.Cut(tiePrefix + string(criterion))
		if tied.Tail.RR != clean.Tail.RR || tied.Tail.F1 == clean.Tail.F1 {
			t.Errorf("%s: RR is %g and %g under clean, which are equal; F1 %g and %g, which are not", s.Model,
				tied.Tail.RR, clean.Tail.RR, tied.Tail.F1, clean.Tail.F1)
		}
	}
}

// loaderWithoutFilter is the mean over triples, and over ways to break ties: at random, or if that is nil by id, once
// for every place of the asked answer among the ids of the true answers.
func loaderWithoutFilter(
	m *sphere.Model, g *kg.Graph, side kg.Side, criterion sphere.Criterion, cut Cut, random *rand.Rand,
) Scores {
	var mean Scores
	for _, x := range g.Test {
		q, asked := x.Query(side), x.Answer(side)
		var truth []int32
		for _, y := range slices.Concat(g.Split(kg.Train), g.Split(kg.Valid), g.Split(kg.Test)) {
			if y.Query(side) == q && !slices.Contains(truth, y.Answer(side)) {
				truth = append(truth, y.Answer(side))
			}
		}
		slices.Sort(truth)
		dist := make([]float32, m.Entities())
		m.Distances([]kg.Query{q}, dist)
		rule := criterion
		if _, top := cut.(Top); top {
			rule = sphere.CriterionMargin
		}
		values := make([]float32, len(dist))
		threshold := m.Values(rule, q, dist, values)
		for _, e := range truth {
			values[e] = values[asked]
		}
		ways := len(truth)
		if random != nil {
			ways = 300
		}
		for way := range ways {
			order := make([]int, len(values)) // of ids, before the sort
			for e := range order {
				order[e] = e
			}
			if random != nil {
				random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			} else {
				// The asked answer and the one whose id is at this place exchange their ids.
				order[asked], order[truth[way]] = order[truth[way]], order[asked]
			}
			slices.SortStableFunc(order, func(a, b int) int {
				if values[a] < values[b] {
					return -1
				} else if values[a] > values[b] {
					return 1
				}
				return 0
			})
			size := len(order)
			if top, ok := cut.(Top); ok {
				size = int(top)
			} else {
				for size > 0 && !(values[order[size-1]] <= threshold) {
					size--
				}
			}
			addTied(&mean, order[:size], truth, asked, 1/float64(ways*len(g.Test)))
		}
	}
	return mean
}

func addTied(mean *Scores, set []int, truth []int32, asked int32, weight float64) {
	hits := 0.0
	for _, e := range set {
		if slices.Contains(truth, int32(e)) {
			hits++
		}
		if int32(e) == asked {
			mean.RR += weight
		}
	}
	mean.F1 += 2 * hits / float64(len(set)+len(truth)) * weight
	if len(set) > 0 {
		mean.Precision += hits / float64(len(set)) * weight
	}
	mean.Recall += hits / float64(len(truth)) * weight
	mean.Size += float64(len(set)) * weight
}
