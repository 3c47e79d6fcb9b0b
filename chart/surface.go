package chart

import "image/color"

// point is a place in px, x to the right and y downwards, or a point of the data.
type point struct{ x, y float64 }

// rect is a rectangle in px: left, top, right, bottom.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }

func (r rect) overlaps(q rect) bool { return r.x0 < q.x1 && q.x0 < r.x1 && r.y0 < q.y1 && q.y0 < r.y1 }
func (r rect) contains(q rect) bool {
	return r.x0 <= q.x0 && q.x1 <= r.x1 && r.y0 <= q.y0 && q.y1 <= r.y1
}

// stroke is how a line is drawn. Width 0 draws none.
type stroke struct {
	color color.NRGBA
	width float64
	dash  []float64 // lengths of dashes and gaps; nil is solid
}

// align is which point of a text is at its place.
type align int

const (
	start align = iota
	middle
	end
)

// font is how a text is drawn. Its place is on the base line.
type font struct {
	size    float64
	color   color.NRGBA
	align   align
	hasHalo bool // a white rim, for text over marks
	fits    bool // as wide as measured, even if a browser uses a wider font
}

// surface is what charts draw on.
type surface interface {
	// open begins a group of a class. The title is what a viewer shows for it; close ends it.
	open(class, title string)
	close()
	// area records where the axes are, for scripts.
	area(r rect, x, y scale)
	rect(r rect, fill color.NRGBA)
	polyline(p []point, st stroke)
	polygon(p []point, fill color.NRGBA, st stroke)
	circle(centre point, radius float64, fill color.NRGBA, st stroke)
	// dots draws many discs of one size.
	dots(p []point, radius float64, fill color.NRGBA)
	text(at point, s string, f font)
}

// The colours. Those of data are Okabe and Ito's, which people with the common kinds of colour blindness distinguish.
// Their yellow is left out: it cannot be seen on white.
var (
	none   = color.NRGBA{}
	white  = color.NRGBA{255, 255, 255, 255}
	ink    = color.NRGBA{0x22, 0x22, 0x22, 255} // titles and names
	faint  = color.NRGBA{0x55, 0x55, 0x55, 255} // numbers, captions
	axis   = color.NRGBA{0x77, 0x77, 0x77, 255}
	grid   = color.NRGBA{0xe4, 0xe4, 0xe4, 255}
	grey   = color.NRGBA{0x8c, 0x8c, 0x8c, 255} // marks that matter less
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 255}
	red    = color.NRGBA{0xd5, 0x5e, 0x00, 255}
	green  = color.NRGBA{0x00, 0x9e, 0x73, 255}
	purple = color.NRGBA{0xcc, 0x79, 0xa7, 255}
	orange = color.NRGBA{0xe6, 0x9f, 0x00, 255}
	sky    = color.NRGBA{0x56, 0xb4, 0xe9, 255}
	black  = color.NRGBA{0, 0, 0, 255}
)

// hue returns the colour of series i.
func hue(i int) color.NRGBA {
	switch i % Colors {
	case 0:
		return blue
	case 1:
		return red
	case 2:
		return green
	case 3:
		return purple
	case 4:
		return orange
	case 5:
		return sky
	}
	return black
}

func fade(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(alpha*255 + 0.5)
	return c
}
