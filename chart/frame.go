package chart

import (
	"fmt"
	"strconv"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Sizes of text and space, in px.
const (
	pad         = 14
	titleSize   = 16.0
	textSize    = 12.0
	smallSize   = 11.5
	titleLine   = 21
	textLine    = 18
	smallLine   = 16
	sampleWidth = 30 // of a key's picture and the gap after it
	leastPlot   = 40 // height that a plot must have
)

// key is an entry of the legend. Its sample is drawn in 24 px to the right of the place, which is at half the height of
// the text.
type key struct {
	name   string
	sample func(s surface, at point)
}

// frame surrounds the marks of a chart: title, legend, axes, captions.
type frame struct {
	o       Options
	title   []string
	keys    [][]placed // rows of the legend
	caption []string
	plot    rect // where the marks are
}

type placed struct {
	key  key
	name string // the key's name, cut to the room
	x    float64
}

// widerFont is how much wider a browser's font may be than Liberation Sans, which measures the text. If no font has the
// widths of Arial, browsers use DejaVu Sans.
const widerFont = 1.15

// captionWidth is the width of the lines below a chart, as Liberation Sans measures it.
func captionWidth(box rect) float64 { return (box.width() - 2*pad) / widerFont }

// newFrame lays out a chart in a box whose y axis needs left px. The notes are the chart's own remarks on its data;
// they stand below the caption.
func newFrame(o Options, box rect, keys []key, notes []string, left float64) (frame, error) {
	f := frame{o: o}
	f.o.Title, f.o.XLabel, f.o.YLabel = clean(o.Title), clean(o.XLabel), clean(o.YLabel)
	width := box.width() - 2*pad
	f.title = wrap(f.o.Title, titleSize, width, 2)
	f.keys = legend(keys, box.x0+pad, width)
	f.caption = wrap(clean(o.Caption), smallSize, captionWidth(box), 4)
	if o.Plain {
		notes = nil
	}
	for _, note := range notes {
		f.caption = append(f.caption, wrap(note, smallSize, captionWidth(box), 2)...)
	}
	f.plot = rect{box.x0 + pad + left, box.y0 + pad, box.x1 - pad - 10, box.y1 - pad}
	f.plot.y0 += titleLine*float64(len(f.title)) + textLine*float64(len(f.keys)) + 8
	if f.o.YLabel != "" {
		f.plot.y0 += smallLine + 2
	}
	if len(f.caption) > 0 {
		f.plot.y1 -= smallLine*float64(len(f.caption)) + 4
	}
	if f.o.XLabel != "" {
		f.plot.y1 -= smallLine + 2
	}
	f.plot.y1 -= smallLine + 4 // the numbers of the x axis
	if f.plot.height() < leastPlot || f.plot.width() < leastPlot {
		return f, limitf("%.0f x %.0f px leave no room for the data next to title, legend, names and caption: "+
			"raise Height or Width, or shorten them", box.width(), box.height())
	}
	return f, nil
}

// legend breaks keys into at most five rows, which hold ten names of half the width. If there are more, the last entry
// counts the rest.
func legend(keys []key, x0, width float64) [][]placed {
	const gap, maximum = 18, 5
	var rows [][]placed
	x := width + 1
	for i, k := range keys {
		name := shortenTo(k.name, textSize, width/2-sampleWidth)
		w := sampleWidth + measure(name, textSize)
		if x+w > width {
			if len(rows) == maximum {
				rest := fmt.Sprintf("and %s more", quantity.Commas(len(keys)-i))
				last := rows[maximum-1]
				for len(last) > 1 && x+measure(rest, textSize) > width {
					i--
					rest = fmt.Sprintf("and %s more", quantity.Commas(len(keys)-i))
					x = last[len(last)-1].x - x0
					last = last[:len(last)-1]
				}
				rows[maximum-1] = append(last, placed{name: rest, x: x0 + x})
				return rows
			}
			rows = append(rows, nil)
			x = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], placed{k, name, x0 + x})
		x += w + gap
	}
	return rows
}

// draw draws everything but the marks.
func (f frame) draw(s surface, box rect, x, y scale, yticks []tick) {
	f.head(s, box)
	f.axes(s, box, x, y, yticks)
	f.foot(s, box)
}

// head draws the title and the legend.
func (f frame) head(s surface, box rect) {
	at := point{box.x0 + pad, box.y0 + pad}
	s.open("head", titleOf(f.o.Title, f.title))
	for _, line := range f.title {
		s.text(point{at.x, at.y + titleSize - 2}, line, font{size: titleSize, color: ink})
		at.y += titleLine
	}
	s.close()
	if len(f.keys) > 0 {
		s.open("legend", "")
		for _, row := range f.keys {
			for _, p := range row {
				if p.key.sample == nil {
					s.text(point{p.x, at.y + 13}, p.name, font{size: textSize, color: faint})
					continue
				}
				title := ""
				if p.name != p.key.name {
					title = p.key.name
				}
				s.open("key", title)
				p.key.sample(s, point{p.x, at.y + 9})
				s.text(point{p.x + sampleWidth, at.y + 13}, p.name, font{size: textSize, color: ink, fits: true})
				s.close()
			}
			at.y += textLine
		}
		s.close()
	}
	if f.o.YLabel != "" {
		label := shortenTo(f.o.YLabel, smallSize, box.width()-2*pad)
		s.text(point{at.x, at.y + 15}, label, font{size: smallSize, color: faint})
	}
}

func (f frame) axes(s surface, box rect, x, y scale, yticks []tick) {
	s.open("axes", "")
	for _, t := range yticks {
		v := y.at(t.value)
		s.polyline([]point{{f.plot.x0, v}, {f.plot.x1, v}}, stroke{color: grid, width: 1})
		s.text(point{f.plot.x0 - 7, v + 4}, t.label, font{size: smallSize, color: faint, align: end})
	}
	f.numbers(s, box, x)
	s.polyline([]point{{f.plot.x0, f.plot.y1}, {f.plot.x1, f.plot.y1}}, stroke{color: axis, width: 1})
	s.close()
}

// foot draws the lines below the axes.
func (f frame) foot(s surface, box rect) {
	below := f.plot.y1 + smallLine + 4
	if f.o.XLabel != "" {
		below += smallLine + 2
		label := shortenTo(f.o.XLabel, smallSize, box.width()-2*pad)
		s.text(point{labelPlace(f.plot, box, label), below - 5}, label,
			font{size: smallSize, color: faint, align: middle})
	}
	below += 4
	for _, line := range f.caption {
		s.text(point{box.x0 + pad, below + 11}, line, font{size: smallSize, color: faint})
		below += smallLine
	}
}

// labelPlace returns the middle of the x axis, or the nearest place where a long label fits.
func labelPlace(plot, box rect, label string) float64 {
	half := measure(label, smallSize) / 2
	x := (plot.x0 + plot.x1) / 2
	return max(min(x, box.x1-pad-half), box.x0+pad+half)
}

// numbers draws as many labels of the x axis, and their lines, as have room.
func (f frame) numbers(s surface, box rect, x scale) {
	n := int(f.plot.width() / 42)
	list := x.ticks(n)
	for ; n > 1 && x.texts == nil; n-- {
		widest := 0.0
		for _, t := range list {
			widest = max(widest, measure(t.label, smallSize))
		}
		if float64(len(list))*(widest+14) <= f.plot.width()+widest {
			break
		}
		list = x.ticks(n - 1)
	}
	for _, t := range list {
		v := x.at(t.value)
		s.polyline([]point{{v, f.plot.y0}, {v, f.plot.y1}}, stroke{color: grid, width: 1})
		s.polyline([]point{{v, f.plot.y1}, {v, f.plot.y1 + 4}}, stroke{color: axis, width: 1})
		look := font{size: smallSize, color: faint, align: middle}
		if x.texts != nil { // each has its share of the axis
			text := shortenTo(t.label, smallSize, (f.plot.width()/float64(len(list))-6)/widerFont)
			s.open("tick", titleOf(t.label, []string{text}))
			s.text(point{v, f.plot.y1 + 16}, text, look)
			s.close()
			continue
		}
		half := measure(t.label, smallSize) / 2
		place := max(min(v, box.x1-3-half), box.x0+3+half)
		s.text(point{place, f.plot.y1 + 16}, t.label, look)
	}
}

// yTicks returns the labels of the y axis of a plot of a height, and the width in px that they need.
func yTicks(y scale, height float64) (list []tick, left float64) {
	list = y.ticks(int(max(2, height/34)))
	for _, t := range list {
		left = max(left, measure(t.label, smallSize)+7)
	}
	return list, left
}

// noData writes into an empty plot that it is empty.
func noData(s surface, plot rect) {
	at := point{(plot.x0 + plot.x1) / 2, (plot.y0 + plot.y1) / 2}
	s.text(at, "no data", font{size: textSize, color: faint, align: middle})
}

// titleOf returns the whole text if its lines do not show all of it, else "".
func titleOf(whole string, lines []string) string {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	if n-1 == len(whole) || whole == "" {
		return ""
	}
	return whole
}

// named returns the name of an item for messages: the caller's name, or its place in the list.
func named(name string, kind string, i int) string {
	if name == "" {
		return kind + " " + strconv.Itoa(i+1)
	}
	return kind + " " + strconv.Quote(shorten(clean(name), func(s string) bool { return len(s) <= 80 }))
}
