package session

import (
	"context"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
)

// Ask answers a query on the graph at once, without training, by its Answering run.
//
//	lab.Graph("family.csv").Ask("Ann", "mother_of", "?")
func (g *Graph) Ask(head, relation, tail string) *Set { return g.Answering().Ask(head, relation, tail) }

// Answering returns the run that answers questions on the graph: the finished run on it with the best MRR on its
// validation facts, or its model trained again on all facts, if that was done. If there is none, one is made in seconds
// from a model that needs no training: ULTRA if its weights are here (`spherelab data get ultra-50g`), otherwise the
// best of neighbours, rules and inductive. It is logged like any other run.
//
//	run := lab.Graph("family.csv").Answering()
//	run.Predict("mother_of", 20)
func (g *Graph) Answering() *Run {
	graph := g.KG()
	s := g.session
	ctx := s.context()
	r := &experiments.Runner{Tracker: s.tracker(ctx), DataDirs: s.dataDirs()}
	found, err := r.FindAnswerer(ctx, graph)
	check(err)
	if found == nil {
		s.watch(nil, nil, func(ctx context.Context, r *experiments.Runner, _ *live) error {
			found, err = r.MakeAnswerer(ctx, config.Layers{Set: g.readingItems()}, g.data, graph)
			return err
		})
	}
	return s.run(ctx, found.Answers().ID)
}

// readingItems returns the key=value items by which the graph is read and divided.
func (g *Graph) readingItems() []string {
	c := config.Default()
	c.File, c.Split = g.file, g.split
	var items []string
	for key, value := range c.Flatten() {
		if ofGraph(key) && value != "" {
			items = append(items, key+"="+value)
		}
	}
	return items
}
