package worker

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Machine is what a worker may use.
type Machine struct {
	Cores  int   // that Go's runtime uses: GOMAXPROCS, else the processors and the quota of the container
	Memory int64 // bytes that runs may hold, 0 if unknown
}

// ThisMachine is the machine of this process.
func ThisMachine() Machine {
	free, known := freeMemory(os.ReadFile)
	return Machine{Cores: runtime.GOMAXPROCS(0), Memory: holdable(free, known, debug.SetMemoryLimit(-1))}
}

// holdable returns how many of the free bytes runs may hold, 0 if unknown. Garbage may take as much memory as what runs
// hold, unless limit (GOMEMLIMIT) bounds both, so runs may hold half of what is free. If nothing is free it returns 1,
// which means one run at a time.
func holdable(free int64, known bool, limit int64) int64 {
	switch {
	case limit != math.MaxInt64 && (!known || limit < free):
		return max(1, limit)
	case known:
		return max(1, free/2)
	}
	return 0
}

// Division is how a worker divides its machine: the number of runs at once, and the threads of each.
type Division struct{ Runs, Threads int }

// Check refuses numbers of runs and threads that contradict each other or this machine; 0 leaves a number to Divide.
func (m Machine) Check(runs, threads int) error {
	switch {
	case runs < 0:
		return fmt.Errorf("%d runs at once are too few: 1 or more, or 0 to choose them from the machine", runs)
	case threads < 0:
		return fmt.Errorf("%d threads are too few: 1 or more, or 0 to choose them from the machine", threads)
	case runs > 0 && threads > 0 && runs > m.Cores/threads && runs > 1:
		return fmt.Errorf("%d runs at once with %s each contradict this machine, which has %s for them; name one of the two",
			runs, quantity.Count(threads, "thread"), quantity.Count(m.Cores, "core"))
	}
	return nil
}

// Divide chooses those of runs and threads that are 0. It prefers many runs with one thread each, since a training does
// not take half the time with two threads. There are at most open runs, and at most as many as fit into the memory, of
// which each needs need bytes (0: unknown). Cores that are left become threads.
func (m Machine) Divide(runs, threads, open int, need int64) Division {
	if runs == 0 {
		runs = min(max(1, m.Cores/max(1, threads)), max(1, open))
		if need > 0 && m.Memory > 0 {
			runs = int(min(int64(runs), max(1, m.Memory/need)))
		}
	}
	if threads == 0 {
		threads = max(1, m.Cores/runs)
	}
	return Division{runs, threads}
}

// need returns how many bytes a training holds: the parameters with two moments each, the graph with its index, and a
// seventh of both for evaluations (docs/scale.md). The config must be settled.
func need(c *config.Config, g *kg.Graph) int64 {
	const lanes = 16 // rows are padded to a multiple
	s := c.Settings()
	s.Dimension = (s.Dimension + lanes - 1) / lanes * lanes
	return (12*int64(s.Parameters(g.Entities.Len(), g.Relations.Len())) + 39*int64(len(g.Train))) / 7 * 8
}
