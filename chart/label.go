package chart

import "math"

// placer finds room for labels next to marks. A label covers neither another label nor a reserved place.
type placer struct {
	bounds rect
	taken  []rect
	avoid  []rect // lines: covered only if there is no other room
}

func (p *placer) reserve(r rect) { p.taken = append(p.taken, r) }

// avoidLine makes labels avoid a line if possible.
func (p *placer) avoidLine(line []point) {
	for i := 1; i < len(line); i++ {
		from, to := line[i-1], line[i]
		n := int(math.Hypot(to.x-from.x, to.y-from.y)/6) + 1
		for k := 0; k <= n; k++ {
			t := float64(k) / float64(n)
			x, y := from.x+t*(to.x-from.x), from.y+t*(to.y-from.y)
			p.avoid = append(p.avoid, rect{x - 1, y - 1, x + 1, y + 1})
		}
	}
}

// place finds room for a text next to a mark of a radius: to the right, to the left, above, below, at the corners, then
// farther away. It returns false if all places are taken.
func (p *placer) place(at point, radius float64, text string, size float64) (place point, a align, ok bool) {
	// A place a little farther away is better than one that covers a line.
	for _, lines := range [][]rect{p.avoid, nil} {
		for _, far := range []float64{0, 14} {
			if place, a, ok = p.beside(at, radius+far, text, size, lines); ok {
				return place, a, true
			}
		}
	}
	return point{}, start, false
}

func (p *placer) beside(at point, radius float64, text string, size float64, lines []rect) (point, align, bool) {
	w, up, down, gap := measure(text, size), 0.75*size, 0.25*size, radius+4
	slant := 0.7*radius + 3
	for _, c := range []struct {
		x, y float64
		a    align
	}{
		{gap, 0.35 * size, start},
		{-gap, 0.35 * size, end},
		{0, -gap - down, middle},
		{0, gap + up, middle},
		{slant, -slant, start},
		{slant, slant + up, start},
		{-slant, -slant, end},
		{-slant, slant + up, end},
	} {
		x, y := at.x+c.x, at.y+c.y
		from := x
		switch c.a {
		case middle:
			from = x - w/2
		case end:
			from = x - w
		}
		box := rect{from - 1, y - up - 1, from + w + 1, y + down + 1}
		if p.bounds.contains(box) && free(box, p.taken) && free(box, lines) {
			p.reserve(box)
			return point{x, y}, c.a, true
		}
	}
	return point{}, start, false
}

func free(box rect, taken []rect) bool {
	for _, t := range taken {
		if t.overlaps(box) {
			return false
		}
	}
	return true
}
