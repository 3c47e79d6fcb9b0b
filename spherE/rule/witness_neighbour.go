package rule

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
)

// neighbours returns the entities of which the same is known, the most similar first. An entity without similarity is
// none.
func (w *Witness) neighbours(of kg.Triple) []evidence.Reason {
	list := append(w.neighboursOf(of, kg.HeadSide), w.neighboursOf(of, kg.TailSide)...)
	slices.SortStableFunc(list, func(a, b evidence.Reason) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return list
}

// neighboursOf returns those that are similar to the entity on one side. The most similar to the head and to the tail
// are listed apart: similarities of genes and of diseases have other sizes.
func (w *Witness) neighboursOf(of kg.Triple, side kg.Side) (found []evidence.Reason) {
	own, q := of.Answer(side), of.Query(side)
	t := w.alike(of.Query(other(side)))
	mine := t.of.at(own)
	for _, e := range w.net.index.Answers(q) {
		if e == own {
			continue
		}
		if c := t.cosine(mine, own, e); c > 0 {
			found = append(found, evidence.Reason{Kind: evidence.Neighbour, Confidence: c, Premise: 1,
				Facts:     []evidence.Fact{{Triple: q.Triple(e)}},
				Neighbour: &evidence.Similar{Entity: e, Like: own}})
		}
	}
	slices.SortStableFunc(found, func(a, b evidence.Reason) int { return cmp.Compare(b.Confidence, a.Confidence) })
	for i, r := range found {
		if i == neighbourReasons || weak(r, found) {
			return found[:i]
		}
		r.Neighbour.Shared = t.shared(own, r.Neighbour.Entity)
	}
	return found
}

func other(s kg.Side) kg.Side { return kg.HeadSide + kg.TailSide - s }

// alike returns the traits by which entities are compared with the known one of a query.
func (w *Witness) alike(q kg.Query) *traits {
	if w.voting != nil && w.traits[1] != nil && w.voting.side(q.Side)[q.Relation].Hierarchy {
		return w.traits[1]
	}
	return w.traits[0]
}

// cosine is that of the traits of two entities; mine are those of the first.
func (t *traits) cosine(mine []int32, own, e int32) float64 {
	sum := 0.0
	for _, x := range t.of.at(e) {
		if t.weight[x] > 0 && kg.Contains(mine, x) {
			sum += t.weight[x]
		}
	}
	if sum == 0 {
		return 0
	}
	return sum / float64(t.length[own]*t.length[e])
}

// shared returns what two entities have in common by relation, the greatest weight first.
func (t *traits) shared(own, e int32) []evidence.Shared {
	mine := t.of.at(own)
	by := map[int32]*evidence.Shared{} // by place
	rare := map[int32][]int32{}        // by place: shared traits
	for _, x := range t.of.at(e) {
		place := t.place[x]
		s := by[place]
		if s == nil {
			s = &evidence.Shared{RelationID: place / 2, AsTail: place&1 == 1}
			by[place] = s
		}
		s.Of++
		if kg.Contains(mine, x) {
			s.Count++
			s.Weight += t.weight[x]
			rare[place] = append(rare[place], x)
		}
	}
	others := func(place int32) (list []int32) {
		for _, x := range rare[place] {
			list = append(list, t.other[x])
		}
		slices.Sort(list)
		return list
	}
	var list []evidence.Shared
	for _, place := range slices.Sorted(maps.Keys(by)) {
		s := by[place]
		turned := place&1 == 1 && slices.Equal(others(place), others(place^1)) // of a relation that holds both ways
		if s.Count == 0 || turned {
			continue
		}
		slices.SortStableFunc(rare[place], func(a, b int32) int { return cmp.Compare(t.weight[b], t.weight[a]) })
		for _, x := range rare[place][:min(rarest, len(rare[place]))] {
			s.Rarest = append(s.Rarest, t.other[x])
		}
		list = append(list, *s)
	}
	slices.SortStableFunc(list, func(a, b evidence.Shared) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}

// rarest is how many shared traits of a relation are named.
const rarest = 3

// fact is what makes an entity have a trait, if it is not from an ancestor.
func (t *traits) fact(trait, entity int32) kg.Triple {
	if t.place[trait]&1 == 1 {
		return kg.Triple{Head: t.other[trait], Relation: t.place[trait] / 2, Tail: entity}
	}
	return kg.Triple{Head: entity, Relation: t.place[trait] / 2, Tail: t.other[trait]}
}
