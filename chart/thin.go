package chart

import "math"

// few is the number of points of a line or scatter up to which all are drawn.
const few = 2000

// thinLine leaves out points of a line that cannot be seen. Of the points in one px column the first, the lowest, the
// highest and the last stay, so that no peak is lost.
func thinLine(p []point) []point {
	if len(p) <= few {
		return p
	}
	var out []point
	for from := 0; from < len(p); {
		column := math.Floor(p[from].x)
		low, high, to := from, from, from
		for ; to < len(p) && math.Floor(p[to].x) == column; to++ {
			if p[to].y < p[low].y {
				low = to
			}
			if p[to].y > p[high].y {
				high = to
			}
		}
		last := -1
		for _, i := range []int{from, min(low, high), max(low, high), to - 1} {
			if i != last {
				out = append(out, p[i])
				last = i
			}
		}
		from = to
	}
	return out
}

// thinDots returns the indices of the points to draw: one of those that share a px, and the leftmost, rightmost,
// highest and lowest. All points are in the box.
func thinDots(p []point, box rect) []int {
	var list []int
	if len(p) <= few {
		for i := range p {
			list = append(list, i)
		}
		return list
	}
	columns, rows := int(box.width())+2, int(box.height())+2
	taken := make([]bool, columns*rows)
	cell := func(i int) *bool {
		x := min(max(int(p[i].x-box.x0), 0), columns-1)
		y := min(max(int(p[i].y-box.y0), 0), rows-1)
		return &taken[y*columns+x]
	}
	var extreme [4]int
	for i, q := range p {
		if q.x < p[extreme[0]].x {
			extreme[0] = i
		}
		if q.x > p[extreme[1]].x {
			extreme[1] = i
		}
		if q.y < p[extreme[2]].y {
			extreme[2] = i
		}
		if q.y > p[extreme[3]].y {
			extreme[3] = i
		}
	}
	for _, i := range extreme {
		*cell(i) = true
	}
	for i := range p {
		seen := cell(i)
		if !*seen || i == extreme[0] || i == extreme[1] || i == extreme[2] || i == extreme[3] {
			*seen = true
			list = append(list, i)
		}
	}
	return list
}
