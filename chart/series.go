package chart

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Series is a named list of points.
type Series struct {
	Name string
	X    []float64 // nil is 1, 2, 3, ...: epochs
	Y    []float64 // NaN and infinite values are gaps; a note below the chart counts them

	// XTexts are what X 0, 1, 2, ... mean, for example the values of a setting, 1 to 20. An X may be less than half
	// next to its whole number, so that dots of one text do not hide each other. Nil: X are numbers. The first series
	// that has some decides for all of a chart.
	XTexts []string

	// Low and High bound the values, for example one standard deviation over seeds below and above their mean: a band
	// around a line, error bars at dots and bars. Nil is none, and NaN none at that point. [Over] makes them.
	Low, High []float64
	// Names are names of the points, for example of entities: viewers show them as titles (of up to 2,000 points of a
	// scatter). Nil is none.
	Names []string
	// Marked are the indices of points to mark with a ring and their name or value, for example the best epoch.
	Marked []int

	// Place decides colour and dashes: that of the first series is 1. 0 is the place among the series. With it a run
	// has the same colour in several charts.
	Place int
	// Faint draws a line thin and pale, without points and without a name in the legend: a curve behind its smoothed
	// one.
	Faint bool
}

// Line draws series as lines over X, for example the loss over the epochs. Points are taken in the order of X. If a
// line has more than 2,000 points, each px column keeps the first, lowest, highest and last of its points.
func Line(o Options, series ...Series) Chart { return Chart{o, lines(series)} }

// Scatter draws series as dots, for example the radius of entities against their number of triples. If there are more
// than 2,000 dots, those that share a px are drawn once, and a note below the chart says so.
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
		return fmt.Errorf("chart: %s has %s but %s: their numbers must be equal",
			who, quantity.CommaCount(len(s.X), "X value"), quantity.CommaCount(len(s.Y), "Y value"))
	case (s.Low != nil || s.High != nil) && (len(s.Low) != len(s.Y) || len(s.High) != len(s.Y)):
		return fmt.Errorf("chart: %s has %s, %d of Low and %d of High: their numbers must be equal, or Low and High nil",
			who, quantity.CommaCount(len(s.Y), "Y value"), len(s.Low), len(s.High))
	case s.Place < 0 || s.Place > maxSeries:
		return fmt.Errorf("chart: %s has place %d: places are 1 to %d", who, s.Place, maxSeries)
	case s.XTexts != nil && slices.ContainsFunc(s.X, func(x float64) bool {
		near := math.Round(x)
		return finite(x) && (math.Abs(x-near) == 0.5 || near < 0 || near >= float64(len(s.XTexts)))
	}):
		return fmt.Errorf("chart: %s has an X that is not near 0 to %d, which have texts", who, len(s.XTexts)-1)
	case s.Names != nil && len(s.Names) != len(s.Y):
		return fmt.Errorf("chart: %s has %s but %s: their numbers must be equal, or Names nil",
			who, quantity.CommaCount(len(s.Names), "name"), quantity.CommaCount(len(s.Y), "Y value"))
	}
	return checkMarked(who, s.Marked, len(s.Y))
}

// textsOf returns the texts of the x axis of series, nil for numbers.
func textsOf(o Options, series []Series) ([]string, error) {
	at := slices.IndexFunc(series, func(s Series) bool { return s.XTexts != nil })
	if at < 0 {
		return nil, nil
	}
	texts := series[at].XTexts
	if len(texts) == 0 || len(texts) > maxLabels || o.LogX {
		return nil, limitf("%s on the x axis: 1 to %d fit, on an axis that is not logarithmic",
			quantity.CommaCount(len(texts), "text"), maxLabels)
	}
	for i, s := range series {
		if s.X == nil {
			return nil, fmt.Errorf("chart: %s has no X, but the x axis has texts", named(s.Name, "series", i))
		}
	}
	return texts, nil
}

func cleanAll(texts []string) []string {
	list := slices.Clone(texts)
	for i := range list {
		list[i] = clean(list[i])
	}
	return list
}

// checkMarked refuses marks of points that the n points of a series do not have.
func checkMarked(who string, marked []int, n int) error {
	for _, m := range marked {
		if m < 0 || m >= n {
			return fmt.Errorf("chart: %s has point %d marked, but its points are 0 to %d", who, m, n-1)
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
	x := number(s.x(i))
	if s.XTexts != nil {
		x = clean(s.XTexts[int(math.Round(s.x(i)))])
	}
	text := fmt.Sprintf("%s %s, %s %s", or(clean(o.XLabel), "x"), x, or(clean(o.YLabel), "y"), number(s.Y[i]))
	if low, high, ok := s.bound(i); ok {
		text += fmt.Sprintf(" (%s to %s)", number(low), number(high))
	}
	if s.Names != nil {
		if name := clean(s.Names[i]); name != "" {
			return name + ": " + text
		}
	}
	return text
}

// bound returns Low and High of a point. ok is false if it has none.
func (s Series) bound(i int) (low, high float64, ok bool) {
	if s.Low == nil || s.High == nil || !finite(s.Low[i]) || !finite(s.High[i]) {
		return 0, 0, false
	}
	return min(s.Low[i], s.High[i]), max(s.Low[i], s.High[i]), true
}

// short returns the name of a marked point.
func (s Series) short(i int, several bool) string {
	if s.Names != nil {
		if name := clean(s.Names[i]); name != "" {
			return shortenTo(name, textSize, 200)
		}
	}
	text := number(s.Y[i]) + " at " + number(s.x(i))
	if several && s.Name != "" {
		return shortenTo(clean(s.Name), textSize, 160) + " " + text
	}
	return text
}

// maxSeries is the number of series that colours and dashes can distinguish.
const maxSeries = 28

// planeOf checks series and finds the ranges of the axes.
func planeOf(o Options, kind string, series []Series, hasDots bool) (*plane, error) {
	told := 0 // a faint line belongs to another one, which has the name
	for _, s := range series {
		if hasDots || !s.Faint {
			told++
		}
	}
	if told > maxSeries {
		return nil, limitf("%s: more than %d cannot be distinguished; draw fewer, or several charts",
			quantity.CommaCountOf(told, "series", "series"), maxSeries)
	}
	p := &plane{o: o, kind: kind, isEmpty: true, tips: 6}
	var xs, ys span
	var lost, low, maximum, all int
	texts, err := textsOf(o, series)
	if err != nil {
		return nil, err
	}
	areWhole := true
	for i, s := range series {
		s.XTexts = texts
		if err := s.check(i); err != nil {
			return nil, err
		}
		l := layer{name: clean(s.Name), index: i, hasDots: hasDots, isFaint: s.Faint && !hasDots}
		if s.Place > 0 {
			l.index = s.Place - 1
		}
		if s.Low != nil {
			l.bound = func(k int) (low, high float64, ok bool) {
				low, high, ok = s.bound(k)
				return low, high, ok && (!o.LogY || low > tiny)
			}
		}
		order := drawOrder(s, hasDots)
		shown := func(k int) bool {
			x, y := s.x(k), s.Y[k]
			return finite(x) && finite(y) && (!o.LogX || x > tiny) && (!o.LogY || y > tiny)
		}
		joined := false
		n := 0
		for _, k := range order {
			x, y := s.x(k), s.Y[k]
			if !shown(k) {
				if finite(x) && finite(y) {
					low++
				} else {
					lost++
				}
				joined = joined && hasDots
				continue
			}
			xs.add(x)
			ys.add(y)
			if low, high, ok := l.bounds(k); ok {
				ys.add(low)
				ys.add(high)
			}
			areWhole = areWhole && x == float64(int64(x))
			l.add(point{x, y}, k, joined)
			joined = true
			n++
		}
		l.summary = quantity.CommaCount(n, "point")
		if n > 0 && !hasDots {
			last := l.stretches[len(l.stretches)-1]
			l.summary += ", last " + number(last[len(last)-1].y)
		}
		if s.Names != nil || !hasDots && !s.Faint {
			l.title = func(k int) string { return s.say(o, k) }
		}
		for _, m := range s.Marked {
			if shown(m) {
				l.marks = append(l.marks, marked{point{s.x(m), s.Y[m]}, s.short(m, len(series) > 1), s.say(o, m)})
			}
		}
		maximum = max(maximum, n)
		all += n
		p.isEmpty = p.isEmpty && n == 0
		p.layers = append(p.layers, l)
	}
	p.notes = notes(lost, low)
	if maximum > few && hasDots {
		p.notes = append(p.notes, quantity.Commas(all)+" points; those that share a px are drawn once")
	} else if maximum > few {
		p.notes = append(p.notes, "up to "+quantity.CommaCount(maximum, "point")+
			" in a line: each px column shows its first, lowest, highest and last")
	}
	margin, above := 0.0, 0.05
	if hasDots {
		margin = 0.04
	}
	for _, l := range p.layers {
		if len(l.marks) > 0 { // rings must not lie on numbers of the axes, and labels need room above the line
			margin, above = max(margin, 0.05), 0.1
		}
	}
	if texts != nil {
		xs, margin = span{-0.5, float64(len(texts)) - 0.5, true}, 0
	}
	if p.x, err = xs.scale("x", o.LogX, margin); err != nil {
		return nil, err
	}
	if p.y, err = ys.scale("y", o.LogY, above); err != nil {
		return nil, err
	}
	p.x.isWhole, p.x.texts = areWhole && !o.LogX && xs.hasAny, cleanAll(texts)
	return p, nil
}

// drawOrder returns the indices of a series in the order in which they are drawn. A line goes from left to right;
// points without an X keep their order.
func drawOrder(s Series, hasDots bool) []int {
	order := make([]int, len(s.Y))
	for i := range order {
		order[i] = i
	}
	if s.X == nil || hasDots {
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

// notes counts the points that are not in the picture.
func notes(lost, low int) []string {
	var list []string
	if lost > 0 {
		list = append(list, quantity.CommaCount(lost, "point")+" with NaN or infinite values not drawn")
	}
	if low > 0 {
		list = append(list, quantity.CommaCount(low, "point")+" not above 0 left out of the logarithmic axis")
	}
	return list
}
