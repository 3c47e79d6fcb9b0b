package present

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
)

// graphAnswerer lets the pages ask graphs of the data folders.
type graphAnswerer struct {
	o Options

	mu     sync.Mutex
	asking map[string]*asking // by graph
}

// asking is one search for the run that answers for a graph. All requests for the graph wait for it.
type asking struct {
	done chan struct{} // closed when run and err are set
	run  string
	err  error
}

// Graphs are the bundled graph and those of the data folders.
func (g *graphAnswerer) Graphs() ([]string, error) {
	names := []string{config.BundledName}
	return names, g.each(func(e dataset.Entry) {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	})
}

// each calls f with the graphs of the data folders.
func (g *graphAnswerer) each(f func(dataset.Entry)) error {
	dirs, err := g.o.DataDirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		entries, err := dataset.Local(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.State() == dataset.Here {
				f(e)
			}
		}
	}
	return nil
}

// folder is the value of the config key data for a graph of Graphs: a folder of this name elsewhere is another graph.
func (g *graphAnswerer) folder(graph string) (data string, err error) {
	if graph == config.BundledName {
		return graph, nil
	}
	err = g.each(func(e dataset.Entry) {
		if data == "" && e.Name == graph {
			data = e.Path
		}
	})
	if err == nil && data == "" {
		err = fmt.Errorf("the graph %s is no longer in the data folders", graph)
	}
	return data, err
}

// Answering waits for the run that answers for a graph. Where ctx ends, others still get what it began.
func (g *graphAnswerer) Answering(ctx context.Context, graph string) (string, error) {
	data, err := g.folder(graph)
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	one := g.asking[graph]
	if one == nil {
		one = &asking{done: make(chan struct{})}
		g.asking[graph] = one
		go func() {
			one.run, one.err = g.o.AnswerGraph(data)
			g.mu.Lock()
			delete(g.asking, graph)
			g.mu.Unlock()
			close(one.done)
		}()
	}
	g.mu.Unlock()
	select {
	case <-one.done:
		return one.run, one.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
