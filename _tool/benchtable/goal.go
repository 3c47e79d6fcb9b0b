package main

import (
	"fmt"
	"strings"
)

// goal is a number that the project wants to reach.
type goal struct {
	what  string // a sentence up to the number
	limit float64
	most  bool // the limit is the greatest number; else the least
	unit  string
	of    func(r *run) (x float64, ok bool)
}

// goals are what the benchmarks are to show.
func goals() []goal {
	const small, large = "fb15k-237-D200/sphere-2d", "wn18rr-D1024/sphere-2d"
	return []goal{
		{small + ": a step on 2 threads is faster than plain C by the factor", 2, false, "", againstC(small)},
		{large + ": a step on 2 threads is faster than plain C by the factor", 1.6, false, "", againstC(large)},
		{small + ": a step on 2 threads takes", 10, true, " ms", milliseconds("Beside/" + small + "/plain-C")},
		{small + ": 2 threads are faster than 1 by the factor", 1.8, false, "", twoThreads(small)},
		{large + ": 2 threads are faster than 1 by the factor", 1.8, false, "", twoThreads(large)},
		{"of the square roots that one core can do, rows against queries (D=200) reach", 75, false, " %",
			func(r *run) (float64, bool) {
				most, ok := r.median("Ceiling/sqrt/threads=1", "elements/s")
				best := 0.0
				for _, path := range paths {
					if x, measured := r.median("Kernel/rows-2D/D=200/"+path, "roots/s"); measured {
						best = max(best, x)
					}
				}
				return 100 * best / most, ok && best > 0
			}},
		{small + ": memory in training, as a multiple of parameters, optimiser state and graph with index", 1.3, true,
			"", memory(small)},
		{large + ": memory in training, as a multiple of parameters, optimiser state and graph with index", 1.3, true,
			"", memory(large)},
		{"allocations in a step, the most of all models and paths", 0, true, "", func(r *run) (most float64, ok bool) {
			for _, name := range r.under("Step/") {
				if x, measured := r.median("Step/"+name, "allocs/op"); measured {
					most, ok = max(most, x), true
				}
			}
			return most, ok
		}},
		{"first byte of the table of 10,000 runs", 150, true, " ms", milliseconds("Page/runs=10000")},
		{"first byte of the page of a run with 1,000,000 points", 300, true, " ms",
			milliseconds("Page/run/points=1000000")},
		{"durable points/s, as a multiple of MLflow's log_batch through its server", 10, false, "",
			measured("BesideMLflow/points/server", "x-mlflow")},
		{"durable points/s, as a multiple of MLflow's log_batch into the database", 10, false, "",
			measured("BesideMLflow/points/database", "x-mlflow")},
		{"durable points/s", 80_000, false, "", measured("BesideMLflow/points/server", "points/s")},
		{"99th percentile of a log call after each small step of a training", 50, true, " us",
			measured("LogWhileTraining/small-step/every=1", "log-p99-us")},
		{"99th percentile of a log call after each large step", 50, true, " us",
			measured("LogWhileTraining/large-step/every=1", "log-p99-us")},
		{"a training that logs after each large step takes longer by", 1, true, " %",
			measured("LogWhileTraining/large-step/every=1", "slower-%")},
		{"a training that logs after each tenth small step takes longer by", 1, true, " %",
			measured("LogWhileTraining/small-step/every=10", "slower-%")},
		{"99th percentile between frames while the table of 10,000 rows is scrolled", 50, true, " ms",
			measured("Scroll", "p99-ms")},
		{"first byte of the comparison of 20 runs", 300, true, " ms", milliseconds("Page/compare/runs=20")},
	}
}

// measured is the median of a benchmark's own unit.
func measured(name, unit string) func(r *run) (float64, bool) {
	return func(r *run) (float64, bool) { return r.median(name, unit) }
}

// milliseconds is the median time of a benchmark.
func milliseconds(name string) func(r *run) (float64, bool) {
	return func(r *run) (float64, bool) {
		x, ok := r.median(name, "ns/op")
		return x / 1e6, ok
	}
}

// againstC and twoThreads are ratios of bursts in turn: what was measured minutes apart on a machine with other users
// would be compared with its noise.
func againstC(shape string) func(r *run) (float64, bool) {
	return func(r *run) (float64, bool) { return r.median("Beside/"+shape+"/plain-C", "x-base") }
}

func twoThreads(shape string) func(r *run) (float64, bool) {
	return func(r *run) (float64, bool) { return r.median("Beside/"+shape+"/one-thread", "x-base") }
}

func memory(shape string) func(r *run) (float64, bool) {
	return func(r *run) (float64, bool) { return r.median("Memory/"+shape, "x-least") }
}

// goals says for each goal what was measured, and whether it is reached.
func (r *run) goals(b *strings.Builder) {
	fmt.Fprint(b, "\n### Goals, by the medians above\n\n")
	for _, g := range goals() {
		x, ok := g.of(r)
		if !ok {
			fmt.Fprintf(b, "- %s: not measured.\n", g.what)
			continue
		}
		wanted, reached := "at least", x >= g.limit
		if g.most {
			wanted, reached = "at most", x <= g.limit
		}
		outcome := "missed"
		if reached {
			outcome = "reached"
		}
		fmt.Fprintf(b, "- %s %.4g%s; the goal is %s %g%s: %s.\n", g.what, x, g.unit, wanted, g.limit, g.unit, outcome)
	}
}
