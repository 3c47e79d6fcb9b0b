package experiments

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

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

// holdable is how many of the free bytes runs may hold, 0 if unknown. Garbage may take as much memory as what runs
// hold, unless GOMEMLIMIT, the limit, bounds both; so half of what is free can be held. Where nothing is free it is 1
// byte, which means one run at once.
func holdable(free int64, known bool, limit int64) int64 {
	switch {
	case limit != math.MaxInt64 && (!known || limit < free):
		return max(1, limit)
	case known:
		return max(1, free/2)
	}
	return 0
}

// Division is how a worker divides its machine: runs at once, and threads of each.
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
			runs, plural(threads, "thread"), plural(m.Cores, "core"))
	}
	return nil
}

// Divide chooses what is 0 of runs and threads. As many runs as possible have one thread each, since a training does
// not take half the time with two; but not more than are open, and not more than fit into the memory, of which each
// needs so many bytes (0: unknown). Cores that are left make threads.
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

// need is how many bytes a training holds: the parameters with two moments each, the graph with its index, and a
// seventh of both for evaluations (docs/scale.md). The config is settled.
func (c *Config) need(g *kg.Graph) int64 {
	const lanes = 16 // rows are padded to a multiple
	s := c.Settings()
	s.Dimension = (s.Dimension + lanes - 1) / lanes * lanes
	return (12*int64(s.Parameters(g.Entities.Len(), g.Relations.Len())) + 39*int64(len(g.Train))) / 7 * 8
}
