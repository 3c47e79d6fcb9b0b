package chart

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"image/color"
	"strconv"
	"unicode/utf16"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// pdf draws one page of vectors. Letters are outlines: no font has to be embedded, and every character that the
// built-in font has is drawn. gonum's PDF canvas is not used: it has the characters of Western Europe only, and
// writes the time into the file. The operators are those of ISO 32000, 8.4 and 8.5.
type pdf struct {
	content       bytes.Buffer
	width, height int
	alphas        []uint8 // of the graphics states, in the order of their first use
	buf           sfnt.Buffer
}

// pointsPerPx is 72/96: a px is 1/96 inch.
const pointsPerPx = 0.75

func newPDF(width, height int) *pdf {
	p := &pdf{width: width, height: height}
	// From now on lengths are in px, and y points down. Joins of lines are round.
	p.put("%v 0 0 -%v 0 %v cm 1 j\n", pointsPerPx, pointsPerPx, pointsPerPx*float64(height))
	return p
}

func (p *pdf) put(format string, args ...any) { fmt.Fprintf(&p.content, format, args...) }

// numbers writes numbers and an operator.
func (p *pdf) numbers(operator string, list ...float64) {
	for _, x := range list {
		p.content.Write(strconv.AppendFloat(p.content.AvailableBuffer(), x, 'f', 2, 64))
		p.content.WriteByte(' ')
	}
	p.content.WriteString(operator + "\n")
}

// bytes returns the file, with the title in its properties.
func (p *pdf) bytes(title string) ([]byte, error) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(p.content.Bytes()); err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	states := ""
	for i, a := range p.alphas {
		states += fmt.Sprintf("/A%d<</ca %.3f/CA %.3f>>", i, float64(a)/255, float64(a)/255)
	}
	name := []byte{0xfe, 0xff}
	for _, c := range utf16.Encode([]rune(title)) {
		name = append(name, byte(c>>8), byte(c))
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %v %v]/Contents 4 0 R/Resources<</ExtGState<<%s>>>>>>",
			pointsPerPx*float64(p.width), pointsPerPx*float64(p.height), states),
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		"<</Title<" + hex.EncodeToString(name) + ">>>",
	}
	var places []int
	for i, object := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes(), nil
}

func (p *pdf) open(string, string)     {}
func (p *pdf) close()                  {}
func (p *pdf) area(rect, scale, scale) {}

// paint sets a colour for fills ("rg") or lines ("RG").
func (p *pdf) paint(operator string, c color.NRGBA) {
	p.numbers(operator, float64(c.R)/255, float64(c.G)/255, float64(c.B)/255)
	state := 0
	for state < len(p.alphas) && p.alphas[state] != c.A {
		state++
	}
	if state == len(p.alphas) {
		p.alphas = append(p.alphas, c.A)
	}
	p.put("/A%d gs\n", state)
}

// draw fills and strokes the path that trace writes.
func (p *pdf) draw(trace func(), fill color.NRGBA, st stroke) {
	if fill.A > 0 {
		p.paint("rg", fill)
		trace()
		p.put("f\n")
	}
	if st.width > 0 && st.color.A > 0 {
		p.paint("RG", st.color)
		p.numbers("w", st.width)
		p.put("[")
		for _, d := range st.dash {
			p.put("%v ", d)
		}
		p.put("] 0 d\n")
		trace()
		p.put("S\n")
	}
}

func (p *pdf) path(list []point, closed bool) func() {
	return func() {
		for i, q := range list {
			if i == 0 {
				p.numbers("m", q.x, q.y)
			} else {
				p.numbers("l", q.x, q.y)
			}
		}
		if closed {
			p.put("h\n")
		}
	}
}

func (p *pdf) rect(r rect, fill color.NRGBA) {
	p.draw(func() { p.numbers("re", r.x0, r.y0, r.width(), r.height()) }, fill, stroke{})
}

func (p *pdf) polyline(list []point, st stroke) { p.draw(p.path(list, false), none, st) }

func (p *pdf) polygon(list []point, fill color.NRGBA, st stroke) {
	p.draw(p.path(list, true), fill, st)
}

// disc traces a circle of four curves.
func (p *pdf) disc(c point, r float64) {
	const k = 0.5523 // of the radius: the curves are then within 0.03 % of it
	p.numbers("m", c.x+r, c.y)
	p.numbers("c", c.x+r, c.y+k*r, c.x+k*r, c.y+r, c.x, c.y+r)
	p.numbers("c", c.x-k*r, c.y+r, c.x-r, c.y+k*r, c.x-r, c.y)
	p.numbers("c", c.x-r, c.y-k*r, c.x-k*r, c.y-r, c.x, c.y-r)
	p.numbers("c", c.x+k*r, c.y-r, c.x+r, c.y-k*r, c.x+r, c.y)
	p.put("h\n")
}

func (p *pdf) circle(c point, radius float64, fill color.NRGBA, st stroke) {
	p.draw(func() { p.disc(c, radius) }, fill, st)
}

func (p *pdf) dots(list []point, radius float64, fill color.NRGBA) {
	p.draw(func() {
		for _, q := range list {
			p.disc(q, radius)
		}
	}, fill, stroke{})
}

func (p *pdf) text(at point, s string, f font) {
	if s == "" {
		return
	}
	at, s = f.begin(at, s)
	if f.hasHalo {
		p.draw(func() { p.outlines(at, s, f.size) }, none, stroke{color: white, width: 3})
	}
	p.draw(func() { p.outlines(at, s, f.size) }, f.color, stroke{})
}

// outlines traces the letters of a text. A character that the font lacks becomes a box, as in a PNG.
func (p *pdf) outlines(at point, s string, size float64) {
	face := regular()
	units := fixed.Int26_6(face.UnitsPerEm())
	per := size / float64(units) // px per unit of the font, whose 26.6 numbers are counted as whole
	for _, run := range split(s) {
		width := run.width(size)
		x := at.x
		for _, c := range run.text {
			index, err := face.GlyphIndex(&p.buf, c)
			if !run.isKnown || err != nil {
				continue
			}
			segments, err := face.LoadGlyph(&p.buf, index, units, nil)
			if err != nil {
				continue
			}
			p.glyph(segments, point{x, at.y}, per)
			if advance, err := face.GlyphAdvance(&p.buf, index, units, 0); err == nil {
				x += per * float64(advance)
			}
		}
		if !run.isKnown && width > 2 {
			p.box(rect{at.x + 1, at.y - 0.72*size, at.x + width - 1, at.y})
		}
		at.x += width
	}
}

// box traces a frame: two rectangles of opposite directions, so that the inner one stays empty.
func (p *pdf) box(r rect) {
	const line = 0.8
	p.numbers("re", r.x0, r.y0, r.width(), r.height())
	p.numbers("re", r.x1-line, r.y0+line, 2*line-r.width(), r.height()-2*line)
}

func (p *pdf) glyph(segments sfnt.Segments, at point, per float64) {
	var last point
	to := func(q fixed.Point26_6) point { return point{at.x + per*float64(q.X), at.y + per*float64(q.Y)} }
	begun := false
	for _, s := range segments {
		a, b, c := to(s.Args[0]), to(s.Args[1]), to(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if begun {
				p.put("h\n")
			}
			begun = true
			p.numbers("m", a.x, a.y)
			last = a
		case sfnt.SegmentOpLineTo:
			p.numbers("l", a.x, a.y)
			last = a
		case sfnt.SegmentOpQuadTo: // a quadratic curve as a cubic one
			p.numbers("c", last.x+2*(a.x-last.x)/3, last.y+2*(a.y-last.y)/3, b.x+2*(a.x-b.x)/3, b.y+2*(a.y-b.y)/3, b.x,
				b.y)
			last = b
		case sfnt.SegmentOpCubeTo:
			p.numbers("c", a.x, a.y, b.x, b.y, c.x, c.y)
			last = c
		}
	}
	if begun {
		p.put("h\n")
	}
}
