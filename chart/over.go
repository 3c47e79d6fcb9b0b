package chart

import (
	"math"
	"slices"
)

// Over joins runs of one thing into a series: the mean over the runs at each X, with Low and High one standard
// deviation (of the sample) below and above it. For example the validation curves of several seeds:
//
//	chart.Line(chart.Options{}, chart.Over("SpherE-2D, 3 seeds", a, b, c))
//
// X of the series has every X of the runs once, in ascending order. If only one run has a value, Low and High are NaN.
// Values that are not finite are left out. Names and Marked of the runs are not used.
func Over(name string, runs ...Series) Series {
	values := make(map[float64][]float64)
	for _, run := range runs {
		for i, y := range run.Y {
			if run.X != nil && i >= len(run.X) {
				break
			}
			if x := run.x(i); finite(x) && finite(y) {
				values[x] = append(values[x], y)
			}
		}
	}
	s := Series{Name: name, X: make([]float64, 0, len(values))}
	for x := range values {
		s.X = append(s.X, x)
	}
	slices.Sort(s.X)
	for _, x := range s.X {
		list := values[x]
		sum := 0.0
		for _, y := range list {
			sum += y
		}
		mean := sum / float64(len(list))
		squares := 0.0
		for _, y := range list {
			squares += (y - mean) * (y - mean)
		}
		deviation := math.NaN()
		if len(list) > 1 {
			deviation = math.Sqrt(squares / float64(len(list)-1))
		}
		s.Y, s.Low, s.High = append(s.Y, mean), append(s.Low, mean-deviation), append(s.High, mean+deviation)
	}
	return s
}
