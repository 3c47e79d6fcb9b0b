package experiments

import (
	"sync"

	"github.com/spherelab/spherelab/experiments/search"
)

// searchMemory is what a program has read of a search and drawn for it, so that a worker does not read every trial
// again at each look. What is in it never changes: a trial that was trained so far has one score there, and the same
// scores give the same draws.
type searchMemory struct {
	scores map[scoredConfig]scoredRun
	draws  map[[2]int][]float64 // by the place of the draw and the number of trials seen
	hours  map[string]float64   // of runs, to the first rung
}

// scoredConfig is a config, with its seed, after so many epochs.
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
func (m *searchMemory) draw(method search.Method, place int, seen []search.Trial) []float64 {
	key := [2]int{place, len(seen)}
	u, known := m.draws[key]
	if !known {
		u = method.Draw(place, seen)
		m.draws[key] = u
	}
	return u
}

// searchMemories are those of the searches that a worker has looked at, by the keys of their jobs with
// the digests of their graphs.
type searchMemories struct {
	mu  sync.Mutex
	all map[string]*searchMemory
}

// take hands out the memory of a search; give takes it back. A second look at the same time, by a worker whose lease
// ran out, gets an empty one.
func (m *searchMemories) take(key string) *searchMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.all[key]
	delete(m.all, key)
	if found == nil {
		found = newSearchMemory()
	}
	return found
}

func (m *searchMemories) give(key string, memory *searchMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[string]*searchMemory{}
	}
	m.all[key] = memory
}
