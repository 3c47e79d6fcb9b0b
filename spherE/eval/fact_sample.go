package eval

import "slices"

// factSample draws queries of every relation and side, and returns how many each stands for.
func factSample(queries []query, entities int, s FactSettings) (chosen []query, weights []float64) {
	var sizes []int // of relations and sides
	for i := range queries {
		if i == 0 || queries[i].Relation != queries[i-1].Relation || queries[i].Side != queries[i-1].Side {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	maximum := int(min(factQueries, max(1, factRows/(float64(len(sizes))*2*factCandidates*float64(entities)))))
	if s.Sample > 0 {
		maximum = min(maximum, evenShare(sizes, 2*s.Sample))
	}
	if s.Half != 0 {
		maximum = max(2, maximum) // one of each half
	}
	for lo := 0; lo < len(queries); {
		hi := lo + 1
		for hi < len(queries) && queries[hi].Relation == queries[lo].Relation && queries[hi].Side == queries[lo].Side {
			hi++
		}
		drawn := sample(queries[lo:hi], maximum)
		for i, q := range drawn {
			if s.Half == 0 || i%2 == s.Half-1 {
				chosen, weights = append(chosen, q), append(weights, float64(hi-lo)/float64(len(drawn)))
			}
		}
		lo = hi
	}
	return chosen, weights
}

// evenShare returns the greatest share, 1 or more, with which groups of these sizes have at most total members.
func evenShare(sizes []int, total int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		if left := len(sorted) - i; size*left > total {
			return max(1, total/left)
		}
		total -= size
	}
	return max(1, total)
}
