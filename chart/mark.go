package chart

import (
	"fmt"
	"image/color"
)

// Mark is what a circle is to a query. It decides colour, line and the sign at the centre.
type Mark int

// Marks. Each has a sign of its own besides its colour.
const (
	Untouched Mark = iota // neither in the answer set nor a fact of the graph: the zero value
	Near                  // near the head, where nothing is asked
	Known                 // in the answer set; training or validation holds the fact
	HeldOut               // in the answer set; the test split alone holds the fact
	Inferred              // in the answer set; no split holds the fact
	Missed                // a fact of the graph that is not in the answer set
	Head                  // the known side of the query
	Rotated               // the known side moved by the relation: what the answers touch
	marks
)

// String returns the mark's name in the legend.
func (m Mark) String() string {
	switch m {
	case Untouched:
		return "not touched"
	case Near:
		return "near"
	case Known:
		return "answer, known"
	case HeldOut:
		return "answer, held out"
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

// markOrder is the order of the legend.
var markOrder = [...]Mark{Head, Rotated, Known, HeldOut, Inferred, Missed, Near, Untouched}

// look returns how circles of a mark are drawn.
func (m Mark) look() (line stroke, fill color.NRGBA) {
	switch m {
	case Known:
		return stroke{color: blue, width: 1.8}, fade(blue, 0.14)
	case HeldOut:
		return stroke{color: green, width: 1.8}, fade(green, 0.14)
	case Inferred:
		return stroke{color: red, width: 1.8}, fade(red, 0.14)
	case Missed:
		return stroke{color: blue, width: 1.4, dash: []float64{3, 3}}, none
	case Head:
		return stroke{color: black, width: 2}, fade(black, 0.05)
	case Rotated:
		return stroke{color: black, width: 2, dash: []float64{6, 4}}, fade(black, 0.05)
	}
	width := 1.
	if m == Near {
		width = 1.8
	}
	return stroke{color: grey, width: width}, none
}

// sign draws the centre of a circle of a mark.
func (m Mark) sign(s surface, c point) {
	line, _ := m.look()
	triangle := []point{{c.x, c.y - 5}, {c.x + 4.5, c.y + 3.5}, {c.x - 4.5, c.y + 3.5}}
	switch m {
	case Known:
		s.circle(c, 3.5, line.color, stroke{})
	case HeldOut:
		s.rect(rect{c.x - 3, c.y - 3, c.x + 3, c.y + 3}, line.color)
	case Inferred:
		s.polygon([]point{{c.x, c.y - 4.5}, {c.x + 4.5, c.y}, {c.x, c.y + 4.5}, {c.x - 4.5, c.y}}, line.color, stroke{})
	case Missed:
		s.circle(c, 3, white, stroke{color: line.color, width: 1.5})
	case Head:
		s.polygon(triangle, line.color, stroke{})
	case Rotated:
		s.polygon(triangle, white, stroke{color: line.color, width: 1.5})
	case Near:
		s.circle(c, 3, line.color, stroke{})
	default:
		s.circle(c, 2, line.color, stroke{})
	}
}

// glyph returns the sign of a mark in text.
func (m Mark) glyph() rune {
	return [...]rune{'·', '•', '●', '■', '◆', '○', '▲', '△'}[m]
}
