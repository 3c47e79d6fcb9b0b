package chart

import (
	"fmt"
	"sort"
)

// Series is a named list of points.
type Series struct {
	Name string
	X    []float64 // nil is 1, 2, 3, ...: epochs
	Y    []float64 // NaN is a gap, and so are infinite values; their number is said below the chart

	// Names are names of the points, for example of entities: viewers show them as titles (of up to 2,000 points of a scatter). Nil is none.
	Names []string
	// Marked are the indices of points to mark with a ring and their name or value, for example the best epoch.
	Marked []int
}

// Line draws series as lines over X, for example the loss over the epochs. Points are taken in the order of X. Of a line of more than 2,000 points each px
// column keeps its first, lowest, highest and last, so that no peak is lost.
func Line(o Options, series ...Series) Chart { return Chart{o, lines(series)} }

// Scatter draws series as dots, for example the radius of entities against their number of triples. Of more than 2,000 dots those that share a px are drawn
// once, which is said below the chart.
func Scatter(o Options, series ...Series) Chart { return Chart{o, scatter(series)} }

type lines []Series
type scatter []Series

func (lines) size(Options) (w, h int)   { return 640, 380 }
func (scatter) size(Options) (w, h int) { return 640, 380 }

func (l lines) prepare(o Options) (panel, error) {
	return planeOf(o, "line chart", l, false)
}

func (s scatter) prepare(o Options) (panel, error) {
	return planeOf(o, "scatter chart", s, true)
}

func (s Series) check(i int) error {
	who := named(s.Name, "series", i)
	switch {
	case s.X != nil && len(s.X) != len(s.Y):
		return fmt.Errorf("chart: %s has %s but %s: they must be as many", who, plural(len(s.X), "X value"), plural(len(s.Y), "Y value"))
	case s.Names != nil && len(s.Names) != len(s.Y):
		return fmt.Errorf("chart: %s has %s but %s: they must be as many, or Names nil", who, plural(len(s.Names), "name"), plural(len(s.Y), "Y value"))
	}
	for _, m := range s.Marked {
		if m < 0 || m >= len(s.Y) {
			return fmt.Errorf("chart: %s has point %d marked, but its points are 0 to %d", who, m, len(s.Y)-1)
		}
	}
	return nil
}

func (s Series) x(i int) float64 {
	if s.X == nil {
		return float64(i + 1)
	}
	return s.X[i]
}

// say describes a point.
func (s Series) say(o Options, i int) string {
	text := fmt.Sprintf("%s %s, %s %s", or(clean(o.XLabel), "x"), number(s.x(i)), or(clean(o.YLabel), "y"), number(s.Y[i]))
	if s.Names != nil {
		if name := clean(s.Names[i]); name != "" {
			return name + ": " + text
		}
	}
	return text
}

// short names a marked point.
func (s Series) short(i int, several bool) string {
	if s.Names != nil {
		if name := clean(s.Names[i]); name != "" {
			return shortened(name, textSize, 200)
		}
	}
	text := number(s.Y[i]) + " at " + number(s.x(i))
	if several && s.Name != "" {
		return shortened(clean(s.Name), textSize, 160) + " " + text
	}
	return text
}

// mostSeries can be told apart by colours and dashes.
const mostSeries = 28

// planeOf checks series and finds the ranges of the axes.
func planeOf(o Options, kind string, series []Series, dots bool) (*plane, error) {
	if len(series) > mostSeries {
		return nil, fmt.Errorf("chart: %s: more than %d cannot be told apart; draw fewer, or several charts", plural(len(series), "series"), mostSeries)
	}
	p := &plane{o: o, kind: kind, empty: true, tips: 6}
	var xs, ys span
	var lost, low, most, all int
	whole := true
	for i, s := range series {
		if err := s.check(i); err != nil {
			return nil, err
		}
		l := layer{name: clean(s.Name), index: i, dots: dots}
		order := ordered(s, dots)
		shown := func(k int) bool {
			x, y := s.x(k), s.Y[k]
			return finite(x) && finite(y) && (!o.LogX || x > tiny) && (!o.LogY || y > tiny)
		}
		var indices [][]int
		open := false
		n := 0
		for _, k := range order {
			x, y := s.x(k), s.Y[k]
			if !shown(k) {
				if finite(x) && finite(y) {
					low++
				} else {
					lost++
				}
				open = open && dots
				continue
			}
			xs.add(x)
			ys.add(y)
			whole = whole && x == float64(int64(x))
			if !open {
				l.stretches = append(l.stretches, nil)
				indices = append(indices, nil)
				open = true
			}
			last := len(l.stretches) - 1
			l.stretches[last] = append(l.stretches[last], point{x, y})
			indices[last] = append(indices[last], k)
			n++
		}
		l.summary = plural(n, "point")
		if n > 0 && !dots {
			last := l.stretches[len(l.stretches)-1]
			l.summary += ", last " + number(last[len(last)-1].y)
		}
		if s.Names != nil || !dots {
			l.title = func(stretch, k int) string { return s.say(o, indices[stretch][k]) }
		}
		for _, m := range s.Marked {
			if shown(m) {
				l.marks = append(l.marks, marked{point{s.x(m), s.Y[m]}, s.short(m, len(series) > 1), s.say(o, m)})
			}
		}
		most = max(most, n)
		all += n
		p.empty = p.empty && n == 0
		p.layers = append(p.layers, l)
	}
	p.notes = notes(lost, low)
	if most > few && dots {
		p.notes = append(p.notes, count(all)+" points; those that share a px are drawn once")
	} else if most > few {
		p.notes = append(p.notes, "up to "+plural(most, "point")+" in a line: each px column shows its first, lowest, highest and last")
	}
	margin := 0.0
	if dots {
		margin = 0.04
	}
	var err error
	if p.x, err = xs.scale("X", o.LogX, margin); err != nil {
		return nil, err
	}
	if p.y, err = ys.scale("Y", o.LogY, 0.05); err != nil {
		return nil, err
	}
	p.x.whole = whole && !o.LogX && xs.any
	return p, nil
}

// ordered gives the indices of a series in the order in which they are drawn. A line goes from left to right; points without an X come where they stand.
func ordered(s Series, dots bool) []int {
	order := make([]int, len(s.Y))
	for i := range order {
		order[i] = i
	}
	if s.X == nil || dots {
		return order
	}
	sorted := true
	for i := 1; i < len(s.X) && sorted; i++ {
		sorted = !(s.X[i] < s.X[i-1])
	}
	if !sorted {
		sort.SliceStable(order, func(a, b int) bool {
			x, y := s.X[order[a]], s.X[order[b]]
			return x < y || x == x && y != y // NaN last, so that the order is total
		})
	}
	return order
}

// notes says what is not in the picture.
func notes(lost, low int) []string {
	var list []string
	if lost > 0 {
		list = append(list, plural(lost, "point")+" with NaN or infinite values not drawn")
	}
	if low > 0 {
		list = append(list, plural(low, "point")+" not above 0 left out of the logarithmic axis")
	}
	return list
}
