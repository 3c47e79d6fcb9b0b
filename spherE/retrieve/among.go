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

// hidden are the entities that a query's set cannot have.
type hidden struct {
	itself int32   // that DropItself keeps out, -1: none
	value  float32 // of itself
	among  []bool  // what Options.Among returns; nil: all
}

// hide makes the values of entities that q's set cannot have NaN, so that nothing depends on them. Known answers that
// Options.Among does not allow keep theirs.
func (r *Retriever) hide(w *row, q kg.Query) hidden {
	h := hidden{itself: -1}
	if r.options.Among != nil {
		h.among = r.options.Among(q)
		w.saved = append(w.saved[:0], w.values...)
		for e, may := range h.among {
			if !may {
				w.values[e] = float32(math.NaN())
			}
		}
		for _, e := range r.facts(q) {
			if r.Mark(q.Triple(e)) == Known {
				w.values[e] = w.saved[e]
			}
		}
	}
	if r.options.DropItself && !r.loops[q.Relation] {
		h.itself, h.value = q.Known, w.values[q.Known]
		w.values[q.Known] = float32(math.NaN())
	}
	return h
}

// restore undoes hide.
func (h hidden) restore(w *row) {
	switch {
	case h.among != nil:
		copy(w.values, w.saved)
	case h.itself >= 0:
		w.values[h.itself] = h.value
	}
}

// bars reports whether an entity is outside the set whatever its value.
func (b border) bars(entity int32) bool {
	return entity == b.without || b.among != nil && !b.among[entity]
}
