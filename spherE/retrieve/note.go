package retrieve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Note returns a sentence for people if training never has q's own entity in its place. It adds whether training has
// the entity in the other place, so that the reversed question may be meant. Note returns "" if training has the entity
// in its place.
func (r *Retriever) Note(q kg.Query) string {
	asked := r.splits[kg.Train]
	if len(asked.Answers(q)) > 0 {
		return ""
	}
	place, elsewhere := "head", "tail"
	turned := kg.Query{Side: kg.HeadSide, Known: q.Known, Relation: q.Relation}
	if q.Side == kg.HeadSide {
		place, elsewhere, turned.Side = elsewhere, place, kg.TailSide
	}
	name, relation := r.graph.Label(q.Known), r.graph.RelationLabel(q.Relation)
	text := fmt.Sprintf("%s is never %s of %s in training (0 of %s)", name, place, relation, quantity.Commas(r.sizes[q.Relation]))
	if n := len(asked.Answers(turned)); n > 0 {
		ask := Unknown + " " + relation + " " + name
		if q.Side == kg.HeadSide {
			ask = name + " " + relation + " " + Unknown
		}
		text += fmt.Sprintf(", and %s of it %s: %s is the reversed question", elsewhere, times(n), ask)
	}
	return text + r.kindNote(kg.HeadSide+kg.TailSide-q.Side, q)
}

// kindNote says what the entities in a place of the relation are, and what q's own entity is, if it is of another type.
func (r *Retriever) kindNote(place kg.Side, q kg.Query) string {
	typing := r.graph.Typing()
	if typing == nil || len(typing.Of[q.Known]) == 0 {
		return ""
	}
	var own []string
	for _, kind := range typing.Of[q.Known] {
		own = append(own, typing.Names[kind])
	}
	classes := r.graph.Classes(place, q.Relation)
	if len(classes) == 0 || slices.Contains(own, classes[0].Type) {
		return ""
	}
	return fmt.Sprintf("; its %ss are %s, and this is %s", place, classes[0], strings.Join(own, ", "))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return quantity.Commas(n) + " times"
}
