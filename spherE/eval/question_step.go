package eval

import "github.com/spherelab/spherelab/spherE/kg"

// Findable returns the probability that a query has a new answer at all. Calibrated.New is the probability of an entity
// if the query has one, as the queries of a split have. Most other queries have none.
//
// The probability is the share of queries with a new validation answer among those of the relation and side. Entities
// that training has in that place are counted separately from others. Each share is shrunk to the side's by ten
// pseudo-queries.
func Findable(g *kg.Graph) func(q kg.Query) float64 {
	train, of := g.Index(kg.Train), FindableFrom(g)
	return func(q kg.Query) float64 { return of(q, len(train.Answers(q)) > 0) }
}

// FindableFrom is Findable by relation, side and whether there are training answers; the entity of q does not count.
func FindableFrom(g *kg.Graph) func(q kg.Query, hasKnown bool) float64 {
	type counts struct{ queries, found float64 }
	var of [2][][2]counts // by side, relation, and whether training has the entity in the place
	var whole [2][2]counts
	train, n := g.Index(kg.Train), g.Entities.Len()
	place := func(hasKnown bool) int {
		if hasKnown {
			return 1
		}
		return 0
	}
	for side := range of {
		of[side] = make([][2]counts, g.Relations.Len())
	}
	ask := func(facts []kg.Triple, each func(c *counts)) {
		seen := map[kg.Query]bool{}
		for _, t := range facts {
			for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
				if q := t.Query(side); !seen[q] {
					seen[q] = true
					each(&of[side][q.Relation][place(len(train.Answers(q)) > 0)])
				}
			}
		}
	}
	ask(g.Train, func(c *counts) { c.queries++ })
	ask(g.Valid, func(c *counts) { c.found++ })
	for side := range of {
		for r := range of[side] {
			c := &of[side][r]
			c[0].queries = float64(n) - c[1].queries
			for p := range c {
				whole[side][p].queries += c[p].queries
				whole[side][p].found += c[p].found
			}
		}
	}
	return func(q kg.Query, hasKnown bool) float64 {
		p := place(hasKnown)
		c, all := of[q.Side][q.Relation][p], whole[q.Side][p]
		base := 0.0
		if all.queries > 0 {
			base = all.found / all.queries
		}
		return min(1, (c.found+float64(defaultPseudo*base))/(c.queries+defaultPseudo))
	}
}

// unionSize returns how many candidates join the known answers in the set of greatest expected F1. Probabilities are in
// descending order. Equally probable candidates are in the set together.
func unionSize(falling []float64, known int) int {
	c := choice{p: falling, values: make([]float32, len(falling))}
	for i := range falling {
		if c.values[i] = float32(i); i > 0 && falling[i] == falling[i-1] {
			c.values[i] = c.values[i-1]
		}
	}
	return c.best(known)
}

// Size returns how many candidates join the known answers. Probabilities are in descending order. With a promised
// precision it is the largest number whose expected precision is at least that, otherwise unionSize.
func Size(c Cut) func(falling []float64, known int) int {
	promised, ok := c.(Promised)
	if !ok || promised.ofRecall {
		return unionSize
	}
	return func(falling []float64, _ int) int {
		size, sum := 0, 0.0
		for i, p := range falling {
			if sum += p; sum >= float64(promised.Share()*float64(i+1)) {
				size = i + 1
			}
		}
		return size
	}
}
