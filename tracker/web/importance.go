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

// Numbers of more values than mostLevels are taken in numberRanges ranges with about as many runs each.
const (
	mostLevels   = 6
	numberRanges = 4
)

// importance is how much of a metric a param explains alone.
type importance struct {
	Keys        []string // several where params always change together
	Share       float64  // of the variance, 0 to 1: eta squared, adjusted, and 0 where chance explains as much
	Correlation float64  // Spearman's, of numbers; else NaN
	Best        string   // the value or range of values with the best mean
	Mean        float64  // of the metric there
	Runs        int      // that have it
}

// importances are those of all params in which runs differ, the greatest first. Every run must have the metric as a
// finite number.
func importances(runs []tracker.RunInfo, metric string, lowest bool) []importance {
	if len(runs) < 3 {
		return nil
	}
	y := make([]float64, len(runs))
	for i, run := range runs {
		y[i] = run.Metrics[metric]
	}
	var list []importance
	at := map[string]int{} // by how the runs are divided
	for _, key := range keysOf(runs, func(r tracker.RunInfo) map[string]string { return r.Params }) {
		timed := strings.HasPrefix(metric, "system/")
		if agree(runs, key) || isIdentity(key) || key == "threads" && !timed { // threads change no result
			continue
		}
		level, names, numbers := levels(runs, key)
		if len(names) < 2 || len(names) > len(runs)/2 { // runs that are alone in their level say nothing about it
			continue
		}
		division := fmt.Sprint(level)
		if i, known := at[division]; known {
			list[i].Keys = append(list[i].Keys, key)
			continue
		}
		at[division] = len(list)
		one := importance{Keys: []string{key}, Share: explained(level, len(names), y), Correlation: math.NaN()}
		if numbers != nil {
			one.Correlation = spearman(numbers, y)
		}
		means, counts := levelMeans(level, len(names), y)
		for k, name := range names {
			mean, n := means[k], counts[k]
			if one.Runs == 0 || mean > one.Mean && !lowest || mean < one.Mean && lowest {
				one.Best, one.Mean, one.Runs = name, mean, n
			}
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b importance) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// levels divides runs by a param: the level of each run in order of appearance, their names, and the numbers where
// every run has one.
func levels(runs []tracker.RunInfo, key string) (level []int, names []string, numbers []float64) {
	texts := make([]string, len(runs))
	for i, run := range runs {
		text, ok := run.Params[key]
		if !ok {
			text = "(none)"
		}
		texts[i] = text
		if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			numbers = append(numbers, x)
		}
	}
	if len(numbers) < len(runs) {
		numbers = nil
	} else if distinct := slices.Compact(slices.Sorted(slices.Values(numbers))); len(distinct) > mostLevels {
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

// ranges are the names of the ranges that numbers are in. Equal numbers are in one range.
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

// explained is eta squared of levels, adjusted for their number as R squared is; 0 where that is below 0.
func explained(level []int, levels int, y []float64) float64 {
	n := float64(len(y))
	mean := 0.0
	for _, v := range y {
		mean += v / n
	}
	own, _ := levelMeans(level, levels, y)
	within, total := 0.0, 0.0
	for i, v := range y {
		within += (v - own[level[i]]) * (v - own[level[i]])
		total += (v - mean) * (v - mean)
	}
	if total == 0 || len(y) <= levels {
		return 0
	}
	return max(0, 1-within/total*(n-1)/(n-float64(levels)))
}

// levelMeans are the means of levels, each of which has a run, and how many runs they have.
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

// spearman is the correlation of ranks; NaN where one side is constant.
func spearman(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	mean := float64(len(x)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks are the ranks from 1, the mean of them where values are equal.
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

// mostNamed is how many of the params that change together a row names.
const mostNamed = 3

// Name is the name of the params of a row, the first ones of many.
func (i importance) Name() string {
	if n := len(i.Keys); n > mostNamed {
		return strings.Join(i.Keys[:mostNamed], ", ") + fmt.Sprintf(" and %d more", n-mostNamed)
	}
	return i.all()
}

func (i importance) all() string { return strings.Join(i.Keys, ", ") }
