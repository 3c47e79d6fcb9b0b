package chart

// Places is the number of styles of lines, and Colors the number of colours. Lines whose places differ by a multiple of
// Colors have the same colour and different dashes.
const (
	Places = maxSeries
	Colors = 7
)

// PlaceOf returns the place of a colour, from 0 to below [Colors], with the nth kind of line, from 0: a solid one, then
// three kinds of dashes. Then the kinds repeat.
func PlaceOf(color, kind int) int {
	for i := range Places {
		if i%Colors == color && i%kinds == kind%kinds {
			return i + 1
		}
	}
	panic("chart: there is no such colour")
}

// Swatch returns a small picture of the line of a place, 1 to [Places], as an SVG element for a page. It is shown next
// to a name, and screen readers ignore it. Other places have no line.
func Swatch(place int) string {
	s := new(svg)
	s.b.WriteString(`<svg class="swatch" width="26" height="10" viewBox="0 0 26 10" aria-hidden="true">`)
	if place >= 1 && place <= Places {
		s.polyline([]point{{1, 5}, {25, 5}}, stroke{color: hue(place - 1), width: 3, dash: dashes(place - 1)})
	}
	s.b.WriteString("</svg>")
	return s.b.String()
}
