package chart

import (
	"fmt"
	"math"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/spherelab/spherelab/internal/quantity"
)

// fit cuts a text to a number of columns.
func fit(s string, columns int) string {
	return shorten(s, func(t string) bool { return uniseg.StringWidth(t) <= columns })
}

// foldLines breaks a text into at most n lines of a number of columns.
func foldLines(s string, columns, n int) []string {
	return fold(s, n, func(t string) bool { return uniseg.StringWidth(t) <= columns })
}

// padTo fills a text up to a number of columns.
func padTo(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-uniseg.StringWidth(s)))
}

// cells is a plot of characters. Each cell holds either a sign or Braille dots, 2 across and 4 down, which makes dots
// nearly square.
type cells struct {
	w, h  int
	signs []rune
	dots  []byte
}

func newCells(w, h int) *cells {
	return &cells{w, h, make([]rune, w*h), make([]byte, w*h)}
}

// sign puts a character into the cell of a place in dots. With keep, an earlier character stays.
func (c *cells) sign(at point, r rune, keep bool) {
	x, y := int(math.Round(at.x))/2, int(math.Round(at.y))/4
	if x < 0 || x >= c.w || y < 0 || y >= c.h || keep && c.signs[y*c.w+x] != 0 {
		return
	}
	c.signs[y*c.w+x] = r
}

// dot sets one Braille dot.
func (c *cells) dot(at point) {
	x, y := int(math.Round(at.x)), int(math.Round(at.y))
	if x < 0 || x >= 2*c.w || y < 0 || y >= 4*c.h {
		return
	}
	bits := [4][2]byte{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	c.dots[y/4*c.w+x/2] |= bits[y%4][x%2]
}

// alongLine calls put for places along a line, ends included.
func alongLine(from, to point, put func(point)) {
	n := int(max(math.Abs(to.x-from.x), math.Abs(to.y-from.y))) + 1
	for i := 0; i <= n; i++ {
		t := float64(i) / float64(n)
		put(point{from.x + t*(to.x-from.x), from.y + t*(to.y-from.y)})
	}
}

func (c *cells) row(y int) string {
	var b strings.Builder
	for x := 0; x < c.w; x++ {
		i := y*c.w + x
		switch {
		case c.signs[i] != 0:
			b.WriteRune(c.signs[i])
		case c.dots[i] != 0:
			b.WriteRune(rune(0x2800 + int(c.dots[i])))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// page is a chart as text: title, legend, plot with axes, captions.
type page struct {
	o      Options
	legend []string
	notes  []string
	w, h   int // of all of it
}

// room returns the cells of the plot, the ticks of the y axis and the width of their labels.
func (p page) room(y scale) (c *cells, ticks []tick, margin int) {
	rows := p.h - 2 // the x axis
	if p.o.Title != "" {
		rows--
	}
	if p.o.YLabel != "" {
		rows--
	}
	if p.o.XLabel != "" {
		rows--
	}
	rows = max(4, rows-len(p.legendLines()))
	ticks = y.ticks(max(2, rows/3))
	for _, t := range ticks {
		margin = max(margin, len(t.label))
	}
	return newCells(max(10, p.w-margin-2), rows), ticks, margin
}

// legendLines breaks the legend into at most three lines.
func (p page) legendLines() []string {
	var lines []string
	for _, entry := range p.legend {
		entry = fit(entry, p.w)
		last := len(lines) - 1
		if last >= 0 && uniseg.StringWidth(lines[last]+"   "+entry) <= p.w {
			lines[last] += "   " + entry
		} else {
			lines = append(lines, entry)
		}
	}
	if len(lines) > 3 {
		lines = append(lines[:2], "...")
	}
	return lines
}

// join writes the page.
func (p page) join(c *cells, x, y scale, ticks []tick, margin int) string {
	var b strings.Builder
	put := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	if title := clean(p.o.Title); title != "" {
		put(fit(title, p.w))
	}
	for _, line := range p.legendLines() {
		put(line)
	}
	if label := clean(p.o.YLabel); label != "" {
		put(fit(label, p.w))
	}
	y.a, y.b = float64(4*c.h-1), 0
	labels := make(map[int]string)
	for _, t := range ticks {
		if row := int(math.Round(y.at(t.value))) / 4; labels[row] == "" {
			labels[row] = t.label
		}
	}
	for row := 0; row < c.h; row++ {
		side := " │"
		if labels[row] != "" {
			side = " ┤"
		}
		put(strings.Repeat(" ", margin-len(labels[row])) + labels[row] + side + c.row(row))
	}
	line := []rune(strings.Repeat(" ", margin+1) + "└" + strings.Repeat("─", c.w))
	numbers := []byte(strings.Repeat(" ", margin+2+c.w))
	x.a, x.b = 0, float64(c.w-1)
	free := 0
	for _, t := range x.ticks(max(2, c.w/12)) {
		at := margin + 2 + int(math.Round(x.at(t.value)))
		from := max(0, min(at-len(t.label)/2, len(numbers)-len(t.label)))
		if from < free || from+len(t.label) > len(numbers) {
			continue
		}
		line[at] = '┬'
		copy(numbers[from:], t.label)
		free = from + len(t.label) + 1
	}
	put(string(line))
	put(string(numbers))
	if label := clean(p.o.XLabel); label != "" {
		label = fit(label, p.w)
		put(strings.Repeat(" ", max(0, min(margin+2+(c.w-len(label))/2, p.w-uniseg.StringWidth(label)))) + label)
	}
	for _, note := range append([]string{clean(p.o.Caption)}, p.notes...) {
		for _, line := range foldLines(note, p.w, 4) {
			put(line)
		}
	}
	return b.String()
}

// signsOf are the characters of several series.
var signsOf = [...]rune{'●', '○', '▲', '△', '■', '□', '◆', '◇', '+', 'x'}

func (p *plane) text(w, h int) string {
	page := page{o: p.o, notes: p.notes, w: w, h: h}
	if len(p.guides) > 0 {
		page.notes = page.notes[:len(page.notes)-1] // text has no guides
	}
	several := len(p.layers) > 1
	for i, l := range p.layers {
		name := l.name
		if several {
			name = fmt.Sprintf("%c %s", signsOf[i%len(signsOf)], or(name, "series"))
		}
		if name != "" && (several || l.name != "") {
			page.legend = append(page.legend, name)
		}
		for _, m := range l.marks {
			page.legend = append(page.legend, "◎ "+m.whole)
		}
	}
	c, ticks, margin := page.room(p.y)
	x, y := p.x, p.y
	x.a, x.b, y.a, y.b = 0, float64(2*c.w-1), float64(4*c.h-1), 0
	to := func(q point) point { return point{x.at(q.x), y.at(q.y)} }
	for i := len(p.layers) - 1; i >= 0; i-- { // the first series lies above
		l := p.layers[i]
		put := c.dot
		if several {
			put = func(at point) { c.sign(at, signsOf[i%len(signsOf)], false) }
		}
		for _, stretch := range l.stretches {
			for k, q := range stretch {
				if k == 0 || l.hasDots {
					put(to(q))
				} else {
					alongLine(to(stretch[k-1]), to(q), put)
				}
			}
		}
	}
	for _, l := range p.layers {
		for _, m := range l.marks {
			c.sign(to(m.at), '◎', false)
		}
	}
	if p.isEmpty {
		page.notes = append(page.notes, "no data")
	}
	return page.join(c, x, y, ticks, margin)
}

func (p *circlePanel) text(w, h int) string {
	page := page{o: p.o, notes: p.notes(0), w: w, h: h + 4}
	names := make(map[Mark][]string)
	for i := len(p.circles) - 1; i >= 0; i-- {
		if q := p.circles[i]; q.Name != "" {
			names[q.Mark] = append(names[q.Mark], q.Name)
		}
	}
	for _, q := range p.beyond {
		if q.Name != "" {
			names[q.Mark] = append(names[q.Mark], q.Name+" (outside the picture)")
		}
	}
	n, _ := p.counts()
	for _, m := range markOrder {
		if n[m] == 0 {
			continue
		}
		page.legend = append(page.legend, fmt.Sprintf("%c %s (%s)", m.glyph(), m, quantity.Commas(n[m])))
		if list := names[m]; len(list) > 0 {
			page.notes = append(page.notes, fmt.Sprintf("%c %s", m.glyph(),
				strings.Join(list[:min(len(list), 20)], ", ")))
		}
	}
	// The margin depends on the labels, these on the scale, and the scale on the margin: the widest labels of a plot
	// without margin decide.
	_, probe := p.scales(float64(2*w), float64(4*h))
	c, _, margin := page.room(probe)
	x, y := p.scales(float64(2*c.w-1), float64(4*c.h-1))
	x.a, x.b, y.a, y.b = 0, float64(2*c.w-1), float64(4*c.h-1), 0
	ticks := y.ticks(max(2, c.h/3))
	for _, t := range ticks {
		margin = max(margin, len(t.label))
	}
	per := (x.b - x.a) / (x.hi - x.lo)
	for _, q := range p.circles {
		r := math.Abs(q.R) * per
		steps := max(8, int(7*r))
		for i := 0; i < steps; i++ {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(steps))
			c.dot(point{x.at(q.X) + r*cos, y.at(q.Y) - r*sin})
		}
	}
	for _, q := range p.circles {
		c.sign(point{x.at(q.X), y.at(q.Y)}, q.Mark.glyph(), false)
	}
	for _, q := range p.beyond {
		at, _, _ := edge(rect{x.a, y.b, x.b, y.a}, point{x.at(q.X), y.at(q.Y)})
		c.sign(at, q.Mark.glyph(), false)
	}
	return page.join(c, x, y, ticks, margin)
}

func (p *barPanel) text(w, _ int) string {
	var b strings.Builder
	put := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	if title := clean(p.o.Title); title != "" {
		put(fit(title, w))
	}
	if len(p.names) == 0 || len(p.series) == 0 {
		put("no data")
		return b.String()
	}
	side := 0
	for _, name := range p.names {
		side = max(side, uniseg.StringWidth(name))
	}
	label := 0
	for _, s := range p.series {
		if len(p.series) > 1 {
			label = max(label, min(12, uniseg.StringWidth(s.Name)))
		}
	}
	if label > 0 {
		label++
	}
	side = min(side, w*2/5)
	x := p.x
	x.a, x.b = 0, float64(8*(w-side-label-12))
	zero := x.at(0)
	const maximum = 40
	for r, name := range p.names {
		if r == maximum {
			put(fmt.Sprintf("and %s more", quantity.Commas(len(p.names)-maximum)))
			break
		}
		for i, s := range p.series {
			if i > 0 {
				name = ""
			}
			line := padTo(fit(name, side), side) + " "
			if label > 0 {
				line += padTo(fit(s.Name, label-1), label)
			}
			put(line + textBar(s.Y[r], zero, x))
		}
	}
	for _, s := range []string{clean(p.o.XLabel), clean(p.o.Caption)} {
		for _, line := range foldLines(s, w, 4) {
			put(line)
		}
	}
	return b.String()
}

// textBar draws a bar in eighths of a column, and its value. Left of zero only whole columns can be drawn.
func textBar(v, zero float64, x scale) string {
	left := int(math.Round(zero / 8))
	if !finite(v) {
		return strings.Repeat(" ", left) + "│" + number(v)
	}
	size := math.Abs(x.at(v) - zero)
	if v < 0 {
		n := min(int(math.Round(size/8)), left)
		return strings.Repeat(" ", left-n) + strings.Repeat("█", n) + "│" + number(v)
	}
	eighths := int(math.Round(size))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return strings.Repeat(" ", left) + "│" + bar + " " + number(v)
}
