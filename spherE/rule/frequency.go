package rule

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// frequency scores an entity by its share of the training facts of the relation on the asked side, as if every entity
// had one more occurrence on that side (Laplace). The known entity does not matter.
type frequency struct {
	seen [2][]shares // by side and relation
}

// shares are the logarithms of the shares on one side of one relation.
type shares struct {
	entities []int32 // entities that occur there, ascending
	logs     []float32
	none     float32 // of all others
}

// newFrequency counts the training facts.
func newFrequency(g *kg.Graph) *frequency {
	f, n := &frequency{}, g.Entities.Len()
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		stand := make([][]int32, g.Relations.Len()) // one entity per fact
		for _, t := range g.Train {
			stand[t.Relation] = append(stand[t.Relation], t.Answer(side))
		}
		for _, all := range stand {
			slices.Sort(all)
			whole := float64(len(all) + n)
			s := shares{none: float32(exact.Log(1 / whole))}
			for lo := 0; lo < len(all); {
				hi := lo + 1
				for hi < len(all) && all[hi] == all[lo] {
					hi++
				}
				s.entities = append(s.entities, all[lo])
				s.logs = append(s.logs, float32(exact.Log(float64(hi-lo+1)/whole)))
				lo = hi
			}
			f.seen[side] = append(f.seen[side], s)
		}
	}
	return f
}

// score fills dst with ln of the shares.
func (f *frequency) score(q kg.Query, dst []float32) {
	s := &f.seen[q.Side][q.Relation]
	for e := range dst {
		dst[e] = s.none
	}
	for i, e := range s.entities {
		dst[e] = s.logs[i]
	}
}
