package chart

import (
	"fmt"
	"image/color"
	"math"
	"sort"
	"strings"
)

// Mark says what a circle is to a query; it decides colour, line and the sign at the centre.
type Mark int

// Marks. Each has a sign of its own besides its colour.
const (
	Untouched Mark = iota // neither an answer nor known: the zero value
	Answer                // in the answer set, and not said whether the fact is known
	Known                 // in the answer set, and the fact is in the graph
	Inferred              // in the answer set, and the fact is not in the graph
	Missed                // a fact of the graph that is not in the answer set
	Head                  // the known side of the query
	Rotated               // the known side moved by the relation: what the answers touch
	marks
)

// String names the mark as the legend does.
func (m Mark) String() string {
	switch m {
	case Untouched:
		return "not touched"
	case Answer:
		return "answer"
	case Known:
		return "answer, a fact"
	case Inferred:
		return "answer, inferred"
	case Missed:
		return "fact, not touched"
	case Head:
		return "head"
	case Rotated:
		return "rotated head"
	}
	return fmt.Sprintf("Mark(%d)", int(m))
}

// Circle is an entity of a model in the plane: centre and radius in the model's unit. A negative radius, which some variants of the model can have, is drawn
// dotted with its absolute value.
type Circle struct {
	Name    string
	X, Y, R float64
	Mark    Mark
}

// Arrow points from one place to another, for example from the head to its rotated place.
type Arrow struct {
	Name         string
	FromX, FromY float64
	ToX, ToY     float64
}

// Circles draws entities as circles, with the same scale on both axes: what touches in the picture touches in the model. Each name is written where there is
// room, the query's circles and answers first; the title of every circle has name, mark, centre and radius. At most 2,000 circles: leave out what is far away.
//
// Head, rotated head and answers decide what the picture shows: all of them, with what lies near. Of circles that are not touched and farther away the missed
// facts stand as a sign at the edge, in the direction in which they lie, and a note counts the others.
func Circles(o Options, circles []Circle, arrows ...Arrow) Chart {
	return Chart{o, circleList{circles, arrows}}
}

type circleList struct {
	circles []Circle
	arrows  []Arrow
}

const mostCircles = 2000

func (circleList) size(Options) (w, h int) { return 560, 520 }

// circlePanel is a checked drawing of circles, in the order in which they are drawn.
type circlePanel struct {
	circleList
	o      Options
	x, y   span
	beyond []Circle // missed facts too far away to be drawn
	hidden int      // other circles too far away
}

func (c circleList) prepare(o Options) (panel, error) {
	if o.LogX || o.LogY {
		return nil, fmt.Errorf("chart: Circles needs equal scales: leave LogX and LogY out")
	}
	if len(c.circles) > mostCircles {
		return nil, fmt.Errorf("chart: %s are more than Circles draws (%s): leave out those that are far from the query", plural(len(c.circles), "circle"), count(mostCircles))
	}
	p := &circlePanel{o: o}
	for i, q := range c.circles {
		if !finite(q.X) || !finite(q.Y) || !finite(q.R) {
			return nil, fmt.Errorf("chart: %s has centre (%g, %g) and radius %g: all must be finite", named(q.Name, "circle", i), q.X, q.Y, q.R)
		}
		if q.Mark < 0 || q.Mark >= marks {
			return nil, fmt.Errorf("chart: %s has Mark %d: it must be Untouched, Answer, Known, Inferred, Missed, Head or Rotated", named(q.Name, "circle", i), int(q.Mark))
		}
		q.Name = clean(q.Name)
		p.circles = append(p.circles, q)
		if q.Mark != Untouched && q.Mark != Missed {
			p.widen(q)
		}
	}
	for i, a := range c.arrows {
		if !finite(a.FromX) || !finite(a.FromY) || !finite(a.ToX) || !finite(a.ToY) {
			return nil, fmt.Errorf("chart: %s goes from (%g, %g) to (%g, %g): all must be finite", named(a.Name, "arrow", i), a.FromX, a.FromY, a.ToX, a.ToY)
		}
		a.Name = clean(a.Name)
		p.arrows = append(p.arrows, a)
		p.x.add(a.FromX)
		p.x.add(a.ToX)
		p.y.add(a.FromY)
		p.y.add(a.ToY)
	}
	p.focus()
	if x, y := p.x.hi-p.x.lo, p.y.hi-p.y.lo; !(max(x, y) < math.MaxFloat64/1e6) {
		return nil, fmt.Errorf("chart: circles from (%g, %g) to (%g, %g) are too far apart to draw: leave some out", p.x.lo, p.y.lo, p.x.hi, p.y.hi)
	}
	sort.SliceStable(p.circles, func(a, b int) bool { return p.circles[a].Mark < p.circles[b].Mark }) // what matters lies above
	return p, nil
}

// widen makes the frame show a circle.
func (p *circlePanel) widen(q Circle) {
	r := math.Abs(q.R)
	p.x.add(q.X - r)
	p.x.add(q.X + r)
	p.y.add(q.Y - r)
	p.y.add(q.Y + r)
}

// nearby is how far around the answers, as a share of their extent, other circles are drawn.
const nearby = 0.4

// focus leaves out the circles that are not touched and lie far from those that matter. Where nothing matters, or all that does is one point, every circle
// stays.
func (p *circlePanel) focus() {
	margin := nearby * max(p.x.hi-p.x.lo, p.y.hi-p.y.lo)
	near := span{lo: p.x.lo - margin, hi: p.x.hi + margin}
	high := span{lo: p.y.lo - margin, hi: p.y.hi + margin}
	kept := p.circles[:0]
	for _, q := range p.circles {
		r := math.Abs(q.R)
		inside := near.lo <= q.X-r && q.X+r <= near.hi && high.lo <= q.Y-r && q.Y+r <= high.hi
		switch {
		case q.Mark != Untouched && q.Mark != Missed:
		case inside || !(margin > 0):
			p.widen(q)
		case q.Mark == Missed:
			p.beyond = append(p.beyond, q)
			continue
		default:
			p.hidden++
			continue
		}
		kept = append(kept, q)
	}
	p.circles = kept
}

// edge is the place at the edge of a plot towards a circle outside of it, and the direction to it.
func edge(plot rect, to point) (at point, ux, uy float64) {
	const inset = 10
	mid := point{(plot.x0 + plot.x1) / 2, (plot.y0 + plot.y1) / 2}
	const most = 1e9 // px; what is farther away lies in the same direction
	dx, dy := min(max(to.x-mid.x, -most), most), min(max(to.y-mid.y, -most), most)
	length := math.Hypot(dx, dy)
	if length == 0 {
		return mid, 1, 0
	}
	ux, uy = dx/length, dy/length
	far := length
	if ux != 0 {
		far = min(far, (plot.width()/2-inset)/math.Abs(ux))
	}
	if uy != 0 {
		far = min(far, (plot.height()/2-inset)/math.Abs(uy))
	}
	return point{mid.x + far*ux, mid.y + far*uy}, ux, uy
}

// scales gives axes of one scale that show everything in a plot of a size.
func (p *circlePanel) scales(width, height float64) (x, y scale) {
	if !p.x.any {
		return scale{lo: -1, hi: 1}, scale{lo: -height / width, hi: height / width}
	}
	w, h := p.x.hi-p.x.lo, p.y.hi-p.y.lo
	midX, midY := p.x.lo+w/2, p.y.lo+h/2
	per := 1.08 * max(w/width, h/height) // units per px
	if size := max(math.Abs(midX), math.Abs(midY)); per*max(width, height) <= max(1e-9*size, tiny) {
		per = max(size, 1) * 0.2 / max(width, height) // one point
	}
	return scale{lo: midX - per*width/2, hi: midX + per*width/2}, scale{lo: midY - per*height/2, hi: midY + per*height/2}
}

func (p *circlePanel) left(box rect) float64 {
	_, y := p.scales(box.width()-80, box.height()-130)
	_, left := yTicks(y, box.height()-130)
	return left + 8 // the final scale is a little different, and so may be its labels
}

// look is how circles of a mark are drawn.
func (m Mark) look() (line stroke, fill color.NRGBA) {
	switch m {
	case Answer:
		return stroke{color: green, width: 1.8}, faded(green, 0.14)
	case Known:
		return stroke{color: blue, width: 1.8}, faded(blue, 0.14)
	case Inferred:
		return stroke{color: red, width: 1.8}, faded(red, 0.14)
	case Missed:
		return stroke{color: blue, width: 1.4, dash: []float64{3, 3}}, none
	case Head:
		return stroke{color: black, width: 2}, faded(black, 0.05)
	case Rotated:
		return stroke{color: black, width: 2, dash: []float64{6, 4}}, faded(black, 0.05)
	}
	return stroke{color: grey, width: 1}, none
}

// sign draws the centre of a circle of a mark.
func (m Mark) sign(s surface, c point) {
	line, _ := m.look()
	switch m {
	case Answer:
		s.rect(rect{c.x - 3, c.y - 3, c.x + 3, c.y + 3}, line.color)
	case Known:
		s.circle(c, 3.5, line.color, stroke{})
	case Inferred:
		s.polygon([]point{{c.x, c.y - 4.5}, {c.x + 4.5, c.y}, {c.x, c.y + 4.5}, {c.x - 4.5, c.y}}, line.color, stroke{})
	case Missed:
		s.circle(c, 3, white, stroke{color: line.color, width: 1.5})
	case Head:
		s.polygon([]point{{c.x, c.y - 5}, {c.x + 4.5, c.y + 3.5}, {c.x - 4.5, c.y + 3.5}}, line.color, stroke{})
	case Rotated:
		s.polygon([]point{{c.x, c.y - 5}, {c.x + 4.5, c.y + 3.5}, {c.x - 4.5, c.y + 3.5}}, white, stroke{color: line.color, width: 1.5})
	default:
		s.circle(c, 2, line.color, stroke{})
	}
}

func (p *circlePanel) counts() (n [marks]int, negative int) {
	n[Missed] = len(p.beyond)
	for _, c := range p.circles {
		n[c.Mark]++
		if c.R < 0 {
			negative++
		}
	}
	return n, negative
}

// markOrder is the order of the legend.
var markOrder = [...]Mark{Head, Rotated, Answer, Known, Inferred, Missed, Untouched}

func (p *circlePanel) keys() []key {
	n, _ := p.counts()
	var keys []key
	for _, m := range markOrder {
		if n[m] == 0 {
			continue
		}
		name := m.String()
		if m < Head || n[m] > 1 {
			name += " (" + count(n[m]) + ")"
		}
		keys = append(keys, key{name, func(s surface, at point) {
			line, fill := m.look()
			s.circle(point{at.x + 15, at.y}, 8, fill, line)
			m.sign(s, point{at.x + 15, at.y})
		}})
	}
	return keys
}

func (c Circle) say() string {
	text := fmt.Sprintf("%s, centre (%s, %s), radius %s", c.Mark, number(c.X), number(c.Y), number(c.R))
	if c.Name != "" {
		return c.Name + ": " + text
	}
	return text
}

func (p *circlePanel) notes(hidden int) []string {
	var list []string
	if _, n := p.counts(); n > 0 {
		list = append(list, plural(n, "circle")+" of negative radius dotted")
	}
	if n := len(p.beyond); n > 0 {
		list = append(list, plural(n, "fact")+" not touched and far outside the picture: the sign at the edge points there")
	}
	if p.hidden > 0 {
		list = append(list, plural(p.hidden, "circle")+" not touched and outside the picture left out")
	}
	if hidden > 0 {
		list = append(list, plural(hidden, "name")+" left out for want of room; the title of a circle has its name")
	}
	return list
}

func (p *circlePanel) draw(s surface, box rect, left float64) error {
	// The number of names without room is known only after they were placed: a line is kept free for it.
	f, err := newFrame(p.o, box, p.keys(), p.notes(1), left)
	if err != nil {
		return err
	}
	x, y := p.scales(f.plot.width(), f.plot.height())
	x.a, x.b, y.a, y.b = f.plot.x0, f.plot.x1, f.plot.y1, f.plot.y0
	to := func(a, b float64) point { return point{x.at(a), y.at(b)} }
	places, hidden := p.labels(f.plot, to)
	f.caption = f.caption[:len(f.caption)-len(wrap(p.notes(1)[len(p.notes(1))-1], smallSize, box.width()-2*pad, 2))]
	if hidden > 0 {
		notes := p.notes(hidden)
		f.caption = append(f.caption, wrap(notes[len(notes)-1], smallSize, box.width()-2*pad, 2)...)
	}
	list, _ := yTicks(y, f.plot.height())
	f.draw(s, box, x, y, list)
	s.area(f.plot, x, y)
	if len(p.circles) == 0 && len(p.arrows) == 0 { // of nothing nothing was left out
		s.text(point{(f.plot.x0 + f.plot.x1) / 2, (f.plot.y0 + f.plot.y1) / 2}, "no data", font{size: textSize, color: faint, align: middle})
		return nil
	}
	if x.lo < 0 && 0 < x.hi && y.lo < 0 && 0 < y.hi {
		at := to(0, 0)
		s.open("origin", "origin: relations rotate around it")
		s.polyline([]point{{at.x - 6, at.y}, {at.x + 6, at.y}}, stroke{color: axis, width: 1.5})
		s.polyline([]point{{at.x, at.y - 6}, {at.x, at.y + 6}}, stroke{color: axis, width: 1.5})
		s.close()
	}
	per := (x.b - x.a) / (x.hi - x.lo)
	for _, c := range p.circles {
		line, fill := c.Mark.look()
		if c.R < 0 {
			line.dash, fill = []float64{1.5, 3}, none
		}
		s.open("sphere", c.say())
		s.circle(to(c.X, c.Y), math.Abs(c.R)*per, fill, line)
		s.close()
	}
	for _, a := range p.arrows {
		arrow(s, a, to(a.FromX, a.FromY), to(a.ToX, a.ToY))
	}
	for _, c := range p.circles {
		s.open("centre", c.say())
		c.Mark.sign(s, to(c.X, c.Y))
		s.close()
	}
	for _, c := range p.beyond {
		at, ux, uy := edge(f.plot, to(c.X, c.Y))
		line, _ := c.Mark.look()
		s.open("beyond", c.say()+", outside the picture")
		c.Mark.sign(s, at)
		tip, back := point{at.x + 9*ux, at.y + 9*uy}, point{at.x + 4*ux, at.y + 4*uy}
		s.polygon([]point{tip, {back.x - 3*uy, back.y + 3*ux}, {back.x + 3*uy, back.y - 3*ux}}, line.color, stroke{})
		s.close()
	}
	for _, l := range places {
		s.text(l.at, l.text, font{size: textSize, color: l.color, align: l.align, halo: true})
	}
	return nil
}

// written is a label with its place.
type written struct {
	at    point
	align align
	text  string
	color color.NRGBA
}

// labels finds places for the names, those that matter first. Centres stay free.
func (p *circlePanel) labels(plot rect, to func(x, y float64) point) (list []written, hidden int) {
	room := placer{bounds: plot}
	for _, c := range p.circles {
		at := to(c.X, c.Y)
		room.reserve(rect{at.x - 4, at.y - 4, at.x + 4, at.y + 4})
	}
	for _, c := range p.beyond {
		at, _, _ := edge(plot, to(c.X, c.Y))
		room.reserve(rect{at.x - 8, at.y - 8, at.x + 8, at.y + 8})
	}
	for _, a := range p.arrows {
		room.avoidLine([]point{to(a.FromX, a.FromY), to(a.ToX, a.ToY)})
	}
	type named struct {
		Circle
		at     point
		radius float64 // that names keep away from
	}
	var queue []named
	for i := len(p.circles) - 1; i >= 0; i-- {
		c := p.circles[i]
		if c.Mark <= Untouched {
			break // those come last, the missed ones at the edge before them
		}
		queue = append(queue, named{c, to(c.X, c.Y), 4})
	}
	for _, c := range p.beyond {
		at, _, _ := edge(plot, to(c.X, c.Y))
		queue = append(queue, named{c, at, 8})
	}
	for i := len(p.circles) - 1; i >= 0; i-- {
		if c := p.circles[i]; c.Mark <= Untouched {
			queue = append(queue, named{c, to(c.X, c.Y), 4})
		}
	}
	for _, c := range queue {
		if c.Name == "" {
			continue
		}
		size, paint := textSize, ink
		if c.Mark == Untouched {
			paint = faint
		}
		name := shortened(c.Name, size, 160)
		at, a, ok := room.place(c.at, c.radius, name, size)
		if !ok {
			hidden++
			continue
		}
		list = append(list, written{at, a, name, paint})
	}
	return list, hidden
}

// arrow draws a line with a head at its end, a little before the sign of a centre.
func arrow(s surface, a Arrow, from, to point) {
	length := math.Hypot(to.x-from.x, to.y-from.y)
	if length < 14 {
		return // nowhere to go
	}
	ux, uy := (to.x-from.x)/length, (to.y-from.y)/length
	from = point{from.x + 7*ux, from.y + 7*uy}
	tip := point{to.x - 7*ux, to.y - 7*uy}
	back := point{tip.x - 9*ux, tip.y - 9*uy}
	s.open("arrow", a.Name)
	s.polyline([]point{from, back}, stroke{color: purple, width: 2})
	s.polygon([]point{tip, {back.x - 4*uy, back.y + 4*ux}, {back.x + 4*uy, back.y - 4*ux}}, purple, stroke{})
	s.close()
}

func (p *circlePanel) summary() string {
	var b strings.Builder
	b.WriteString("circles in the plane")
	if t := clean(p.o.Title); t != "" {
		b.WriteString(" " + t)
	}
	if len(p.circles) == 0 {
		return b.String() + ": no data"
	}
	n, _ := p.counts()
	sep := ": "
	for _, m := range markOrder {
		if n[m] > 0 {
			fmt.Fprintf(&b, "%s%s %s", sep, count(n[m]), m)
			sep = ", "
		}
	}
	shown := 0
	for i := len(p.circles) - 1; i >= 0 && shown < 10; i-- {
		if c := p.circles[i]; c.Name != "" && c.Mark != Untouched {
			b.WriteString("; " + c.say())
			shown++
		}
	}
	return b.String()
}
