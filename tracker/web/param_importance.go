package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// Numbers with more values than maxLevels are divided into numberRanges ranges with about as many runs each. Fewer runs
// than leastStudied allow no conclusion.
const (
	leastStudied = 3
	maxLevels    = 6
	numberRanges = 4
)

// importance is how much of a metric a param explains alone, among the runs that have it.
type importance struct {
	Keys        []string // several if params always change together
	Share       float64  // of the variance of ranks, 0 to 1: eta squared, adjusted, and 0 if chance explains as much
	Correlation float64  // Spearman's, for numbers; otherwise NaN
	Of          int      // runs that have the param
	Best        string   // the value or range of values with the best mean rank
	Median      float64  // median of the metric there
	Runs        int      // number of runs with it
}

// importances returns the importance of each param in which runs differ, the greatest first. Every run must have the
// metric as a finite number. They are computed from ranks: a run that diverged is the worst, however far it is from the
// others.
func importances(runs []tracker.RunInfo, metric string, lowest bool) []importance {
	var list []importance
	at := map[string]int{} // by how the runs are divided
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params }) {
		timed := strings.HasPrefix(metric, "system/")
		if isIdentity(key) || key == "threads" && !timed { // threads change no result
			continue
		}
		var y []float64 // of the runs that have the param
		whole := make([]string, len(runs))
		var having []tracker.RunInfo
		for i, run := range runs {
			if _, has := run.Params[key]; has {
				having, y = append(having, run), append(y, run.Metrics[metric])
				whole[i] = "+"
			}
		}
		level, names, numbers := levels(having, key)
		// The only run of a level says nothing about the level.
		if len(having) < leastStudied || len(names) < 2 || len(names) > len(having)/2 {
			continue
		}
		division := fmt.Sprint(whole, level)
		if i, known := at[division]; known {
			list[i].Keys = append(list[i].Keys, key)
			continue
		}
		at[division] = len(list)
		order := ranks(y)
		one := importance{Keys: []string{key}, Share: etaSquared(level, len(names), order), Correlation: math.NaN(),
			Of: len(having)}
		if numbers != nil {
			one.Correlation = correlation(ranks(numbers), order)
		}
		means, counts := levelMeans(level, len(names), order)
		best := 0
		for k := range names {
			if means[k] > means[best] && !lowest || means[k] < means[best] && lowest {
				best = k
			}
		}
		one.Best, one.Runs, one.Median = names[best], counts[best], levelMedian(level, best, y)
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b importance) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// levels divides runs by a param that all of them have. It returns the level of each run, in order of appearance, the
// names of levels, and the numbers if every run has one.
func levels(runs []tracker.RunInfo, key string) (level []int, names []string, numbers []float64) {
	texts := make([]string, len(runs))
	for i, run := range runs {
		texts[i] = run.Params[key]
		if x, err := strconv.ParseFloat(texts[i], 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			numbers = append(numbers, x)
		}
	}
	if len(numbers) < len(runs) {
		numbers = nil
	} else if distinct := slices.Compact(slices.Sorted(slices.Values(numbers))); len(distinct) > maxLevels {
		texts = ranges(numbers)
	}
	known := map[string]int{}
	for _, text := range texts {
		at, found := known[text]
		if !found {
			at = len(names)
			known[text], names = at, append(names, text)
		}
		level = append(level, at)
	}
	return level, names, numbers
}

// ranges returns the names of the ranges that numbers are in. Equal numbers are in the same range.
func ranges(numbers []float64) []string {
	sorted := slices.Sorted(slices.Values(numbers))
	of := func(x float64) int {
		first, _ := slices.BinarySearch(sorted, x)
		return first * numberRanges / len(sorted)
	}
	low, high := map[int]float64{}, map[int]float64{}
	for _, x := range slices.Backward(sorted) {
		low[of(x)] = x
	}
	for _, x := range sorted {
		high[of(x)] = x
	}
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = number(low[of(x)])
		if low[of(x)] < high[of(x)] {
			texts[i] += " to " + number(high[of(x)])
		}
	}
	return texts
}

// etaSquared returns eta squared of levels, adjusted for their number as R squared is. It returns 0 if that is negative
// or if all ranks are equal.
func etaSquared(level []int, levels int, ranks []float64) float64 {
	n := float64(len(ranks))
	mean := (n + 1) / 2 // exact: rounded sums would make equal ranks vary
	own, _ := levelMeans(level, levels, ranks)
	within, total := 0.0, 0.0
	for i, v := range ranks {
		within += (v - own[level[i]]) * (v - own[level[i]])
		total += (v - mean) * (v - mean)
	}
	if total == 0 || len(ranks) <= levels {
		return 0
	}
	return max(0, 1-within/total*(n-1)/(n-float64(levels)))
}

// levelMeans returns the means of levels, each of which has a run, and their numbers of runs.
func levelMeans(level []int, levels int, y []float64) (means []float64, counts []int) {
	means, counts = make([]float64, levels), make([]int, levels)
	for i, v := range y {
		means[level[i]] += v
		counts[level[i]]++
	}
	for k := range means {
		means[k] /= float64(counts[k])
	}
	return means, counts
}

// levelMedian returns the median of a level.
func levelMedian(level []int, of int, y []float64) float64 {
	var list []float64
	for i, v := range y {
		if level[i] == of {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]/2 + list[len(list)/2]/2
}

// correlation returns the correlation of two lists of ranks, NaN if one is constant.
func correlation(a, b []float64) float64 {
	mean := float64(len(a)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns the ranks from 1. Equal values have the mean of their ranks.
func ranks(x []float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	list := make([]float64, len(x))
	for i, v := range x {
		first, _ := slices.BinarySearch(sorted, v)
		last, _ := slices.BinarySearchFunc(sorted, v, func(a, b float64) int { // the first that is greater
			if a <= b {
				return -1
			}
			return 1
		})
		list[i] = float64(first+last+1) / 2
	}
	return list
}

// maxNamed is the max number of params that change together whose names are in a row.
const maxNamed = 3

// Name returns the names of the params of a row, or the first ones of many.
func (i importance) Name() string {
	if n := len(i.Keys); n > maxNamed {
		return strings.Join(i.Keys[:maxNamed], ", ") + fmt.Sprintf(" and %d more", n-maxNamed)
	}
	return i.all()
}

func (i importance) all() string { return strings.Join(i.Keys, ", ") }
