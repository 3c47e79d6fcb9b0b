package rule

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
)

// scoreWithout is the sum of a fact's two scores where training does not hold some facts.
func scoreWithout(t *testing.T, m *Model, g *kg.Graph, of kg.Triple, gone []kg.Triple) float64 {
	t.Helper()
	m, err := m.On(g.Without(gone))
	expect.NoError(t, err)
	score := 0.0
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		score -= float64(distances(m, of.Query(side))[of.Answer(side)])
	}
	return score
}

// nearby returns the training facts about the entities of a fact and, behind them, about the entities next to those.
func nearby(g *kg.Graph, of kg.Triple) (list []kg.Triple) {
	ends := map[int32]bool{of.Head: true, of.Tail: true}
	for range 2 {
		next := map[int32]bool{}
		for _, x := range g.Train {
			if (ends[x.Head] || ends[x.Tail]) && !slices.Contains(list, x) {
				list = append(list, x)
				next[x.Head], next[x.Tail] = true, true
			}
		}
		ends = next
	}
	return list
}

// TestRemovingEvidence: a fact loses more of its score without the facts that are named for it than without as many
// other facts near it.
func TestRemovingEvidence(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	random := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{sphere.Neighbours, sphere.Rules} {
		m := fit(t, name, g, 0)
		w := NewWitness(g, m)
		tried, worse := 0, 0
		for i := 0; i < len(g.Test) && tried < 12; i += 17 {
			of := g.Test[i]
			reasons := w.Reasons(of)
			if name == sphere.Neighbours {
				reasons = (&evidence.Evidence{Reasons: reasons}).Of(evidence.Neighbour)
			}
			named := evidence.Removed(reasons...)
			if len(named) == 0 {
				continue
			}
			others := slices.DeleteFunc(nearby(g, of), func(x kg.Triple) bool { return slices.Contains(named, x) })
			if len(others) < len(named) {
				continue
			}
			tried++
			before := scoreWithout(t, m, g, of, nil)
			loss, maximum := before-scoreWithout(t, m, g, of, named), 0.0
			const draws = 5
			for range draws {
				random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
				maximum += (before - scoreWithout(t, m, g, of, others[:len(named)])) / draws
			}
			if loss <= 0 {
				t.Errorf("%s: %v loses %v without %v", name, of, loss, named)
			}
			if loss <= maximum {
				worse++
				t.Logf("%s: %v loses %v without %d named facts, %v without others", name, of, loss, len(named), maximum)
			}
		}
		if tried < 12 || worse > 0 {
			t.Errorf("%s: %d facts tried, %d lose more without other facts", name, tried, worse)
		}
	}
}

// TestOn: a model on the graph that it was fitted on says what it said; on another one it counts that.
func TestOn(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	for _, name := range sphere.Counted() {
		m := fit(t, name, g, 1)
		same, err := m.On(g)
		if err != nil || same.Digest() != m.Digest() {
			t.Fatalf("%s: %v", name, err)
		}
		less, err := m.On(g.Without(g.Train[:9]))
		if err != nil || less.Digest() == m.Digest() {
			t.Fatalf("%s: %v", name, err)
		}
		changed := 0
		everyQuery(g, func(q kg.Query) {
			want := distances(m, q)
			if !slices.Equal(distances(same, q), want) {
				t.Fatalf("%s: %v has other answers on the same graph", name, q)
			}
			if !slices.Equal(distances(less, q), want) {
				changed++
			}
		})
		if changed == 0 {
			t.Errorf("%s answers alike without nine facts", name)
		}
	}
}
