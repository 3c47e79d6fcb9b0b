package inductive

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// beam searches the paths of a query from the known entity to the answer. At every entity it keeps the best paths of
// each length, of as many edges as its width.
type beam struct {
	*passing
	width, longest int
	left           []int32 // by entity the edges to the answer, above longest where no path passes
	local          []int32 // by entity its place among those that paths pass
	steps          []pathStep
	kept           [][][]partial // by length and place of the entity, the greatest product first
}

// pathStep is the last edge of a path.
type pathStep struct {
	before   int32 // the path without the edge, -1: none
	edge, to int32
}

// partial is a path from the known entity.
type partial struct {
	step    int32
	product float64 // of the importance of its edges
}

func newBeam(p *passing, width int) *beam {
	b := &beam{passing: p, width: width, longest: min(pathEdges, len(p.importance)), left: p.edges.depths(p.answer),
		steps: []pathStep{{before: -1, edge: -1, to: p.known}}}
	done := p.edges.depths(p.known)
	b.local = make([]int32, len(done))
	count := int32(0)
	for e := range done {
		if done[e] < 0 || b.left[e] < 0 || int(done[e]+b.left[e]) > b.longest {
			b.left[e] = int32(b.longest) + 1
			continue
		}
		b.local[e] = count
		count++
	}
	for range b.longest + 1 {
		b.kept = append(b.kept, make([][]partial, count))
	}
	return b
}

// depths returns by entity the number of edges to it from another, -1 where none lead.
func (a *adjacency) depths(from int32) []int32 {
	depth := slices.Repeat([]int32{-1}, a.nodes())
	depth[from] = 0
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		e := queue[0]
		for _, s := range a.source[a.start[e]:a.start[e+1]] { // every edge has one that leads back
			if depth[s] < 0 {
				depth[s] = depth[e] + 1
				queue = append(queue, s)
			}
		}
	}
	return depth
}

// search returns the facts of the paths that are kept at the answer after the last layer, from the known entity on. The
// error is that of ctx.
func (b *beam) search(ctx context.Context) (paths [][]kg.Triple, err error) {
	if int(b.left[b.known]) > b.longest {
		return nil, ctx.Err()
	}
	b.kept[0][b.local[b.known]] = []partial{{product: 1}}
	for l, importance := range b.importance {
		for length := min(l+1, b.longest); length > 0; length-- { // the longest first: one edge in a layer
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for d := range int32(len(b.left)) {
				if d != b.known && length+int(b.left[d]) <= b.longest {
					b.extend(length, d, importance)
				}
			}
		}
	}
	for _, kept := range b.kept {
		for _, p := range kept[b.local[b.answer]] {
			paths = append(paths, b.facts(p))
		}
	}
	return paths, nil
}

// facts returns the facts of a path, from the known entity on.
func (b *beam) facts(p partial) (facts []kg.Triple) {
	for s := b.steps[p.step]; s.before >= 0; s = b.steps[s.before] {
		facts = append(facts, b.fact(s.edge, s.to))
	}
	slices.Reverse(facts)
	return facts
}

// extend leads paths along the edges to entity d.
func (b *beam) extend(length int, d int32, importance []float32) {
	kept := b.kept[length][b.local[d]]
	for i := b.edges.start[d]; i < b.edges.start[d+1]; i++ {
		s := b.edges.source[i]
		if importance[i] <= 0 || s == b.answer || int(b.left[s]) > b.longest {
			continue
		}
		for _, p := range b.kept[length-1][b.local[s]] {
			product := p.product * float64(importance[i])
			if len(kept) == b.width && product <= kept[len(kept)-1].product {
				break
			}
			if !b.passes(p.step, d) {
				kept = b.keep(kept, p.step, i, d, product)
			}
		}
	}
	b.kept[length][b.local[d]] = kept
}

// passes reports whether a path passes an entity.
func (b *beam) passes(step, entity int32) bool {
	for ; step >= 0; step = b.steps[step].before {
		if b.steps[step].to == entity {
			return true
		}
	}
	return false
}

// keep adds a path, once, to those at an entity.
func (b *beam) keep(kept []partial, before, edge, to int32, product float64) []partial {
	own := slices.IndexFunc(kept, func(p partial) bool {
		return b.steps[p.step].edge == edge && b.steps[p.step].before == before
	})
	fresh := partial{product: product}
	switch {
	case own >= 0: // in other layers
		if kept[own].product >= product {
			return kept
		}
		fresh.step = kept[own].step
		kept = slices.Delete(kept, own, own+1)
	default:
		fresh.step = int32(len(b.steps))
		b.steps = append(b.steps, pathStep{before, edge, to})
		if len(kept) == b.width {
			kept = kept[:b.width-1]
		}
	}
	at := len(kept)
	for at > 0 && kept[at-1].product < product {
		at--
	}
	return slices.Insert(kept, at, fresh)
}
