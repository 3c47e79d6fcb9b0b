package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// layer is one series of a plane, checked: its points are finite and inside the axes; a gap is where a new stretch
// begins.
type layer struct {
	name      string
	index     int                                      // decides colour and dashes
	stretches [][]point                                // of a line; dots are in one
	indices   [][]int                                  // of the points of stretches in the caller's data
	title     func(i int) string                       // of the caller's point i; nil: points have none
	bound     func(i int) (low, high float64, ok bool) // of the caller's point i; nil: none has bounds
	marks     []marked
	along     []marked // points with a small label and no ring, where there is room
	hasDots   bool
	isFaint   bool   // a thin line without points
	summary   string // follows the name in the title
}

// add appends the caller's point i to the last stretch, or begins a new one with it.
func (l *layer) add(q point, i int, joined bool) {
	if !joined {
		l.stretches, l.indices = append(l.stretches, nil), append(l.indices, nil)
	}
	last := len(l.stretches) - 1
	l.stretches[last], l.indices[last] = append(l.stretches[last], q), append(l.indices[last], i)
}

// bounds returns the bounds of the caller's point i.
func (l *layer) bounds(i int) (low, high float64, ok bool) {
	if l.bound == nil {
		return 0, 0, false
	}
	return l.bound(i)
}

// marked is a point of a layer that the caller chose, with its label.
type marked struct {
	at    point
	text  string // next to the point
	whole string // as its title
}

// guide is a pale line behind the data with a label at its end.
type guide struct {
	points []point
	text   string
}

// plane is a panel of lines or dots between two axes.
type plane struct {
	o       Options
	kind    string // "line chart", for the summary
	layers  []layer
	guides  []guide
	x, y    scale
	notes   []string
	isEmpty bool
	// tips is the least distance in px between points of a line that get dots with titles of their own.
	tips float64
}

const maxTitles = 2000 // of dots: more make the file large, and are not read

func (p *plane) left(box rect) float64 {
	_, left := yTicks(p.y, box.height()-100)
	return left
}

func (p *plane) keys() []key {
	var keys []key
	for _, l := range p.layers {
		if l.name == "" && (len(p.layers) == 1 || l.hasDots) || l.isFaint {
			continue
		}
		color, dash := hue(l.index), dashes(l.index)
		sample := func(s surface, at point) {
			s.polyline([]point{at, {at.x + 24, at.y}}, stroke{color: color, width: 2.5, dash: dash})
			if len(p.layers) > 1 {
				symbol(s, l.index, point{at.x + 12, at.y}, 4, color)
			}
		}
		if l.hasDots {
			sample = func(s surface, at point) { symbol(s, l.index, point{at.x + 17, at.y}, 4.5, color) }
		}
		keys = append(keys, key{l.name, sample})
	}
	return keys
}

func (p *plane) draw(s surface, box rect, left float64) error {
	f, err := newFrame(p.o, box, p.keys(), p.notes, left)
	if err != nil {
		return err
	}
	x, y := p.x, p.y
	x.a, x.b, y.a, y.b = f.plot.x0, f.plot.x1, f.plot.y1, f.plot.y0
	list, _ := yTicks(y, f.plot.height())
	f.draw(s, box, x, y, list)
	s.area(f.plot, x, y)
	if p.isEmpty {
		noData(s, f.plot)
		return nil
	}
	to := func(q point) point { return point{x.at(q.x), y.at(q.y)} }
	labels := placer{bounds: rect{f.plot.x0, f.plot.y0 - 6, box.x1 - 2, f.plot.y1}}
	for _, g := range p.guides {
		line := make([]point, len(g.points))
		for i, q := range g.points {
			line[i] = to(q)
		}
		s.polyline(line, stroke{color: grey, width: 0.8, dash: []float64{3, 3}})
		last := line[len(line)-1]
		s.text(point{last.x - 3, last.y - 4}, g.text, font{size: smallSize, color: faint, align: end, hasHalo: true})
		labels.reserve(rect{last.x - 3 - measure(g.text, smallSize), last.y - 4 - smallSize, last.x, last.y})
	}
	labelled := false
	for _, l := range p.layers {
		labelled = labelled || len(l.marks)+len(l.along) > 0
	}
	for _, l := range p.layers {
		for i := 0; labelled && !l.hasDots && i < len(l.stretches); i++ {
			line := make([]point, len(l.stretches[i]))
			for k, q := range l.stretches[i] {
				line[k] = to(q)
			}
			labels.avoidLine(thinLine(line))
		}
	}
	for _, l := range p.layers {
		if !l.hasDots {
			p.band(s, l, to)
		}
	}
	for _, l := range p.layers {
		s.open("series", strings.TrimPrefix(l.name+": "+l.summary, ": "))
		if l.hasDots {
			p.dots(s, l, to, f.plot)
		} else {
			p.line(s, l, to)
		}
		s.close()
	}
	for _, l := range p.layers { // above all lines
		for _, m := range l.marks {
			at := to(m.at)
			labels.reserve(rect{at.x - 7, at.y - 7, at.x + 7, at.y + 7})
		}
	}
	for _, l := range p.layers {
		for _, m := range l.marks {
			at := to(m.at)
			s.open("marked", m.whole)
			s.circle(at, 6, white, stroke{color: ink, width: 1.8})
			symbol(s, l.index, at, 3.2, hue(l.index))
			if place, a, ok := labels.place(at, 7, m.text, textSize); ok {
				s.text(place, m.text, font{size: textSize, color: ink, align: a, hasHalo: true})
			}
			s.close()
		}
	}
	for _, l := range p.layers {
		for _, m := range l.along {
			at := to(m.at)
			if place, a, ok := labels.place(at, 2, m.text, smallSize); ok {
				s.circle(at, 3, hue(l.index), stroke{})
				s.text(place, m.text, font{size: smallSize, color: faint, align: a, hasHalo: true})
			}
		}
	}
	return nil
}

func (p *plane) line(s surface, l layer, to func(point) point) {
	st := stroke{color: hue(l.index), width: 2, dash: dashes(l.index)}
	if l.isFaint {
		st = stroke{color: fade(hue(l.index), 0.4), width: 1}
	}
	for i, stretch := range l.stretches {
		line := make([]point, len(stretch))
		for k, q := range stretch {
			line[k] = to(q)
		}
		thin := thinLine(line)
		if len(thin) > 1 {
			s.polyline(thin, st)
		} else {
			s.circle(thin[0], 2.5, st.color, stroke{})
		}
		if l.isFaint {
			continue
		}
		if l.title == nil || len(line) > 1 && (line[len(line)-1].x-line[0].x)/float64(len(line)-1) < p.tips {
			p.symbols(s, l, line)
			continue
		}
		for k, at := range line {
			s.open("point", l.title(l.indices[i][k]))
			symbol(s, l.index, at, 3, st.color)
			s.close()
		}
	}
}

// symbols marks a few points of a line whose points are too close for marks of their own, if there are other lines.
// Those of different lines lie at different places.
func (p *plane) symbols(s surface, l layer, line []point) {
	const wanted = 6
	step := len(line) / wanted
	if len(p.layers) == 1 || step == 0 {
		return
	}
	for k := step * (l.index%len(p.layers) + 1) / (len(p.layers) + 1); k < len(line); k += step {
		symbol(s, l.index, line[k], 3.5, hue(l.index))
	}
}

// band draws the bounds of a line: an area between points that have bounds, an error bar at one without such
// neighbours.
func (p *plane) band(s surface, l layer, to func(point) point) {
	if l.bound == nil {
		return
	}
	var upper, lower []point
	flush := func() {
		if len(upper) == 1 {
			errorBar(s, upper[0], lower[0], hue(l.index))
		} else if len(upper) > 1 {
			area := slices.Clone(upper)
			slices.Reverse(lower)
			s.polygon(append(area, lower...), fade(hue(l.index), 0.18), stroke{})
		}
		upper, lower = nil, nil
	}
	for i, stretch := range l.stretches {
		every := max(1, len(stretch)/few) // more points than that are not seen
		for k := 0; k < len(stretch); k += every {
			low, high, ok := l.bound(l.indices[i][k])
			if !ok {
				flush()
				continue
			}
			upper, lower = append(upper, to(point{stretch[k].x, high})), append(lower, to(point{stretch[k].x, low}))
		}
		flush()
	}
}

func (p *plane) dots(s surface, l layer, to func(point) point, box rect) {
	const radius = 2.6
	color := fade(hue(l.index), 0.65)
	for i, stretch := range l.stretches {
		all := make([]point, len(stretch))
		for k, q := range stretch {
			all[k] = to(q)
		}
		list := thinDots(all, box)
		for _, k := range list {
			if low, high, ok := l.bounds(l.indices[i][k]); ok {
				x := stretch[k].x
				errorBar(s, to(point{x, high}), to(point{x, low}), hue(l.index))
			}
		}
		if l.title != nil && len(list) <= maxTitles {
			for _, k := range list {
				s.open("point", l.title(l.indices[i][k]))
				symbol(s, l.index, all[k], radius, color)
				s.close()
			}
			continue
		}
		if l.index > 0 && len(list) <= maxTitles {
			for _, k := range list {
				symbol(s, l.index, all[k], radius, color)
			}
			continue
		}
		thin := make([]point, len(list))
		for n, k := range list {
			thin[n] = all[k]
		}
		size := radius
		if len(thin) > maxTitles {
			size = 1.5
		}
		s.dots(thin, size, color)
	}
}

func (p *plane) summary() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(p.kind + " " + clean(p.o.Title)))
	if p.isEmpty {
		return b.String() + ": no data"
	}
	fmt.Fprintf(&b, ": %s from %s to %s", or(clean(p.o.XLabel), "x"), number(p.x.lo), number(p.x.hi))
	fmt.Fprintf(&b, ", %s from %s to %s", or(clean(p.o.YLabel), "y"), number(p.y.lo), number(p.y.hi))
	for i, l := range p.layers {
		if i == 10 {
			fmt.Fprintf(&b, "; and %s more", quantity.Commas(len(p.layers)-i))
			break
		}
		fmt.Fprintf(&b, "; %s", strings.TrimPrefix(l.name+": "+l.summary, ": "))
		for _, m := range l.marks {
			fmt.Fprintf(&b, ", marked: %s", m.whole)
		}
	}
	return b.String()
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
