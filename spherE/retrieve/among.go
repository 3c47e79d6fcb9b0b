package retrieve

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Among is which entities may be new answers to a query.
type Among string

// The entities that may be new answers. By default all may.
const (
	AmongAll  Among = ""
	AmongSeen Among = "seen"  // those that training has on the asked side of the relation
	AmongType Among = "types" // those that share a type with one of AmongSeen
)

// Of returns Options.Among for a graph; nil for AmongAll.
func (a Among) Of(g *kg.Graph) (func(q kg.Query) []bool, error) {
	var mark func(seen []int32) []bool
	switch a {
	case AmongAll:
		return nil, nil
	case AmongSeen:
		mark = func(seen []int32) []bool {
			may := make([]bool, g.Entities.Len())
			for _, e := range seen {
				may[e] = true
			}
			return may
		}
	case AmongType:
		typing := g.Typing()
		if typing == nil {
			return nil, fmt.Errorf("the entities of graph %s have no types; a file types.tsv next to the graph, with lines of "+
				"entity and type, or facts of rdf:type give them", g.Name)
		}
		mark = func(seen []int32) []bool {
			there, may := make([]bool, len(typing.Names)), make([]bool, g.Entities.Len())
			for _, e := range seen {
				for _, kind := range typing.Of[e] {
					there[kind] = true
				}
			}
			for e, of := range typing.Of {
				may[e] = slices.ContainsFunc(of, func(kind int32) bool { return there[kind] })
			}
			return may
		}
	default:
		return nil, fmt.Errorf("answers among %q are unknown; use %q or %q", a, AmongSeen, AmongType)
	}
	index := g.Index(kg.Train)
	var lists sync.Map // by kg.Query without Known
	return func(q kg.Query) []bool {
		q.Known = 0
		list, ok := lists.Load(q)
		if !ok {
			list, _ = lists.LoadOrStore(q, mark(index.On(q.Side, q.Relation)))
		}
		return list.([]bool)
	}, nil
}

// without returns the entity that DropItself keeps out of q's set, -1 for none, and which entities Options.Among allows,
// nil for all. Until restore is called the values of the others, except those of known answers, are NaN, so that nothing
// depends on them.
func (r *Retriever) without(w *row, q kg.Query) (entity int32, among []bool, restore func()) {
	entity = -1
	if r.options.DropItself && !r.loops[q.Relation] {
		entity = q.Known
	}
	if r.options.Among != nil {
		among = r.options.Among(q)
	}
	if among != nil {
		w.saved = append(w.saved[:0], w.values...)
		for e, may := range among {
			if !may {
				w.values[e] = float32(math.NaN())
			}
		}
		for _, e := range r.facts(q) {
			if r.Mark(q.Triple(e)) == Known {
				w.values[e] = w.saved[e]
			}
		}
		if entity >= 0 {
			w.values[entity] = float32(math.NaN())
		}
		return entity, among, func() { copy(w.values, w.saved) }
	}
	if entity < 0 {
		return -1, nil, func() {}
	}
	value := w.values[entity]
	w.values[entity] = float32(math.NaN())
	return entity, nil, func() { w.values[entity] = value }
}

// bars reports whether an entity is outside the set whatever its value.
func (b border) bars(entity int32) bool {
	return entity == b.without || b.among != nil && !b.among[entity]
}
