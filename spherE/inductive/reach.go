package inductive

// reach has the entities that a question has reached after each layer. The rows of all others are those of a question
// without an asked entity, the background.
type reach struct {
	order []int32 // entities by when they are reached; those that the question starts from first
	bound []int   // after layer l the first bound[l] of order are reached
	place []int32 // by entity its place in order, or -1
}

func newReach(entities int) *reach {
	r := &reach{place: make([]int32, entities)}
	for e := range r.place {
		r.place[e] = -1
	}
	return r
}

// ask follows the edges from some entities. It returns the number of layers, at most layers, in which the reached ones
// sum over no more than half of all edges. order has the entities that one layer more reaches.
func (r *reach) ask(a *adjacency, from []member, layers int) int {
	for _, e := range r.order {
		r.place[e] = -1
	}
	r.order, r.bound = r.order[:0], append(r.bound[:0], len(from))
	for i, m := range from {
		r.order, r.place[m.entity] = append(r.order, m.entity), int32(i)
	}
	edges, first := 0, 0
	for l := 0; ; l++ {
		to := len(r.order)
		for _, e := range r.order[first:to] {
			edges += a.edges(e)
		}
		if l > 0 && (2*edges > len(a.source) || l > layers) {
			return l - 1
		}
		// Every edge has an edge that leads back.
		for _, e := range r.order[first:to] {
			for _, s := range a.source[a.start[e]:a.start[e+1]] {
				if r.place[s] < 0 {
					r.place[s] = int32(len(r.order))
					r.order = append(r.order, s)
				}
			}
		}
		first = to
		r.bound = append(r.bound, len(r.order))
	}
}
