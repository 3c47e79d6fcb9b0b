package eval

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// lookup is the cut that needs no model: it returns answers that the graph holds.
type lookup string

const (
	lookupKnown lookup = "lookup"       // the known answers
	lookupTrain lookup = "lookup-train" // the answers in the training triples
)

// The names of the lookup cuts. LookupTrain returns the answers in training alone and is measured on test triples only.
const (
	LookupName      = string(lookupKnown)
	LookupTrainName = string(lookupTrain)
)

var lookups = []lookup{lookupKnown, lookupTrain}

func parseLookup(name string) (Cut, bool) {
	return lookup(name), slices.Contains(lookups, lookup(name))
}

func (c lookup) Name() string { return string(c) }
func (c lookup) Kind() Kind   { return KindLookup }
func (c lookup) Rank() int    { return slices.Index(lookups, c) }

func (c lookup) prepare(p *plan) (prepared, error) {
	index := p.graph.Index(p.known...)
	if c == lookupTrain {
		index = p.graph.Index(kg.Train)
	}
	return prepared{name: c.Name(), criterion: noValues, count: func(r *row) count {
		answers := index.Answers(r.Query)
		return r.countSet(len(answers), func(a int32) bool { return kg.Contains(answers, a) })
	}}, nil
}
