package chart

import "image/color"

// kinds is how many kinds of lines there are.
const kinds = 4

// dashes returns the dashes of series i. Colour, dashes and symbol each distinguish series, so that a print without
// colours and readers who cannot distinguish colours have two of them.
func dashes(i int) []float64 {
	switch i % kinds {
	case 1:
		return []float64{7, 4}
	case 2:
		return []float64{2, 3}
	case 3:
		return []float64{10, 3, 2, 3}
	}
	return nil
}

// symbol draws the mark of a point of series i, about as large as a disc of the radius.
func symbol(s surface, i int, at point, radius float64, fill color.NRGBA) {
	corners := func(list ...point) {
		for k := range list {
			list[k] = point{at.x + radius*list[k].x, at.y + radius*list[k].y}
		}
		s.polygon(list, fill, stroke{})
	}
	switch i % 5 {
	case 1:
		corners(point{-0.9, -0.9}, point{0.9, -0.9}, point{0.9, 0.9}, point{-0.9, 0.9})
	case 2:
		corners(point{0, -1.3}, point{1.2, 0.9}, point{-1.2, 0.9})
	case 3:
		corners(point{0, -1.35}, point{1.35, 0}, point{0, 1.35}, point{-1.35, 0})
	case 4:
		corners(point{0, 1.3}, point{1.2, -0.9}, point{-1.2, -0.9})
	default:
		s.circle(at, radius, fill, stroke{})
	}
}

// pattern fills the bar of series i: the colour, the colour within an outline, or stripes.
func pattern(s surface, i int, r rect, c color.NRGBA) {
	const stripe = 3
	outline := []point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x1, r.y1}, {r.x0, r.y1}}
	switch i % 3 {
	case 0:
		s.rect(r, c)
	case 1:
		s.polygon(outline, fade(c, 0.3), stroke{color: c, width: 1})
	case 2:
		for x := r.x0; x < r.x1; x += 2 * stripe {
			s.rect(rect{x, r.y0, min(x+stripe, r.x1), r.y1}, c)
		}
		s.polygon(outline, none, stroke{color: c, width: 1})
	}
}

// errorBar draws the range from a to b, both at the ends of a line with caps.
func errorBar(s surface, a, b point, c color.NRGBA) {
	const cap = 3
	st := stroke{color: c, width: 1.2}
	s.polyline([]point{a, b}, st)
	across := point{cap, 0}
	if a.y == b.y {
		across = point{0, cap}
	}
	for _, end := range []point{a, b} {
		s.polyline([]point{{end.x - across.x, end.y - across.y}, {end.x + across.x, end.y + across.y}}, st)
	}
}
