package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Axis is an axis of Parallel.
type Axis struct {
	Name   string
	Values []float64 // one for each line; a line without a value, NaN, breaks here
	Labels []string  // for an axis of texts: what the values 0, 1, 2, ... mean; nil: numbers
}

// Parallel draws parallel coordinates: an upright axis with its own scale for each of several quantities, and for each
// name a line through its values, for example runs through their settings and results. The marked lines, by their place
// from 0, are drawn strong and named, and the others faint; without any, all are strong. 2 to 16 axes; at most 20 texts
// on an axis, 200 lines, and 28 strong ones.
func Parallel(o Options, names []string, marked []int, axes ...Axis) Chart {
	return Chart{o, parallel{names, nil, marked, axes}}
}

// ParallelAt is [Parallel] with the places of the lines, 1 to [Places], which decide their colours and dashes as
// [Series.Place] does.
func ParallelAt(o Options, names []string, places, marked []int, axes ...Axis) Chart {
	return Chart{o, parallel{names, places, marked, axes}}
}

type parallel struct {
	names  []string
	places []int // nil: as the lines follow each other
	marked []int
	axes   []Axis
}

const (
	maxAxes   = 16
	maxLabels = 20
	maxLines  = 200
	maxTicks  = 6 // of the values of an axis
)

func (p parallel) size(Options) (w, h int) { return max(640, 110*len(p.axes)), 380 }

// parallelPanel is a checked chart of parallel coordinates.
type parallelPanel struct {
	parallel
	o      Options
	scales []scale
}

func (p parallel) prepare(o Options) (panel, error) {
	if o.LogX || o.LogY {
		return nil, fmt.Errorf("chart: the axes of Parallel have scales of their own: leave LogX and LogY out")
	}
	if len(p.axes) > maxAxes || len(p.axes) == 1 {
		return nil, limitf("Parallel needs 2 to %d axes, not %d", maxAxes, len(p.axes))
	}
	if err := checkMarked("Parallel", p.marked, len(p.names)); err != nil {
		return nil, err
	}
	if p.places != nil && len(p.places) != len(p.names) {
		return nil, fmt.Errorf("chart: %s for %s: every line needs one", quantity.CommaCount(len(p.places), "place"),
			quantity.CommaCount(len(p.names), "line"))
	}
	for _, place := range p.places {
		if place < 1 || place > Places {
			return nil, fmt.Errorf("chart: a line has place %d: places are 1 to %d", place, Places)
		}
	}
	if len(p.names) > maxLines {
		return nil, limitf("%s: Parallel draws at most %d", quantity.CommaCount(len(p.names), "line"), maxLines)
	}
	strong := len(p.names)
	if len(p.marked) > 0 {
		strong = len(p.marked)
	}
	if strong > maxSeries {
		return nil, limitf("%s drawn strong: more than %d cannot be distinguished; mark fewer",
			quantity.CommaCount(strong, "line"), maxSeries)
	}
	clear := &parallelPanel{o: o, parallel: parallel{places: slices.Clone(p.places), marked: p.marked}}
	for _, name := range p.names {
		clear.names = append(clear.names, clean(name))
	}
	for i, a := range p.axes {
		who := named(a.Name, "axis", i)
		if len(a.Values) != len(p.names) || len(a.Labels) > maxLabels {
			return nil, limitf("%s has %s for %s, and %s: one value per line and at most %d labels fit", who,
				quantity.CommaCount(len(a.Values), "value"), quantity.CommaCount(len(p.names), "line"),
				quantity.CommaCount(len(a.Labels), "label"), maxLabels)
		}
		var values span
		for _, v := range a.Values {
			if a.Labels != nil && finite(v) && (v != math.Floor(v) || v < 0 || v >= float64(len(a.Labels))) {
				return nil, fmt.Errorf("chart: %s has the value %g, and labels for 0 to %d", who, v, len(a.Labels)-1)
			}
			if finite(v) {
				values.add(v)
			}
		}
		if a.Labels != nil {
			values = span{0, max(1, float64(len(a.Labels)-1)), true}
		}
		s, err := values.scale("y", false, 0)
		if err != nil {
			return nil, err
		}
		a.Name = clean(a.Name)
		a.Labels = slices.Clone(a.Labels)
		for k := range a.Labels {
			a.Labels[k] = clean(a.Labels[k])
		}
		clear.axes, clear.scales = append(clear.axes, a), append(clear.scales, s)
	}
	return clear, nil
}

func (*parallelPanel) left(rect) float64 { return 0 }

// strong reports whether a line is not faint.
func (p *parallelPanel) strong(i int) bool { return len(p.marked) == 0 || slices.Contains(p.marked, i) }

func (p *parallelPanel) keys() []key {
	var keys []key
	for i, name := range p.names {
		if !p.strong(i) {
			continue
		}
		line := p.look(i)
		keys = append(keys, key{name, func(s surface, at point) { s.polyline([]point{at, {at.x + 24, at.y}}, line) }})
	}
	return keys
}

func (p *parallelPanel) look(i int) stroke {
	place := i
	if p.places != nil {
		place = p.places[i] - 1
	}
	if p.strong(i) {
		return stroke{color: hue(place), width: 2, dash: dashes(place)}
	}
	return stroke{color: fade(hue(place), 0.3), width: 1.2, dash: dashes(place)}
}

// value returns the value of a line at an axis as text.
func (p *parallelPanel) value(axis, line int) string {
	a := p.axes[axis]
	switch v := a.Values[line]; {
	case a.Labels != nil && finite(v):
		return a.Labels[int(v)]
	default:
		return number(v)
	}
}

// say describes a line in words.
func (p *parallelPanel) say(line int) string {
	parts := make([]string, len(p.axes))
	for i, a := range p.axes {
		parts[i] = a.Name + " " + p.value(i, line)
	}
	return p.names[line] + ": " + strings.Join(parts, ", ")
}

func (p *parallelPanel) draw(s surface, box rect, _ float64) error {
	o := p.o
	o.XLabel, o.YLabel = "", ""
	f, err := newFrame(o, box, p.keys(), nil, 0)
	if err != nil {
		return err
	}
	f.plot.y0 += smallLine
	f.head(s, box)
	f.foot(s, box)
	if len(p.axes) == 0 || len(p.names) == 0 {
		noData(s, f.plot)
		return nil
	}
	const side = 24 // px next to the outer axes
	gap := (f.plot.width() - 2*side) / float64(len(p.axes)-1)
	at := func(axis int) float64 { return f.plot.x0 + side + gap*float64(axis) }
	scales := slices.Clone(p.scales)
	for i := range scales {
		scales[i].a, scales[i].b = f.plot.y1, f.plot.y0
		s.polyline([]point{{at(i), f.plot.y0}, {at(i), f.plot.y1}}, stroke{color: axis, width: 1})
	}
	order := make([]int, 0, len(p.names)) // strong lines above the others
	for _, strong := range []bool{false, true} {
		for i := range p.names {
			if p.strong(i) == strong {
				order = append(order, i)
			}
		}
	}
	for _, i := range order {
		p.line(s, i, at, scales)
	}
	for i, a := range p.axes {
		p.labels(s, a, scales[i], point{at(i), f.plot.y0}, gap, i == len(p.axes)-1)
	}
	return nil
}

// line draws a line in as many pieces as it has.
func (p *parallelPanel) line(s surface, i int, at func(int) float64, scales []scale) {
	s.open("line", p.say(i))
	var piece []point
	end := func() {
		if len(piece) > 1 {
			s.polyline(piece, p.look(i))
		}
		for _, q := range piece {
			s.circle(q, 2.5, p.look(i).color, stroke{})
		}
		piece = nil
	}
	for k, a := range p.axes {
		if v := a.Values[i]; finite(v) {
			piece = append(piece, point{at(k), scales[k].at(v)})
		} else {
			end()
		}
	}
	end()
	s.close()
}

// labels writes the name of an axis above it and its numbers or texts next to it: to the left of the last one.
func (p *parallelPanel) labels(s surface, a Axis, y scale, top point, gap float64, isLast bool) {
	beside, way := 5.0, start
	if isLast {
		beside, way = -5, end
	}
	name := shortenTo(a.Name, smallSize, (gap-10)/widerFont)
	s.open("axis", titleOf(a.Name, []string{name}))
	place, by := top, middle
	if over := measure(a.Name, smallSize)/2 > 24; over && isLast {
		place, by = point{top.x + 24, top.y}, end
	} else if over && top.x < gap {
		place, by = point{top.x - 24, top.y}, start
	}
	s.text(point{place.x, place.y - 7}, name, font{size: smallSize, color: ink, align: by})
	var ticks []tick
	if a.Labels == nil {
		ticks = a.ticks(y)
	}
	for k, text := range a.Labels {
		ticks = append(ticks, tick{float64(k), text})
	}
	for _, t := range ticks {
		v := y.at(t.value)
		s.polyline([]point{{top.x - 3, v}, {top.x + 3, v}}, stroke{color: axis, width: 1})
		text := shortenTo(t.label, smallSize, (gap-14)/widerFont)
		s.open("tick", titleOf(t.label, []string{text}))
		s.text(point{top.x + beside, v + 4}, text, font{size: smallSize, color: faint, align: way, hasHalo: true})
		s.close()
	}
	s.close()
}

// ticks returns the labelled places of an axis of numbers: its values if there are few, such as those of a setting that
// a search tried, otherwise about five.
func (a Axis) ticks(y scale) []tick {
	values := slices.DeleteFunc(slices.Clone(a.Values), func(v float64) bool { return !finite(v) })
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > maxTicks || len(values) == 0 {
		y.isWhole = !slices.ContainsFunc(values, func(v float64) bool { return v != math.Floor(v) })
		return y.ticks(5)
	}
	var list []tick
	for _, v := range values { // one that is too close to the last has no room
		if n := len(list); n == 0 || math.Abs(y.at(v)-y.at(list[n-1].value)) >= smallLine {
			list = append(list, tick{v, number(v)})
		}
	}
	return list
}

func (p *parallelPanel) summary() string {
	text := strings.TrimSpace("parallel coordinates " + clean(p.o.Title))
	if len(p.axes) == 0 || len(p.names) == 0 {
		return text + ": no data"
	}
	return fmt.Sprintf("%s: %s over %s axes", text, quantity.CommaCount(len(p.names), "line"), quantity.Commas(len(p.axes)))
}

func (p *parallelPanel) text(w, h int) string {
	lines := []string{fit(p.summary(), w)}
	for i := range p.names {
		if len(lines) == max(h, 2)-1 && i < len(p.names)-1 {
			lines = append(lines, fmt.Sprintf("and %s more", quantity.Commas(len(p.names)-i)))
			break
		}
		lines = append(lines, fit(p.say(i), w))
	}
	return strings.Join(lines, "\n") + "\n"
}
