package rule

import (
	"cmp"
	"math"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// traits are what entities have in common: pairs of a place and an entity there. Place 2r is "is a head of relation r
// with this tail", 2r+1 "is a tail of r with this head". Each entity lists its traits, each trait its entities.
type traits struct {
	of     lists     // by entity: traits, ascending
	having lists     // by trait: entities, ascending
	place  []int32   // by trait
	other  []int32   // by trait: the entity there
	weight []float64 // by trait: its rarity idf, squared
	length []float64 // by entity: root of the sum of the squared weights
}

// lists are lists of numbers: that of i is all[start[i]:start[i+1]].
type lists struct {
	start []int32
	all   []int32
}

func (l *lists) at(i int32) []int32 { return l.all[l.start[i]:l.start[i+1]] }

// newTraits counts the training facts. With h an entity also has the traits of its neighbours' ancestors. The rarity of
// a trait is ln(n/k), where k of the n entities that have some trait of its place have it.
func newTraits(g *kg.Graph, h *hierarchy) *traits {
	type trait struct{ place, other, entity int32 }
	var all []trait
	var above []int32
	for _, t := range g.Train {
		for _, x := range [2]trait{{2 * t.Relation, t.Tail, t.Head}, {2*t.Relation + 1, t.Head, t.Tail}} {
			all = append(all, x)
			if h == nil {
				continue
			}
			above = h.ancestors(x.other, above[:0])
			for _, a := range above {
				all = append(all, trait{x.place, a, x.entity})
			}
		}
	}
	slices.SortFunc(all, func(a, b trait) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.other, b.other), cmp.Compare(a.entity, b.entity))
	})
	all = slices.Compact(all)
	n := g.Entities.Len()
	t := &traits{length: make([]float64, n)}
	t.having.start, t.of.start = []int32{0}, make([]int32, n+1)
	counted := make([]int32, n) // by entity: 1 plus the last place that it was counted for
	for lo := 0; lo < len(all); {
		place, end, with := all[lo].place, lo, 0
		for ; end < len(all) && all[end].place == place; end++ {
			if e := all[end].entity; counted[e] != place+1 {
				counted[e] = place + 1
				with++
			}
		}
		for lo < end {
			other := all[lo].other
			for ; lo < end && all[lo].other == other; lo++ {
				t.having.all = append(t.having.all, all[lo].entity)
				t.of.start[all[lo].entity+1]++
			}
			k := len(t.having.all) - int(t.having.start[len(t.having.start)-1])
			t.having.start = append(t.having.start, int32(len(t.having.all)))
			t.place, t.other = append(t.place, place), append(t.other, other)
			idf := exact.Log(float64(with) / float64(k))
			t.weight = append(t.weight, float64(idf*idf))
		}
	}
	for e := range n {
		t.of.start[e+1] += t.of.start[e]
	}
	t.of.all = make([]int32, len(all))
	next := slices.Clone(t.of.start[:n])
	for x := range t.weight {
		for _, e := range t.having.at(int32(x)) {
			t.of.all[next[e]] = int32(x)
			next[e]++
			t.length[e] += t.weight[x]
		}
	}
	for e, sum := range t.length {
		t.length[e] = math.Sqrt(sum)
	}
	return t
}

// alike has room for the similarities of one entity to all others.
type alike struct {
	sum     []float64 // by entity; 0 between uses
	touched []int32
}

// compare fills touched and sum with the entities that share a trait of some weight with e, and the cosines of their
// traits: from 0 to 1 except for rounding. e is not among them.
func (a *alike) compare(t *traits, e int32) {
	for _, x := range t.of.at(e) {
		w := t.weight[x]
		if w == 0 {
			continue
		}
		for _, other := range t.having.at(x) {
			if a.sum[other] == 0 {
				a.touched = append(a.touched, other)
			}
			a.sum[other] += w
		}
	}
	for _, other := range a.touched {
		a.sum[other] /= float64(t.length[e] * t.length[other])
	}
	if a.sum[e] != 0 {
		a.sum[e] = 0
		i := slices.Index(a.touched, e)
		a.touched = append(a.touched[:i], a.touched[i+1:]...)
	}
}

// clear makes room for the next entity.
func (a *alike) clear() {
	for _, e := range a.touched {
		a.sum[e] = 0
	}
	a.touched = a.touched[:0]
}
