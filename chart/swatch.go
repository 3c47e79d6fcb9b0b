package chart

// Places is how many looks lines have, and Colors how many colours: lines whose places differ by a multiple of Colors
// have one colour and other dashes.
const (
	Places = mostSeries
	Colors = 7
)

// PlaceOf is the place of a colour, from 0 to below [Colors], with the nth kind of line, from 0: a whole one, then
// three kinds of dashes. Further kinds are the first ones again.
func PlaceOf(color, kind int) int {
	for i := range Places {
		if i%Colors == color && i%kinds == kind%kinds {
			return i + 1
		}
	}
	panic("chart: there is no such colour")
}

// Swatch is a small picture of the line of a place, 1 to [Places], as an SVG element for a page: it stands beside a
// name and says nothing to a screen reader. Other places have no line.
func Swatch(place int) string {
	s := new(svg)
	s.b.WriteString(`<svg class="swatch" width="26" height="10" viewBox="0 0 26 10" aria-hidden="true">`)
	if place >= 1 && place <= Places {
		s.polyline([]point{{1, 5}, {25, 5}}, stroke{color: hue(place - 1), width: 3, dash: dashes(place - 1)})
	}
	s.b.WriteString("</svg>")
	return s.b.String()
}
