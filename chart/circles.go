package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Circle is an entity of a model in the plane: centre and radius in the model's unit. A negative radius, which some
// variants of the model can have, is drawn dotted with its absolute value.
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

// Circles draws entities as circles with the same scale on both axes: circles that touch in the picture touch in the
// model. A name is written where there is room, the query's circles and answers first. The title of every circle has
// name, mark, centre and radius. At most 2,000 circles: leave out those that are far away.
//
// The picture shows the head, the rotated head, the answers and what lies near them. Circles farther away are left out
// and counted in a note; for a missed fact a sign at the edge points in its direction.
func Circles(o Options, circles []Circle, arrows ...Arrow) Chart {
	return Chart{o, circleList{circles, arrows}}
}

type circleList struct {
	circles []Circle
	arrows  []Arrow
}

const maxCircles = 2000

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
	if len(c.circles) > maxCircles {
		return nil, limitf("%s are more than Circles draws (%s): leave out those that are far from the query",
			quantity.CommaCount(len(c.circles), "circle"), quantity.Commas(maxCircles))
	}
	p := &circlePanel{o: o}
	for i, q := range c.circles {
		if !finite(q.X) || !finite(q.Y) || !finite(q.R) {
			return nil, fmt.Errorf("chart: %s has centre (%g, %g) and radius %g: all must be finite",
				named(q.Name, "circle", i), q.X, q.Y, q.R)
		}
		if q.Mark < 0 || q.Mark >= marks {
			return nil, fmt.Errorf("chart: %s has Mark %d: it must be Untouched, Near, Known, HeldOut, Inferred, Missed, "+
				"Head or Rotated", named(q.Name, "circle", i), int(q.Mark))
		}
		q.Name = clean(q.Name)
		p.circles = append(p.circles, q)
		if q.Mark != Untouched && q.Mark != Missed {
			p.widen(q)
		}
	}
	for i, a := range c.arrows {
		if !finite(a.FromX) || !finite(a.FromY) || !finite(a.ToX) || !finite(a.ToY) {
			return nil, fmt.Errorf("chart: %s goes from (%g, %g) to (%g, %g): all must be finite",
				named(a.Name, "arrow", i), a.FromX, a.FromY, a.ToX, a.ToY)
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
		return nil, limitf("circles from (%g, %g) to (%g, %g) are too far apart to draw: leave some out",
			p.x.lo, p.y.lo, p.x.hi, p.y.hi)
	}
	// What matters is drawn last, above the rest.
	slices.SortStableFunc(p.circles, func(a, b Circle) int { return cmp.Compare(a.Mark, b.Mark) })
	return p, nil
}

// widen extends the frame to show a circle.
func (p *circlePanel) widen(q Circle) {
	r := math.Abs(q.R)
	p.x.add(q.X - r)
	p.x.add(q.X + r)
	p.y.add(q.Y - r)
	p.y.add(q.Y + r)
}

// nearby is the distance from the answers, as a share of their extent, within which other circles are drawn.
const nearby = 0.4

// focus leaves out the circles that are not touched and are far from those that matter. If none matters, or if those
// that do are at one point, every circle stays.
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

// scales returns axes of one scale that show everything in a plot of a size.
func (p *circlePanel) scales(width, height float64) (x, y scale) {
	if !p.x.hasAny {
		return scale{lo: -1, hi: 1}, scale{lo: -height / width, hi: height / width}
	}
	w, h := p.x.hi-p.x.lo, p.y.hi-p.y.lo
	midX, midY := p.x.lo+w/2, p.y.lo+h/2
	per := 1.08 * max(w/width, h/height) // units per px
	if size := max(math.Abs(midX), math.Abs(midY)); per*max(width, height) <= max(1e-9*size, tiny) {
		per = max(size, 1) * 0.2 / max(width, height) // one point
	}
	return scale{lo: midX - per*width/2, hi: midX + per*width/2},
		scale{lo: midY - per*height/2, hi: midY + per*height/2}
}

func (p *circlePanel) left(box rect) float64 {
	_, y := p.scales(box.width()-80, box.height()-130)
	_, left := yTicks(y, box.height()-130)
	return left + 8 // the final scale is a little different, and so may be its labels
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

func (p *circlePanel) keys() []key {
	n, _ := p.counts()
	var keys []key
	for _, m := range markOrder {
		if n[m] == 0 {
			continue
		}
		name := m.String()
		if m < Head || n[m] > 1 {
			name += " (" + quantity.Commas(n[m]) + ")"
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
		list = append(list, quantity.CommaCount(n, "circle")+" of negative radius dotted")
	}
	if n := len(p.beyond); n > 0 {
		list = append(list, quantity.CommaCount(n, "fact")+
			" not touched and far outside the picture: the sign at the edge points there")
	}
	if p.hidden > 0 {
		list = append(list, quantity.CommaCount(p.hidden, "circle")+" not touched and outside the picture left out")
	}
	if hidden > 0 {
		list = append(list, quantity.CommaCount(hidden, "name")+
			" left out for want of room; the title of a circle has its name")
	}
	return list
}

func (p *circlePanel) summary() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace("circles in the plane" + " " + clean(p.o.Title)))
	if len(p.circles) == 0 {
		return b.String() + ": no data"
	}
	n, _ := p.counts()
	sep := ": "
	for _, m := range markOrder {
		if n[m] > 0 {
			fmt.Fprintf(&b, "%s%s %s", sep, quantity.Commas(n[m]), m)
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
