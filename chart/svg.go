package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"strconv"
)

// family is Liberation Sans, which the layout measures, and fonts of nearly the same sizes.
const family = "Liberation Sans, Arial, Helvetica, sans-serif"

// svg writes SVG elements. It uses presentation attributes only, which no content security policy refuses.
type svg struct {
	b      bytes.Buffer
	isDark bool
}

func newSVG(width, height int, title, summary string) *svg {
	s := new(svg)
	label := clean(title)
	if label == "" {
		label = summary
	}
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img"`,
		width, height, width, height)
	s.attr("font-family", family)
	s.attr("aria-label", label)
	s.b.WriteString(">\n")
	s.element("title", label)
	if label != summary {
		s.element("desc", summary)
	}
	return s
}

func (s *svg) bytes() []byte {
	s.b.WriteString("</svg>\n")
	return s.b.Bytes()
}

// escape writes text. Characters that XML does not have become U+FFFD.
func (s *svg) escape(text string) {
	_ = xml.EscapeText(&s.b, []byte(text)) // a buffer takes everything
}

func (s *svg) element(name, text string) {
	s.b.WriteString("<" + name + ">")
	s.escape(text)
	s.b.WriteString("</" + name + ">\n")
}

func (s *svg) attr(name, value string) {
	s.b.WriteString(" " + name + `="`)
	s.escape(value)
	s.b.WriteByte('"')
}

// number writes v with two decimals at most.
func (s *svg) number(v float64) {
	v = math.Round(v*100) / 100
	if v == 0 {
		v = 0 // no minus before it
	}
	s.b.Write(strconv.AppendFloat(s.b.AvailableBuffer(), v, 'f', -1, 64))
}

func (s *svg) length(name string, v float64) {
	s.b.WriteString(" " + name + `="`)
	s.number(v)
	s.b.WriteByte('"')
}

func (s *svg) paint(name string, c color.NRGBA) {
	if c.A == 0 {
		s.b.WriteString(" " + name + `="none"`)
		return
	}
	if s.isDark {
		c = onDark(c)
	}
	fmt.Fprintf(&s.b, ` %s="#%02x%02x%02x"`, name, c.R, c.G, c.B)
	if c.A != 255 {
		s.length(name+"-opacity", float64(c.A)/255)
	}
}

func (s *svg) stroke(st stroke) {
	if st.width == 0 {
		return
	}
	s.paint("stroke", st.color)
	s.length("stroke-width", st.width)
	if st.dash != nil {
		s.b.WriteString(` stroke-dasharray="`)
		for i, d := range st.dash {
			if i > 0 {
				s.b.WriteByte(' ')
			}
			s.number(d)
		}
		s.b.WriteByte('"')
	}
}

func (s *svg) points(p []point) {
	s.b.WriteString(` points="`)
	for i, q := range p {
		if i > 0 {
			s.b.WriteByte(' ')
		}
		s.number(q.x)
		s.b.WriteByte(',')
		s.number(q.y)
	}
	s.b.WriteByte('"')
}

func (s *svg) open(class, title string) {
	s.b.WriteString("<g")
	s.attr("class", class)
	s.b.WriteString(">\n")
	if title != "" {
		s.element("title", title)
	}
}

func (s *svg) close() { s.b.WriteString("</g>\n") }

func (s *svg) area(r rect, x, y scale) {
	s.b.WriteString(`<rect class="area"`)
	s.length("x", r.x0)
	s.length("y", r.y0)
	s.length("width", r.width())
	s.length("height", r.height())
	for _, a := range []struct {
		name string
		s    scale
	}{{"x", x}, {"y", y}} {
		s.attr("data-"+a.name+"min", strconv.FormatFloat(a.s.lo, 'g', -1, 64))
		s.attr("data-"+a.name+"max", strconv.FormatFloat(a.s.hi, 'g', -1, 64))
		s.attr("data-"+a.name+"log", strconv.FormatBool(a.s.isLog))
	}
	s.b.WriteString(` fill="none" pointer-events="all"/>` + "\n")
}

func (s *svg) rect(r rect, fill color.NRGBA) {
	s.b.WriteString("<rect")
	s.length("x", r.x0)
	s.length("y", r.y0)
	s.length("width", r.width())
	s.length("height", r.height())
	s.paint("fill", fill)
	s.b.WriteString("/>\n")
}

func (s *svg) polyline(p []point, st stroke) {
	s.b.WriteString("<polyline")
	s.points(p)
	s.b.WriteString(` fill="none"`)
	s.stroke(st)
	s.b.WriteString(` stroke-linejoin="round"/>` + "\n")
}

func (s *svg) polygon(p []point, fill color.NRGBA, st stroke) {
	s.b.WriteString("<polygon")
	s.points(p)
	s.paint("fill", fill)
	s.stroke(st)
	s.b.WriteString("/>\n")
}

func (s *svg) circle(c point, radius float64, fill color.NRGBA, st stroke) {
	s.b.WriteString("<circle")
	s.length("cx", c.x)
	s.length("cy", c.y)
	s.length("r", radius)
	s.paint("fill", fill)
	s.stroke(st)
	s.b.WriteString("/>\n")
}

// dots writes one path of points with round ends: a third of the size of as many circles.
func (s *svg) dots(p []point, radius float64, fill color.NRGBA) {
	if len(p) == 0 {
		return
	}
	s.b.WriteString(`<path class="dots" d="`)
	for _, q := range p {
		s.b.WriteByte('M')
		s.number(q.x)
		s.b.WriteByte(' ')
		s.number(q.y)
		s.b.WriteString("h0")
	}
	s.b.WriteString(`" fill="none" stroke-linecap="round"`)
	s.stroke(stroke{color: fill, width: 2 * radius})
	s.b.WriteString("/>\n")
}

func (s *svg) text(at point, text string, f font) {
	if text == "" {
		return
	}
	s.b.WriteString("<text")
	s.length("x", at.x)
	s.length("y", at.y)
	s.length("font-size", f.size)
	s.paint("fill", f.color)
	switch f.align {
	case middle:
		s.b.WriteString(` text-anchor="middle"`)
	case end:
		s.b.WriteString(` text-anchor="end"`)
	}
	if f.fits {
		s.length("textLength", measure(text, f.size))
		s.attr("lengthAdjust", "spacingAndGlyphs")
	}
	if f.hasHalo {
		s.b.WriteString(` paint-order="stroke"`)
		s.stroke(stroke{color: white, width: 3})
		s.b.WriteString(` stroke-linejoin="round"`)
	}
	s.b.WriteByte('>')
	s.escape(text)
	s.b.WriteString("</text>\n")
}
