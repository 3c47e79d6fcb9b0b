package rule

import (
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

const (
	// Work estimates all by so many mining steps, or by fewer that found so many paths, and by so many rules.
	workSteps, workPaths, workRules = 20000, 200000, 60
	// Nanoseconds of one core, measured on the six graphs below.
	perStep, perPath, perRule, perScan, perWalk = 300, 500, 5000, 60, 8
	// growth lowers the exponent by which the number of rules grows with the steps, since later ones are rarer.
	growth = .85
)

// Work is about how many seconds of one core a number of mining steps takes. It mines some steps, counts some of the
// rules that these found twice, and extrapolates. The result is a function of the graph and the number.
//
// With the million steps of the config, one core of an AMD EPYC (Zen 3) took, and the estimate is: UMLS 19 to 22 s and
// 47 s; Kinships 42 to 48 s and 21 s; Nations 117 to 123 s and 109 s; hpo 2 s and 1 s; WN18RR 7 s and 3 s; FB15k-237
// 86 s and 109 s. The numbers of facts and entities do not say it: FB15k-237 takes less than Nations.
func Work(g *kg.Graph, steps int) float64 {
	byRelation := factsByRelation(g)
	if len(byRelation) == 0 {
		return 0
	}
	n := newNet(g)
	found, paths, sample := map[path]int{}, 0, 0
	var twice, seen []path
	var before []int // by step: rules that were found twice
	for ; sample < min(steps, workSteps) && paths < workPaths; sample++ {
		before = append(before, len(twice))
		seen = n.draw(g.Train, byRelation, 0, sample, seen[:0])
		paths += len(seen)
		for _, p := range seen {
			if found[p]++; found[p] == leastSupport {
				twice = append(twice, p)
			}
		}
	}
	w, counted := newWalker(n), min(len(twice), workRules)
	for i := range counted {
		w.count(twice[i*len(twice)/counted], 0)
	}
	times := float64(steps) / float64(max(1, sample))
	work := float64(times * (float64(perStep*float64(sample)) + float64(perPath*float64(paths))))
	if counted > 0 {
		one := perRule + (float64(perScan*float64(w.scanned))+float64(perWalk*float64(w.taken)))/float64(counted)
		work += float64(float64(len(twice)) * grown(times, before[sample/2], len(twice)) * one)
	}
	return work / 1e9
}

// grown returns by what factor a number of rules grows with times the steps, if it grew from half to all as the steps
// doubled.
func grown(times float64, half, all int) float64 {
	if half == 0 || times <= 1 {
		return 1
	}
	return exact.Exp(growth * exact.Log(float64(all)/float64(half)) / exact.Log(2) * exact.Log(times))
}
