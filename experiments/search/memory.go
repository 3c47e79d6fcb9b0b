package search

import (
	"context"
	"sync"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// searchMemory is what a program has read of a search and drawn for it, so that a worker does not read every trial
// again at each look. What is in it never changes: a trial that was trained so far has one score there, and the same
// scores give the same draws.
type searchMemory struct {
	scores map[scoredConfig]scoredRun
	draws  map[[2]int][]float64 // by the place of the draw and the number of trials seen
	hours  map[string]float64   // of runs, to the first rung
}

// scoredConfig is a config, with its seed, after the given number of epochs.
type scoredConfig struct {
	identity string
	epochs   int
}

type scoredRun struct {
	id    string
	score float64 // NaN if the training diverged
}

func newSearchMemory() *searchMemory {
	return &searchMemory{map[scoredConfig]scoredRun{}, map[[2]int][]float64{}, map[string]float64{}}
}

// draw is the point of a place, by a method that has seen these trials.
func (m *searchMemory) draw(method drawer, place int, seen []seenPoint) []float64 {
	key := [2]int{place, len(seen)}
	u, known := m.draws[key]
	if !known {
		u = method.Draw(place, seen)
		m.draws[key] = u
	}
	return u
}

// Memories are those of the searches that a worker has looked at, by the keys of their jobs with
// the digests of their graphs.
type Memories struct {
	mu  sync.Mutex
	all map[string]*searchMemory
}

// take hands out the memory of a search; give takes it back. A second look at the same time, by a worker whose lease
// ran out, gets an empty one.
func (m *Memories) take(key string) *searchMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.all[key]
	delete(m.all, key)
	if found == nil {
		found = newSearchMemory()
	}
	return found
}

func (m *Memories) give(key string, memory *searchMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[string]*searchMemory{}
	}
	m.all[key] = memory
}

// Advance enqueues what a search of a queue needs next: the trials of a batch, those that go on to the next rung, or
// the training of the best config. It returns how many of these jobs are new. winner is the run of the best config when
// all is trained.
func (m *Memories) Advance(
	ctx context.Context, r *experiments.Runner, s *Search, g *kg.Graph, job tracker.Job,
) (added int, winner string, err error) {
	key := job.Key + " " + g.Digest() // scores are of this graph; its files may change while the worker lives
	memory := m.take(key)
	added, winner, err = s.advance(ctx, r, job.Sweep, memory)
	if err == nil && winner == "" {
		m.give(key, memory)
	}
	return added, winner, err
}
