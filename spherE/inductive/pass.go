package inductive

import "github.com/spherelab/spherelab/spherE/internal/simd"

// pass answers queries of one relation. It belongs to one goroutine.
type pass struct {
	n     *Network
	k     *simd.Kernels
	edges *adjacency

	// Of the relation that is asked:
	query      []float32   // its representation
	weight     []table     // by layer, a row per kind of edge
	base       []float32   // of scores
	background []level     // rows after each layer that no question has reached; only the known ones
	floor      []float32   // scores of such rows after the last layer, nil if they are not known
	memory     [][]float32 // of the background

	reach     *reach
	x, y, sum table // of all entities
	local     adjacency
	scratch   []float32
	row       []float32
	own       []float32 // scores of reached entities
	single    [1]member
}

// level has the rows of the background after a layer: a table of a row that all entities share, or of one each.
type level struct {
	table
}

func (l level) row(e int32) int {
	if l.rows == 1 {
		return 0
	}
	return int(e)
}

func newPass(n *Network, k *simd.Kernels, edges *adjacency) *pass {
	rows := edges.nodes()
	return &pass{n: n, k: k, edges: edges, reach: newReach(rows),
		x: newTable(rows, n.width), y: newTable(rows, n.width), sum: newTable(rows, n.width),
		scratch: make([]float32, 2*block*n.width), row: make([]float32, n.width)}
}

// prepare sets the representations of relations for queries of one kind of edge.
func (p *pass) prepare(relations table, asked int32) {
	p.query = make([]float32, p.n.width)
	relations.get(int(asked), p.query)
	p.weight = p.weight[:0]
	for i := range p.n.entity {
		p.weight = append(p.weight, p.n.entity[i].project(p.k, relations, p.scratch))
	}
	p.base = p.n.base(p.k, p.query)
	p.floor = nil
	// Without an asked entity all rows are 0, and after the first layer they are still equal.
	zero, first := newTable(1, p.n.width), newTable(1, p.n.width)
	p.n.entity[0].apply(p.k, first, zero, zero, p.scratch)
	p.background = append(p.background[:0], level{zero}, level{first})
}

// answer sets dst[i], by entity, to the scores of the answers to the query of the entity known[i].
func (p *pass) answer(known []int32, dst [][]float32) {
	deep := p.depth(known)
	for l := 2; l <= deep; l++ {
		p.deepen(l)
	}
	if deep == len(p.n.entity) && p.floor == nil {
		p.floor = make([]float32, p.x.rows)
		last := p.background[deep]
		if last.rows == 1 {
			p.n.score(p.k, p.floor[:1], last.table, p.base, p.scratch)
			repeat(p.floor, append([]float32(nil), p.floor[0]))
		} else {
			p.n.score(p.k, p.floor, last.table, p.base, p.scratch)
		}
	}
	for i, e := range known {
		p.one(p.alone(e), dst[i])
	}
}

// alone is the set of one entity.
func (p *pass) alone(known int32) []member {
	p.single[0] = member{known, 1}
	return p.single[:]
}

// depth returns the number of layers after which the background is needed: as long as two questions or more use its
// rows. After one layer it costs nothing.
func (p *pass) depth(known []int32) int {
	layers := len(p.n.entity)
	use := make([]int, layers+1)
	if len(known) > 1 {
		for _, e := range known {
			for l := range p.reach.ask(p.edges, p.alone(e), layers) + 1 {
				use[l]++
			}
		}
	}
	deep := 1
	for deep < layers && use[deep+1] > 1 {
		deep++
	}
	return deep
}

// deepen computes the background after layer l, unless it is known.
func (p *pass) deepen(l int) {
	if l < len(p.background) {
		return
	}
	if l-2 == len(p.memory) {
		p.memory = append(p.memory, make([]float32, len(p.x.data)))
	}
	t := table{p.memory[l-2], p.x.rows, p.x.width}
	from := p.background[l-1].table
	if from.rows == 1 {
		p.x.fill(from, 0)
		from = p.x
	}
	sums(p.k, p.sum, p.edges, from, p.weight[l-1])
	p.n.entity[l-1].apply(p.k, t, from, p.sum, p.scratch)
	p.background = append(p.background, level{t})
}

// one answers a question about a set: where its members lead. Layers compute only the rows that the question has
// reached, as long as there are few of them and the background has the others. Then they compute all rows.
func (p *pass) one(from []member, dst []float32) {
	layers := len(p.n.entity)
	few := min(p.reach.ask(p.edges, from, layers), len(p.background)-1)
	x := p.x.sized(len(from))
	for i, m := range from {
		for j, q := range p.query {
			p.row[j] = m.degree * q
		}
		x.set(i, p.row)
	}
	for l := 1; l <= few; l++ {
		x = p.near(l, x, from)
	}
	if few == layers {
		own := resized(&p.own, x.rows)
		p.n.score(p.k, own, x, p.base, p.scratch)
		copy(dst, p.floor)
		for i, s := range own {
			dst[p.reach.order[i]] = s
		}
		return
	}
	x = p.spread(x, p.background[few])
	for l := few + 1; l <= layers; l++ {
		sums(p.k, p.sum, p.edges, x, p.weight[l-1])
		for _, m := range from {
			start(p.sum, int(m.entity), p.query, m.degree, p.row)
		}
		p.n.entity[l-1].apply(p.k, x, x, p.sum, p.scratch)
	}
	p.n.score(p.k, dst, x, p.base, p.scratch)
}

// near applies layer l to the rows that are reached after it. p.x has the rows that were reached before, and receives
// the result.
func (p *pass) near(l int, x table, from []member) table {
	r, before := p.reach, p.background[l-1]
	reached, around := r.bound[l], r.bound[l+1]
	if before.rows == 1 {
		around = min(around, reached+1) // all rows that are not reached share this row
	}
	wide := p.y.sized(around)
	for i := range x.rows {
		wide.copyRow(i, x, i)
	}
	for i := x.rows; i < around; i++ {
		wide.copyRow(i, before.table, before.row(r.order[i]))
	}
	local := &p.local
	local.start, local.source, local.kind = append(local.start[:0], 0), local.source[:0], local.kind[:0]
	for _, e := range r.order[:reached] {
		first, end := p.edges.start[e], p.edges.start[e+1]
		for _, s := range p.edges.source[first:end] {
			local.source = append(local.source, min(r.place[s], int32(around-1)))
		}
		local.kind = append(local.kind, p.edges.kind[first:end]...)
		local.start = append(local.start, int32(len(local.source)))
	}
	sum, dst := p.sum.sized(reached), p.x.sized(reached)
	sums(p.k, sum, local, wide, p.weight[l-1])
	for i, m := range from {
		start(sum, i, p.query, m.degree, p.row)
	}
	p.n.entity[l-1].apply(p.k, dst, wide, sum, p.scratch)
	return dst
}

// spread returns the rows of all entities: x for those that are reached, the background for the others.
func (p *pass) spread(x table, background level) table {
	all := p.y
	if background.rows == 1 {
		all.fill(background.table, 0)
	} else {
		copy(all.data, background.data)
	}
	for i := range x.rows {
		all.copyRow(int(p.reach.order[i]), x, i)
	}
	return all
}

// resized returns n floats of *x, which grows if necessary.
func resized(x *[]float32, n int) []float32 {
	if cap(*x) < n {
		*x = make([]float32, n)
	}
	return (*x)[:n]
}
