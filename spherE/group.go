package sphere

// groups lists the places of a batch by a key, each list in batch order.
type groups struct {
	start []int32 // per key the index of its first place; the last element is the end
	place []int32
}

func newGroups(keys, places int) groups {
	return groups{start: make([]int32, keys+1), place: make([]int32, places)}
}

// fill lists the places 0 to n-1 by their keys.
func (g *groups) fill(n int, key func(place int) int32) {
	clear(g.start)
	for i := range n {
		g.start[key(i)]++
	}
	total := int32(0)
	for k, count := range g.start {
		total += count
		g.start[k] = total
	}
	for i := n - 1; i >= 0; i-- {
		k := key(i)
		g.start[k]--
		g.place[g.start[k]] = int32(i)
	}
}

func (g *groups) of(key int) []int32 { return g.place[g.start[key]:g.start[key+1]] }
