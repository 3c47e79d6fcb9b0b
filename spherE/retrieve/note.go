package retrieve

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Note says that training never has q's own entity in its place, and whether it has it in the other one, where the
// question would be the other way round; "" where training has it.
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
	text := fmt.Sprintf("%s is never %s of %s in training (0 of %s)", name, place, relation, thousands(r.sizes[q.Relation]))
	if n := len(asked.Answers(turned)); n > 0 {
		ask := Unknown + " " + relation + " " + name
		if q.Side == kg.HeadSide {
			ask = name + " " + relation + " " + Unknown
		}
		text += fmt.Sprintf(", and %s of it %s: %s asks the other way round", elsewhere, times(n), ask)
	}
	return text
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return thousands(n) + " times"
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	var b strings.Builder
	for i, c := range text {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
