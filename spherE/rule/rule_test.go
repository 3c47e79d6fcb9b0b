package rule

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// zoo is a graph of animals with legs and homes below a tree of kinds.
func zoo(t *testing.T) *kg.Graph {
	t.Helper()
	var splits [3][][3]string
	put := func(i int, h, r, to string) {
		at := 0
		if i%7 == 5 {
			at = 1
		}
		if i%7 == 6 {
			at = 2
		}
		splits[at] = append(splits[at], [3]string{h, r, to})
	}
	for k := 1; k < 15; k++ {
		put(0, fmt.Sprintf("k%02d", k), "kind_of", fmt.Sprintf("k%02d", (k-1)/2))
	}
	put(0, "a00", "eats", "a01") // a circle
	put(0, "a01", "eats", "a00")
	for a := range 30 {
		name := fmt.Sprintf("a%02d", a)
		put(0, name, "is", fmt.Sprintf("k%02d", 7+a%8))
		put(a, name, "is", fmt.Sprintf("k%02d", 3+a%4))
		for _, h := range []int{a % 5, (a*a + 1) % 7} {
			put(a+h, name, "lives_in", fmt.Sprintf("h%d", h))
		}
		put(a*3, name, "eats", fmt.Sprintf("a%02d", (a*11+4)%30))
		put(a*5+1, name, "eats", fmt.Sprintf("k%02d", (a*3)%15))
	}
	g, err := kg.New("zoo", splits[0], splits[1], splits[2])
	expect.NoError(t, err)
	return g
}

func fit(t *testing.T, name string, g *kg.Graph, threads int) *Model {
	t.Helper()
	m, err := Fit(context.Background(), name, g, Settings{Threads: threads, Steps: 25000, Seed: 11})
	expect.NoError(t, err)
	return m
}

// everyQuery calls do with every query of a graph.
func everyQuery(g *kg.Graph, do func(q kg.Query)) {
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for r := range g.Relations.Len() {
			for e := range g.Entities.Len() {
				do(kg.Query{Side: side, Relation: int32(r), Known: int32(e)})
			}
		}
	}
}

func distances(m *Model, q kg.Query) []float32 {
	d := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, d)
	return d
}

// near reports whether a distance is what a reference in plain float64 says, except for rounding.
func near(got float32, want float64) bool {
	return math.Abs(float64(got)-want) <= 2e-5*(1+math.Abs(want))
}

// plainShare counts the training facts with an entity on the asked side.
func plainShare(g *kg.Graph, q kg.Query, e int32) float64 {
	with, all := 1.0, float64(g.Entities.Len())
	for _, x := range g.Train {
		if x.Relation == q.Relation {
			all++
			if x.Answer(q.Side) == e {
				with++
			}
		}
	}
	return with / all
}

func TestFrequencyCounts(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	m := fit(t, sphere.Frequency, g, 1)
	everyQuery(g, func(q kg.Query) {
		for e, d := range distances(m, q) {
			if want := -math.Log(plainShare(g, q, int32(e))); !near(d, want) {
				t.Fatalf("%v, entity %d: %v, want %v", q, e, d, want)
			}
		}
	})
}

// plainTraits has an entity's traits as words, by counting all facts; above adds ancestors.
func plainTraits(g *kg.Graph, above func(int32) []int32) []map[string]bool {
	all := make([]map[string]bool, g.Entities.Len())
	for e := range all {
		all[e] = map[string]bool{}
	}
	for _, x := range g.Train {
		for _, n := range append([]int32{x.Tail}, above(x.Tail)...) {
			all[x.Head][fmt.Sprint("head ", x.Relation, " ", n)] = true
		}
		for _, n := range append([]int32{x.Head}, above(x.Head)...) {
			all[x.Tail][fmt.Sprint("tail ", x.Relation, " ", n)] = true
		}
	}
	return all
}

// plainCosine compares two entities.
func plainCosine(all []map[string]bool, a, b int32) float64 {
	rarity := func(trait string) float64 {
		place, has, of := trait[:strings.LastIndex(trait, " ")+1], 0.0, 0.0
		for _, traits := range all {
			some := false
			for other := range traits {
				some = some || strings.HasPrefix(other, place)
			}
			if some {
				of++
			}
			if traits[trait] {
				has++
			}
		}
		return math.Log(of/has) * math.Log(of/has)
	}
	shared, lengthA, lengthB := 0.0, 0.0, 0.0
	for x := range all[a] {
		lengthA += rarity(x)
		if all[b][x] {
			shared += rarity(x)
		}
	}
	for x := range all[b] {
		lengthB += rarity(x)
	}
	if shared == 0 {
		return 0
	}
	return shared / math.Sqrt(lengthA*lengthB)
}

// TestNeighboursVote compares votes with those that are counted in the plainest way, with and without the tree of
// kinds.
func TestNeighboursVote(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	kinds, _ := g.Relations.ID("kind_of")
	parents := func(e int32) (up []int32) {
		for more := true; more; {
			more = false
			for _, x := range g.Train {
				if x.Relation == kinds && (x.Head == e || slices.Contains(up, x.Head)) && !slices.Contains(up, x.Tail) {
					up, more = append(up, x.Tail), true
				}
			}
		}
		return up
	}
	n := newNeighbours(g, Voting{})
	if n.traits[1] == nil {
		t.Fatal("kind_of is not a hierarchy")
	}
	index, b, got := g.Index(kg.Train), n.spare.Get().(*ballot), make([]float32, g.Entities.Len())
	for _, w := range []Way{{true, 2, .5}, {false, 4, 3}, {true, 1, 0}} {
		above := func(int32) []int32 { return nil }
		if w.Hierarchy {
			above = parents
		}
		all := plainTraits(g, above)
		cosines := make([][]float64, len(all))
		for a := range all {
			for c := range all {
				cosines[a] = append(cosines[a], plainCosine(all, int32(a), int32(c)))
			}
		}
		weight := func(a, c int32) float64 {
			if a == c {
				return 0
			}
			return math.Pow(cosines[a][c], float64(w.Power))
		}
		everyQuery(g, func(q kg.Query) {
			known, voters := index.Answers(q), 0.0
			votes, answers := make([]float64, len(all)), make([]float64, len(all))
			for e := range all {
				like := kg.Query{Side: q.Side, Relation: q.Relation, Known: int32(e)}
				vote := weight(q.Known, int32(e))
				for i, a := range index.Answers(like) {
					votes[a] += vote
					if i == 0 {
						voters += vote
					}
				}
				for _, a := range known {
					answers[e] += weight(a, int32(e)) / float64(len(known))
				}
			}
			s := n.look(b, q, w.Hierarchy)
			n.vote(b, q, &s, w, got)
			for e, x := range got {
				want := w.Answers * answers[e]
				if votes[e] > 0 {
					want += votes[e] / voters
				}
				if want = math.Log(want + 1e-6*plainShare(g, q, int32(e))); !near(x, want) {
					t.Fatalf("%+v, %v, entity %d: %v, want %v", w, q, e, x, want)
				}
			}
		})
	}
}

// TestHierarchies: circles, single levels and few facts are none; the parent may be the head.
func TestHierarchies(t *testing.T) {
	t.Parallel()
	var facts [][3]string
	for i := 1; i < 20; i++ {
		a, up := fmt.Sprintf("n%02d", i), fmt.Sprintf("n%02d", (i-1)/3)
		facts = append(facts, [3]string{a, "below", up}, [3]string{up, "over", a}, [3]string{a, "flat", "root"},
			[3]string{a, "ring", fmt.Sprintf("n%02d", i%19+1)})
		if i < 5 {
			facts = append(facts, [3]string{a, "few", up})
		}
	}
	g, err := kg.New("levels", facts, nil, nil)
	expect.NoError(t, err)
	h := newHierarchy(g)
	for name, want := range map[string]bool{"below": true, "over": true, "flat": false, "ring": false, "few": false} {
		r, _ := g.Relations.ID(name)
		if h.relations[r] != want {
			t.Errorf("%s is a hierarchy: %v", name, h.relations[r])
		}
	}
	leaf, _ := g.Entities.ID("n19")
	var names []string
	for _, a := range h.ancestors(leaf, nil) {
		names = append(names, g.Entities.Name(a))
	}
	if got := strings.Join(names, " "); got != "n06 n01 n00" {
		t.Errorf("above n19 are %s", got)
	}
}

// TestFitChoosesByValidation: the chosen ways have the greatest MRR, computed again, and no test fact enters.
func TestFitChoosesByValidation(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	blind, err := kg.New("blind", names(g, g.Train), names(g, g.Valid), nil)
	expect.NoError(t, err)
	m, n := fit(t, sphere.Neighbours, g, 1), newNeighbours(g, Voting{})
	if other := fit(t, sphere.Neighbours, blind, 2); g.Entities.Len() == blind.Entities.Len() &&
		!slices.Equal(m.stored.Neighbours.Head, other.stored.Neighbours.Head) {
		t.Error("test facts changed the votes")
	}
	truth, b, dst := g.Index(kg.Train, kg.Valid), n.spare.Get().(*ballot), make([]float32, g.Entities.Len())
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		chosen, maximum := 0.0, 0.0
		for _, w := range n.ways() {
			sum := 0.0
			for _, x := range g.Valid {
				s := n.look(b, x.Query(side), w.Hierarchy)
				n.vote(b, x.Query(side), &s, w, dst)
				better, same := 0, 0
				for e := range dst {
					switch a := x.Answer(side); {
					case int32(e) == a || kg.Contains(truth.Answers(x.Query(side)), int32(e)):
					case dst[e] > dst[a]:
						better++
					case dst[e] == dst[a]:
						same++
					}
				}
				sum += 1 / (1 + float64(better) + float64(same)/2)
			}
			if w == m.stored.Neighbours.side(side)[0] {
				chosen = sum
			}
			maximum = max(maximum, sum)
		}
		if len(g.Valid) < 10 || chosen < maximum-1e-9 {
			t.Errorf("%s: the way has %v over %d facts, the best %v", side, chosen, len(g.Valid), maximum)
		}
	}
}

func names(g *kg.Graph, facts []kg.Triple) (all [][3]string) {
	for _, x := range facts {
		all = append(all, [3]string{g.Entities.Name(x.Head), g.Relations.Name(x.Relation), g.Entities.Name(x.Tail)})
	}
	return all
}

// TestBits: any number of threads and a model that was stored have the same bits; another graph is refused.
func TestBits(t *testing.T) {
	t.Parallel()
	g := zoo(t)
	other, err := kg.New("other", names(g, g.Train[1:]), nil, nil)
	expect.NoError(t, err)
	for _, name := range sphere.Counted() {
		one, three := fit(t, name, g, 1), fit(t, name, g, 3)
		raw, err := one.JSON()
		path := filepath.Join(t.TempDir(), "model.json")
		if err == nil {
			err = os.WriteFile(path, raw, 0o600)
		}
		expect.NoError(t, err)
		loaded, err := Load(path, g)
		expect.NoError(t, err)
		if one.Digest() != three.Digest() || one.Digest() != loaded.Digest() || len(one.Digest()) != 64 {
			t.Errorf("%s: digests %s, %s, %s", name, one.Digest(), three.Digest(), loaded.Digest())
		}
		everyQuery(g, func(q kg.Query) {
			want := distances(one, q)
			if !slices.Equal(want, distances(three, q)) || !slices.Equal(want, distances(loaded, q)) {
				t.Fatalf("%s, %v: other distances", name, q)
			}
		})
		if _, err := Load(path, other); err == nil || !strings.Contains(err.Error(), "another graph than other") {
			t.Errorf("%s: on another graph: %v", name, err)
		}
		if fit(t, name, other, 2).Digest() == one.Digest() {
			t.Errorf("%s has one digest on two graphs", name)
		}
	}
	if _, err := Fit(context.Background(), "rotate", g, Settings{}); err == nil {
		t.Error("RotatE is counted")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Fit(ended, sphere.Neighbours, g, Settings{}); err == nil {
		t.Error("Fit did not stop")
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, x := range []float32{0, 1, -1, 1e-45, -1e-45, 3.25, -7e20, math.MaxFloat32, float32(math.Inf(1))} {
		if got, want := below(x), math.Nextafter32(x, float32(math.Inf(-1))); got != want {
			t.Errorf("below %v is %v, want %v", x, got, want)
		}
	}
}
