package kg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// drawOne draws one positive and its negatives.
func drawOne(s *Sampler, step uint64, item uint32, negatives []Negative) Triple {
	var positive [1]Triple
	s.Draw(step, item, positive[:], negatives)
	return positive[0]
}

func randomGraph(t *testing.T, seed uint64, entities, relations, triples int) *Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var rows [3][][3]string
	seen := map[[3]string]bool{}
	for i := range triples {
		row := [3]string{
			fmt.Sprintf("e%03d", r.IntN(entities)), fmt.Sprintf("r%d", r.IntN(relations)),
			fmt.Sprintf("e%03d", r.IntN(entities)),
		}
		if !seen[row] {
			seen[row] = true
			split := 0
			if i > triples*8/10 {
				split = 1 + i%2
			}
			rows[split] = append(rows[split], row)
		}
	}
	g, err := New("random", rows[0], rows[1], rows[2])
	expect.NoError(t, err)
	return g
}

func TestNthMissing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + r.IntN(40)
		var ids, missing []int32
		for e := range int32(n) {
			if r.IntN(3) == 0 {
				missing = append(missing, e)
			} else {
				ids = append(ids, e)
			}
		}
		for u, want := range missing {
			if got := nthMissing(ids, int32(u)); got != want {
				t.Fatalf("nthMissing(%v, %d) = %d, want %d", ids, u, got, want)
			}
		}
	}
}

// TestFindMissing searches for many numbers in two lists at once.
func TestFindMissing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const entities = 300
	for round := range 2000 {
		var known [2][]int32
		for side := range known {
			for e := range int32(entities) {
				if r.IntN(6) < round%7 && len(known[side]) < entities-1 {
					known[side] = append(known[side], e)
				}
			}
		}
		negatives := make([]Negative, r.IntN(searchUnit+1))
		want := make([]Negative, len(negatives))
		for j := range negatives {
			side := Side(r.IntN(2))
			u := int32(r.IntN(entities - len(known[side])))
			negatives[j] = Negative{u, side}
			want[j] = Negative{nthMissing(known[side], u), side}
		}
		findMissing(&known, negatives)
		if !slices.Equal(negatives, want) {
			t.Fatalf("findMissing(%v) returns %v, nthMissing %v", known, negatives, want)
		}
	}
}

func TestSamplerDrawsOnlyNegatives(t *testing.T) {
	t.Parallel()
	g := randomGraph(t, 3, 30, 3, 900)
	train := map[Triple]bool{}
	for _, x := range g.Train {
		train[x] = true
	}
	for _, sampling := range []Sampling{Uniform, Bernoulli} {
		s, err := NewSampler(g, sampling, 9, 1)
		expect.NoError(t, err)
		negatives := make([]Negative, 25)
		for step := range uint64(40) {
			for item := range uint32(20) {
				p := drawOne(s, step, item, negatives)
				if !train[p] {
					t.Fatalf("positive %v is not a training triple", p)
				}
				for _, n := range negatives {
					corrupted := p
					if n.Side == HeadSide {
						corrupted.Head = n.Entity
					} else {
						corrupted.Tail = n.Entity
					}
					if n.Entity < 0 || int(n.Entity) >= g.Entities.Len() || train[corrupted] {
						t.Fatalf("%v is not a negative of %v", n, p)
					}
				}
			}
		}
	}
}

// TestSamplerShares compares the frequencies of sides and entities with the exact probabilities.
func TestSamplerShares(t *testing.T) {
	t.Parallel()
	// r: h has four tails, each tail one head. tph = 4, hpt = 1: the tail is corrupted once in five.
	g, err := New("star", [][3]string{{"h", "r", "a"}, {"h", "r", "b"}, {"h", "r", "c"}, {"h", "r", "d"},
		{"x", "s", "y"}}, nil, nil)
	expect.NoError(t, err)
	star, _ := g.FindRelation("r")
	for sampling, want := range map[Sampling]float64{Bernoulli: 0.2, Uniform: 0.5} {
		s, err := NewSampler(g, sampling, 1, 1)
		expect.NoError(t, err)
		negatives := make([]Negative, 10)
		tails, all := 0, 0
		count := map[int32]int{}
		for item := range uint32(20000) {
			if p := drawOne(s, 0, item, negatives); p.Relation != star {
				continue
			}
			for _, n := range negatives {
				all++
				if n.Side == TailSide {
					tails++
					count[n.Entity]++
				}
			}
		}
		if got := float64(tails) / float64(all); math.Abs(got-want) > 0.01 {
			t.Errorf("%s corrupts the tail in %.3f of draws, want %.3f", sampling, got, want)
		}
		if len(count) != 3 { // h, x, y: all entities except the four tails
			t.Errorf("%s draws %d different tails, want 3", sampling, len(count))
		}
		for e, n := range count {
			if share := float64(n) / float64(tails); math.Abs(share-1.0/3) > 0.02 {
				t.Errorf("%s draws %s in %.3f of corrupted tails, want 1/3", sampling, g.Entities.Name(e), share)
			}
		}
	}
}

func TestSamplerRepeats(t *testing.T) {
	t.Parallel()
	g := randomGraph(t, 4, 50, 2, 300)
	draws := func(seed uint64) []Negative {
		s, err := NewSampler(g, Bernoulli, seed, 1)
		expect.NoError(t, err)
		n := make([]Negative, 16)
		drawOne(s, 7, 3, n)
		return n
	}
	if !slices.Equal(draws(1), draws(1)) {
		t.Error("equal seeds draw differently")
	}
	if slices.Equal(draws(1), draws(2)) {
		t.Error("different seeds draw the same")
	}
}

// TestSamplerTakesTheOtherSide has relations with a complete side, on which every entity is an answer.
func TestSamplerTakesTheOtherSide(t *testing.T) {
	t.Parallel()
	g, err := New("full", [][3]string{{"a", "r", "a"}, {"a", "r", "b"}, {"a", "r", "c"}}, nil, nil)
	expect.NoError(t, err)
	s, err := NewSampler(g, Uniform, 1, 1)
	expect.NoError(t, err)
	negatives := make([]Negative, 8)
	for item := range uint32(50) {
		drawOne(s, 0, item, negatives)
		for _, n := range negatives {
			if n.Side != HeadSide || g.Entities.Name(n.Entity) == "a" {
				t.Fatalf("%v is not a negative: only heads b and c are free", n)
			}
		}
	}
}

func TestSamplerRefusesCompleteGraph(t *testing.T) {
	t.Parallel()
	g, err := New("complete", [][3]string{{"a", "r", "a"}, {"a", "r", "b"}, {"b", "r", "a"}, {"b", "r", "b"}}, nil, nil)
	expect.NoError(t, err)
	if _, err := NewSampler(g, Uniform, 1, 1); err == nil {
		t.Error("a graph without negatives was accepted")
	}
	if _, err := NewSampler(randomGraph(t, 1, 9, 2, 20), "none", 1, 1); err == nil {
		t.Error("an unknown sampling was accepted")
	}
}

// TestAlternateTakesEveryTripleOncePerPass draws two passes of each side, with batches that do not divide the training
// set, in units of any size.
func TestAlternateTakesEveryTripleOncePerPass(t *testing.T) {
	t.Parallel()
	g := randomGraph(t, 3, 40, 3, 211)
	train := map[Triple]bool{}
	for _, x := range g.Train {
		train[x] = true
	}
	const batch, each = 20, 6
	s, err := NewSampler(g, Alternate, 5, batch)
	expect.NoError(t, err)
	var drawn [2][]Triple
	steps := uint64(2*2*len(g.Train)/batch + 2)
	for step := range steps {
		side := s.Side(step)
		if want := map[bool]Side{true: TailSide, false: HeadSide}[step%2 == 0]; side != want {
			t.Fatalf("step %d is of side %v", step, side)
		}
		positives, negatives := make([]Triple, batch), make([]Negative, batch*each)
		s.Draw(step, 0, positives[:7], negatives[:7*each])
		s.Draw(step, 7, positives[7:], negatives[7*each:])
		alone := make([]Triple, batch)
		s.Positives(step, 0, alone)
		if !slices.Equal(alone, positives) {
			t.Fatalf("step %d: Positives and Draw differ", step)
		}
		drawn[side] = append(drawn[side], positives...)
		for i, n := range negatives {
			x := positives[i/each]
			if n.Side != side {
				t.Fatalf("step %d corrupts side %v", step, n.Side)
			}
			if side == HeadSide {
				x.Head = n.Entity
			} else {
				x.Tail = n.Entity
			}
			if train[x] {
				t.Fatalf("negative %v is a training triple", x)
			}
		}
	}
	n := len(g.Train)
	for side, all := range drawn {
		for pass := range 2 {
			seen := map[Triple]bool{}
			for _, x := range all[pass*n : (pass+1)*n] {
				seen[x] = true
			}
			if len(seen) != n {
				t.Errorf("pass %d of side %d has %d different triples of %d", pass, side, len(seen), n)
			}
		}
		if slices.Equal(all[:n], all[n:2*n]) {
			t.Errorf("both passes of side %d have one order", side)
		}
	}
	for pass := range 2 {
		for other := range 2 {
			if slices.Equal(drawn[HeadSide][pass*n:(pass+1)*n], drawn[TailSide][other*n:(other+1)*n]) {
				t.Errorf("pass %d of heads and pass %d of tails have one order", pass, other)
			}
		}
	}
}

// TestWeight counts the training triples of a triple's queries.
func TestWeight(t *testing.T) {
	t.Parallel()
	g := randomGraph(t, 3, 9, 2, 60)
	s, err := NewSampler(g, Alternate, 5, 4)
	expect.NoError(t, err)
	for _, x := range g.Train {
		tails, heads := 3, 3
		for _, y := range g.Train {
			if x.Relation == y.Relation && x.Head == y.Head {
				tails++
			}
			if x.Relation == y.Relation && x.Tail == y.Tail {
				heads++
			}
		}
		if got, want := s.Weight(x), 1/math.Sqrt(float64(tails+heads)); got != want {
			t.Fatalf("%v: weight %g, want %g", x, got, want)
		}
	}
}

// TestTypedNegatives: the given share of negatives is on the relation's side in training and the others are as likely
// as without, none is an answer, each is equally likely, and a side full of answers takes all entities.
func TestTypedNegatives(t *testing.T) {
	t.Parallel()
	rows := [][3]string{{"a", "full", "x"}, {"a", "full", "y"}, {"b", "full", "x"}, {"b", "full", "y"}}
	for i := range 6 {
		rows = append(rows, [3]string{fmt.Sprint("h", i), "loves", fmt.Sprint("t", i*i%7)}, [3]string{"h0", "loves", fmt.Sprint("t", i%3)})
	}
	g, err := New("typed", rows, nil, nil)
	expect.NoError(t, err)
	plain, err := NewSampler(g, Bernoulli, 8, 1)
	expect.NoError(t, err)
	index, n := g.Index(Train), g.Entities.Len()
	full, _ := g.Relations.ID("full")
	for _, share := range []float64{0, .3, 1} {
		s, inside, all, expected := plain.Typed(share), 0, 0, 0.0
		count := map[Query]map[int32]int{}
		for step := range uint64(4000) {
			negatives := make([]Negative, 5)
			positive := drawOne(s, step, 3, negatives)
			for _, x := range negatives {
				q := positive.Query(x.Side)
				answers, on := index.Answers(q), index.On(x.Side, q.Relation)
				if Contains(answers, x.Entity) {
					t.Fatalf("share %v: negative %v of %v is an answer", share, x, positive)
				}
				free := len(on) - len(answers)
				if q.Relation == full {
					if free != 0 {
						t.Fatalf("%v has %d entities on its side besides its answers", q, free)
					}
					continue
				}
				all++
				expected += share + (1-share)*float64(free)/float64(n-len(answers))
				if Contains(on, x.Entity) {
					inside++
					if count[q] == nil {
						count[q] = map[int32]int{}
					}
					count[q][x.Entity]++
				}
			}
		}
		if d := float64(inside) - expected; math.Abs(d) > 5*math.Sqrt(float64(all)/4) || all < 10_000 {
			t.Errorf("share %v: %d of %d negatives are on the relation's side, want about %.0f", share, inside, all, expected)
		}
		for q, of := range count {
			total, free := 0, len(index.On(q.Side, q.Relation))-len(index.Answers(q))
			for _, k := range of {
				total += k
			}
			for e, k := range of {
				want := float64(total) / float64(free)
				if math.Abs(float64(k)-want) > 6*math.Sqrt(want)+1 {
					t.Errorf("share %v, %v: entity %d was drawn %d times, want about %.0f", share, q, e, k, want)
				}
			}
		}
	}
}
