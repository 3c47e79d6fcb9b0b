package inductive

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestOwn: the weights of the program are a network of the public shape, and answer on a graph that they were not
// trained on far better than chance: the mean reciprocal rank of random scores over 400 entities is below .02.
func TestOwn(t *testing.T) {
	t.Parallel()
	n, err := Own()
	expect.NoError(t, err)
	file, err := Open("own.safetensors")
	expect.NoError(t, err)
	if n.Digest() != file.Digest() || len(n.entity) != 6 || len(n.relation) != 6 {
		t.Errorf("digest %s, of the file %s, %d and %d layers", n.Digest(), file.Digest(), len(n.entity), len(n.relation))
	}
	g, err := kg.Bundled()
	expect.NoError(t, err)
	m, err := n.On("own", g)
	expect.NoError(t, err)
	all := g.Index(kg.Train, kg.Valid, kg.Test)
	sum, facts := 0., g.Test[:100]
	for _, f := range facts {
		q := f.Query(kg.TailSide)
		scores := scoresOf(t, m, []kg.Query{q}, 1)[0]
		known := map[int32]bool{}
		for _, e := range all.Answers(q) {
			known[e] = true
		}
		rank := 1
		for e, s := range scores {
			if s >= scores[f.Tail] && !known[int32(e)] {
				rank++
			}
		}
		sum += 1 / float64(rank)
	}
	if mrr := sum / float64(len(facts)); mrr < .2 {
		t.Errorf("MRR %.3f of the tails of %d test facts", mrr, len(facts))
	}
}
