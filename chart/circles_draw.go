package chart

import (
	"image/color"
	"math"
)

func (p *circlePanel) draw(s surface, box rect, left float64) error {
	// The number of names without room is known only after they are placed, so a line is kept free for it.
	f, err := newFrame(p.o, box, p.keys(), p.notes(1), left)
	if err != nil {
		return err
	}
	x, y := p.scales(f.plot.width(), f.plot.height())
	x.a, x.b, y.a, y.b = f.plot.x0, f.plot.x1, f.plot.y1, f.plot.y0
	to := func(a, b float64) point { return point{x.at(a), y.at(b)} }
	places, hidden := p.labels(f.plot, to)
	if !p.o.Plain {
		f.caption = f.caption[:len(f.caption)-len(wrap(p.notes(1)[len(p.notes(1))-1], smallSize, captionWidth(box), 2))]
	}
	if hidden > 0 && !p.o.Plain {
		notes := p.notes(hidden)
		f.caption = append(f.caption, wrap(notes[len(notes)-1], smallSize, captionWidth(box), 2)...)
	}
	list, _ := yTicks(y, f.plot.height())
	f.draw(s, box, x, y, list)
	s.area(f.plot, x, y)
	if len(p.circles) == 0 && len(p.arrows) == 0 {
		noData(s, f.plot)
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
		s.text(l.at, l.text, font{size: textSize, color: l.color, align: l.align, hasHalo: true})
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

// labels finds places for the names, the most important first. Centres stay free.
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
		radius float64 // that names avoid
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
		name := shortenTo(c.Name, size, 160)
		at, a, ok := room.place(c.at, c.radius, name, size)
		if !ok {
			hidden++
			continue
		}
		list = append(list, written{at, a, name, paint})
	}
	return list, hidden
}

// arrow draws a line with a head. It ends a little before the sign of a centre.
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

// edge returns the place at the edge of a plot towards a circle outside of it, and the direction to the circle.
func edge(plot rect, to point) (at point, ux, uy float64) {
	const inset = 10
	mid := point{(plot.x0 + plot.x1) / 2, (plot.y0 + plot.y1) / 2}
	const maximum = 1e9 // px; what is farther away lies in the same direction
	dx, dy := min(max(to.x-mid.x, -maximum), maximum), min(max(to.y-mid.y, -maximum), maximum)
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
