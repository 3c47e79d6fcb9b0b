package inductive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestImportance compares the importance of every edge in every layer with differences of the score of the network in
// float64, for both queries of a fact and both ways to ask for heads.
func TestImportance(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(151, 16, 1, 3)
	g := graphOf(t, 157, 13, 2, 19, 0)
	m, err := networkOf(t, tensors).on("random", g, "go")
	expect.NoError(t, err)
	of := kg.Triple{Head: 3, Relation: 1, Tail: 10}
	all, err := m.WithHeads(Both).passings(t.Context(), of, 1)
	expect.NoError(t, err)
	ref := &reference{tensors: tensors, width: 16}
	for i, q := range []kg.Query{of.Query(kg.TailSide), of.Query(kg.HeadSide), of.Query(kg.HeadSide)} {
		p, heads := all[i], []Heads{Inverse, Inverse, Direct}[i]
		if share := []float64{.5, .25, .25}[i]; p.share != share || p.known != q.Known {
			t.Errorf("query %d: share %v, want %v, of entity %d", i, p.share, share, p.known)
		}
		score := func() float64 {
			return ref.scoresBy(m.entities, m.relations, g.Train, g.Train, q, heads)[p.answer]
		}
		largest, zero := 0., 0
		for f, fact := range g.Train {
			for k, from := range []int32{fact.Tail, fact.Head} {
				place, _ := p.place(fact, from)
				if fact.Head == fact.Tail { // a path has no such edge
					continue
				}
				for l := range p.importance {
					const step = 1e-5
					ref.inLayer, ref.edge = fmt.Sprintf("entity_model.layers.%d.", l), 2*f+k
					ref.edgeChange = step
					want := score()
					ref.edgeChange = -step
					want = (want - score()) / (2 * step)
					if got := float64(p.importance[l][place]); math.Abs(got-want) > 1e-3*math.Abs(want)+2e-5 {
						t.Errorf("query %d, layer %d, %v from %d: importance %g, want %g", i, l, fact, from, got, want)
					}
					largest = max(largest, math.Abs(want))
					if want == 0 {
						zero++
					}
				}
			}
		}
		if largest < .01 || zero == 0 {
			t.Errorf("query %d: all differences are below %g, %d are 0: nothing is compared", i, largest, zero)
		}
	}
}

// everyPath returns all paths between the entities of a fact that pass no entity twice, each with its weight: the mean
// over queries of the greatest sum over all choices of ascending layers, by edge.
func everyPath(m *Model, all []*passing, facts []kg.Triple, of kg.Triple) (list []route) {
	var way []kg.Triple
	passed := map[int32]bool{of.Head: true}
	var best func(p *passing, places []int32, from int) float64
	best = func(p *passing, places []int32, from int) float64 {
		if len(places) == 0 {
			return 1
		}
		most := 0.
		for l := from; l < len(p.importance); l++ {
			most = max(most, max(0, float64(p.importance[l][places[0]]))*best(p, places[1:], l+1))
		}
		return most
	}
	var walk func(at int32)
	walk = func(at int32) {
		if at == of.Tail {
			r := route{facts: slices.Clone(way)}
			for _, p := range all {
				var places []int32
				order := slices.Clone(way)
				if p.known == of.Tail {
					slices.Reverse(order)
				}
				for from, i := p.known, 0; i < len(order); i++ {
					var place int32
					place, from = p.place(order[i], from)
					places = append(places, place)
				}
				r.weight += p.share * math.Pow(best(p, places, 0), 1/float64(len(way)))
			}
			if r.weight > 0 {
				list = append(list, r)
			}
			return
		}
		if len(way) == min(6, len(m.network.entity)) {
			return
		}
		for _, f := range facts {
			to := f.Head + f.Tail - at
			if f.Head != at && f.Tail != at || passed[to] {
				continue
			}
			passed[to], way = true, append(way, f)
			walk(to)
			passed[to], way = false, way[:len(way)-1]
		}
	}
	walk(of.Head)
	slices.SortFunc(list, func(a, b route) int { return cmp.Compare(b.weight, a.weight) })
	return list
}

// TestBeam compares what a beam of any width finds with all paths, for networks of fewer layers than a path may have
// edges and of more. A narrow beam finds some of them, the best among them.
func TestBeam(t *testing.T) {
	t.Parallel()
	for _, layers := range []int{3, 7} {
		t.Run(fmt.Sprint(layers), func(t *testing.T) {
			t.Parallel()
			g := graphOf(t, 163, 9, 3, 22, 0)
			m, err := networkOf(t, randomTensors(167, 16, 1, layers)).On("random", g)
			expect.NoError(t, err)
			of := kg.Triple{Head: 2, Relation: 1, Tail: 7}
			all, err := m.WithHeads(Both).passings(t.Context(), of, 1)
			expect.NoError(t, err)
			want := everyPath(m, all, g.Train, of)
			for _, p := range all { // beams keep a path by the best of its layers
				b := newBeam(p, 1<<20)
				paths, err := b.search(t.Context())
				expect.NoError(t, err)
				for _, facts := range paths {
					kept := b.kept[len(facts)][b.local[p.answer]]
					at := slices.IndexFunc(kept, func(k partial) bool { return slices.Equal(b.facts(k), facts) })
					if p.known != of.Head {
						slices.Reverse(facts)
					}
					got, want := math.Pow(kept[at].product, 1/float64(len(facts))), p.weight(facts, of.Head)
					if math.Abs(got-want) > 1e-12 || at > 0 && kept[at-1].product < kept[at].product {
						t.Errorf("%v is kept at %d with %v, want %v", facts, at, got, want)
					}
				}
			}
			for _, width := range []int{1 << 20, 2} {
				got, err := weigh(t.Context(), all, of.Head, width)
				expect.NoError(t, err)
				t.Logf("width %d: %d of %d paths", width, len(got), len(want))
				rest := want
				for i, r := range got {
					at := slices.IndexFunc(rest, func(x route) bool { return slices.Equal(x.facts, r.facts) })
					if at < 0 || width > 2 && at > 0 || math.Abs(rest[at].weight-r.weight) > 1e-12 {
						t.Fatalf("width %d, path %d: %v, want %v", width, i, r, rest[:min(1, len(rest))])
					}
					rest = rest[at+1:]
				}
				if width > 2 && len(rest) > 0 || !slices.Equal(got[0].facts, want[0].facts) {
					t.Errorf("width %d: %d paths, want %d", width, len(got), len(want))
				}
			}
		})
	}
}

// TestShownPaths: five at most, without weak ones and those that repeat the facts of better ones. Paths through the
// same entities are one.
func TestShownPaths(t *testing.T) {
	t.Parallel()
	path := func(weight float64, facts ...kg.Triple) route { return route{facts, weight} }
	first, last, other := kg.Triple{Head: 1, Relation: 0, Tail: 2}, kg.Triple{Head: 3, Relation: 1, Tail: 2},
		kg.Triple{Head: 1, Relation: 2, Tail: 2}
	toFour, between, fromFour := kg.Triple{Head: 4, Relation: 0, Tail: 1}, kg.Triple{Head: 4, Relation: 2, Tail: 2},
		kg.Triple{Head: 4, Relation: 1, Tail: 3}
	five := []kg.Triple{{Head: 1, Tail: 5}, {Head: 5, Tail: 3}}
	six := []kg.Triple{{Head: 1, Tail: 6}, {Head: 6, Tail: 3}}
	got := reasons([]route{path(5, first, last), path(4.5, toFour, between, last), path(3.5, first, between, fromFour),
		path(3, other, last), path(2.5, toFour, fromFour), path(1.7, five...), path(1.5, six...)}, 1)
	for i, want := range []struct {
		weight float64
		facts  []kg.Triple
	}{{8, []kg.Triple{first, last, other, last}}, {4.5, []kg.Triple{toFour, between, last}},
		{3.5, []kg.Triple{first, between, fromFour}}, {1.7, five}} {
		var facts []kg.Triple
		for _, f := range got[i].Facts {
			facts = append(facts, f.Triple)
		}
		if r := got[i]; len(got) != 4 || !slices.Equal(facts, want.facts) || r.Kind != evidence.Path ||
			math.Abs(r.Confidence-want.weight/21.7) > 1e-12 || r.Premise != len(facts)/(1+len(facts)/4) {
			t.Errorf("%d: %+v of %d, want %+v", i, r, len(got), want)
		}
	}
	var many []route
	for i := range int32(9) {
		many = append(many, path(1, kg.Triple{Head: 1, Tail: i + 2}))
	}
	if n := len(reasons(many, 1)); n != 5 {
		t.Errorf("%d of 9 paths", n)
	}
	m, err := networkOf(t, randomTensors(1, 16, 1, 1)).On("random", graphOf(t, 2, 9, 2, 12, 0))
	expect.NoError(t, err)
	if r, err := Paths(t.Context(), kg.Triple{Head: 3, Relation: 1, Tail: 3}, m); r != nil || err != nil {
		t.Errorf("a fact from an entity to itself: %v, %v", r, err)
	}
}

// TestPathsSameBits finds paths on every SIMD path, alone and in several goroutines.
func TestPathsSameBits(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 173, 60, 4, 200, 0)
	networks := []*Network{networkOf(t, randomTensors(179, 32, 2, 4)), networkOf(t, randomTensors(181, 16, 1, 3))}
	of := kg.Triple{Head: 5, Relation: 2, Tail: 31}
	found := func(t *testing.T, path string, threads int) [][]evidence.Reason {
		var models []*Model
		for _, n := range networks {
			m, err := n.on("random", g, path)
			expect.NoError(t, err)
			models = append(models, m)
		}
		list := make([][]evidence.Reason, threads)
		var wait sync.WaitGroup
		for i := range list {
			wait.Go(func() { list[i] = pathsOf(t, of, models...) })
		}
		wait.Wait()
		return list
	}
	want := fmt.Sprintf("%+v", found(t, "go", 1)[0])
	if len(want) < 100 {
		t.Fatalf("nothing is compared: %s", want)
	}
	simdtest.Each(t, true, func(path string) (string, error) {
		k, err := simd.Select(path)
		if err != nil {
			return "", err
		}
		return k.Name, nil
	}, func(t *testing.T, path string) {
		for _, r := range found(t, path, 3) {
			if got := fmt.Sprintf("%+v", r); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		}
	})
}

// TestRemovingPaths: a fact loses more of its score without the facts that are named for it than without as many other
// facts near it.
func TestRemovingPaths(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	t.Run("tuned", func(t *testing.T) {
		t.Parallel()
		tuner, err := networkOf(t, randomTensors(191, 16, 2, 3)).NewTuner([]*kg.Graph{g}, Inverse, Tuning{Batch: 16,
			Negatives: 32, Temperature: 1, LearningRate: .01, Seed: 4})
		expect.NoError(t, err)
		for range 60 {
			_, err := tuner.Step(t.Context())
			expect.NoError(t, err)
		}
		n, err := tuner.Network()
		expect.NoError(t, err)
		if worse := removePaths(t, n, g); worse > 0 {
			t.Errorf("%d facts lose more without other facts", worse)
		}
	})
	t.Run("public", func(t *testing.T) {
		t.Parallel()
		n, err := Open(graphtest.File(t, "ultra/ultra_50g.pth"))
		expect.NoError(t, err)
		if worse := removePaths(t, n, g); worse > 2 { // a slope may mislead
			t.Errorf("%d facts lose more without other facts", worse)
		}
	})
}

func pathsOf(t *testing.T, of kg.Triple, models ...*Model) []evidence.Reason {
	t.Helper()
	list, err := Paths(t.Context(), of, models...)
	if err != nil {
		t.Error(err)
	}
	return list
}

// endingContext ends after some looks at it.
type endingContext struct {
	context.Context
	looks int
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestPathsEnd: a search for paths ends where its context ends, in every part of it, and says so.
func TestPathsEnd(t *testing.T) {
	t.Parallel()
	m, err := networkOf(t, randomTensors(3, 16, 1, 2)).On("random", graphOf(t, 4, 12, 2, 40, 0))
	expect.NoError(t, err)
	ended := 0
	for looks := 0; ; looks++ {
		list, err := Paths(&endingContext{t.Context(), looks}, kg.Triple{Head: 3, Relation: 1, Tail: 7}, m)
		if err == nil {
			break
		}
		if ended++; !errors.Is(err, context.Canceled) || list != nil {
			t.Fatalf("after %d looks: %v, %v", looks, list, err)
		}
	}
	if ended < 2*(1+2+3) { // by query: before the passes, by layer of the backward pass, and in the search
		t.Errorf("the search looks at its context %d times", ended)
	}
}

// removePaths returns how many of twelve facts lose more without other facts. Together they must lose more without the
// named ones.
func removePaths(t *testing.T, n *Network, g *kg.Graph) (worse int) {
	t.Helper()
	score := func(of kg.Triple, gone []kg.Triple) (sum float64) {
		m, err := n.On("ultra", g.Without(gone))
		expect.NoError(t, err)
		for i, scores := range scoresOf(t, m, []kg.Query{of.Query(kg.TailSide), of.Query(kg.HeadSide)}, 1) {
			sum += float64(scores[[]int32{of.Tail, of.Head}[i]])
		}
		return sum
	}
	m, err := n.On("ultra", g)
	expect.NoError(t, err)
	random := rand.New(rand.NewPCG(193, 6))
	tried, sum := 0, 0.
	for i := 0; i < len(g.Test) && tried < 12; i += 17 {
		of := g.Test[i]
		named := evidence.Removed(pathsOf(t, of, m)...)
		var others []kg.Triple
		near := map[int32]bool{of.Head: true, of.Tail: true}
		for _, f := range named {
			near[f.Head], near[f.Tail] = true, true
		}
		for _, f := range g.Train {
			if (near[f.Head] || near[f.Tail]) && !slices.Contains(named, f) {
				others = append(others, f)
			}
		}
		if len(named) == 0 || len(others) < len(named) {
			continue
		}
		tried++
		before := score(of, nil)
		loss, most := before-score(of, named), 0.
		const draws = 5
		for range draws {
			random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
			most += (before - score(of, others[:len(named)])) / draws
		}
		t.Logf("%v loses %.3f without %d named facts, %.3f without others", of, loss, len(named), most)
		sum += loss - most
		if loss <= max(0, most) {
			worse++
		}
	}
	if tried < 12 || sum <= 12*.5 {
		t.Errorf("%d facts tried, they lose %v more", tried, sum)
	}
	return worse
}
