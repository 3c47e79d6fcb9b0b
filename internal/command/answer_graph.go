package command

import (
	"context"
	"sync"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// graphRuns finds or makes the runs that answer for graphs of the pages, for as long as the server runs.
type graphRuns struct {
	*app
	tracker *tracker.Tracker
	making  chan struct{} // has room for one: a run that is made takes all cores
	open    sync.WaitGroup
}

// answer returns the id of the run that answers for a graph. An interrupt of the server ends it with ctx, and what was
// made of the run is kept.
func (g *graphRuns) answer(ctx context.Context, data string) (runID string, err error) {
	g.open.Add(1)
	defer g.open.Done()
	dirs, err := g.dataDirs()
	if err != nil {
		return "", err
	}
	listener, end := g.progress(false)
	defer end()
	r := &experiments.Runner{Tracker: g.tracker, DataDirs: dirs, Environment: g.environment(ctx),
		Progress: briefly{listener}}
	layers := config.Layers{Env: g.env}
	configs, err := config.LoadForGraph(layers, data, sphere.Neighbours)
	if err != nil {
		return "", err
	}
	graph, err := configs[0].Config().Graph(dirs)
	if err != nil {
		return "", err
	}
	found, err := r.FindAnswerer(ctx, graph)
	if err == nil && found == nil {
		select {
		case g.making <- struct{}{}:
			defer func() { <-g.making }()
		case <-ctx.Done():
			return "", ctx.Err()
		}
		defer g.interrupts.register(r.Abandon)()
		found, err = r.MakeAnswerer(ctx, layers, data, graph)
	}
	if err != nil {
		return "", err
	}
	g.noteAnswerer(found)
	return found.Answers().ID, nil
}
