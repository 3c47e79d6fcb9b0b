package chart

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Bar draws horizontal bars. There is one row for each name and in it one bar for each series, whose Y has a value
// for each name: for example F1 per relation, of head and of tail queries. Values may be negative; NaN is written as
// text. Long names are cut in the middle, and their title has all of them. Low and High are error bars. X, Names and
// Marked of the series are not used. At most 500 bars: sort them and take the first.
func Bar(o Options, names []string, series ...Series) Chart { return Chart{o, bars{names, series}} }

type bars struct {
	names  []string
	series []Series
}

const (
	maxBars = 500
	barSize = 14.0
	rowGap  = 8.0
)

func (b bars) row() float64 { return barSize*float64(max(1, len(b.series))) + rowGap }

func (b bars) size(o Options) (w, h int) {
	h = 2*pad + int(b.row()*float64(len(b.names))) + 60
	if o.Title != "" {
		h += 2 * titleLine
	}
	if len(b.series) > 1 {
		h += 2 * textLine
	}
	if o.Caption != "" {
		h += 2*smallLine + 4
	}
	if o.XLabel != "" || o.YLabel != "" {
		h += 2 * smallLine
	}
	return 640, max(h, minHeight)
}

// barPanel is a checked bar chart.
type barPanel struct {
	bars
	o Options
	x scale
}

func (b bars) prepare(o Options) (panel, error) {
	if o.LogX || o.LogY {
		return nil, fmt.Errorf("chart: the bars of Bar begin at 0: leave LogX and LogY out")
	}
	if len(b.series) > maxSeries {
		return nil, limitf("%s: more than %d cannot be distinguished",
			quantity.CommaCountOf(len(b.series), "series", "series"),
			maxSeries)
	}
	if n := len(b.names) * max(1, len(b.series)); n > maxBars {
		return nil, limitf("%s are more than Bar draws (%d): sort them and take the first",
			quantity.CommaCount(n, "bar"), maxBars)
	}
	clear := bars{}
	for _, name := range b.names {
		clear.names = append(clear.names, clean(name))
	}
	var xs span
	for i, s := range b.series {
		if len(s.Y) != len(b.names) {
			return nil, fmt.Errorf("chart: %s has %s, but there are %s of rows: a series needs one value per row",
				named(s.Name, "series", i), quantity.CommaCount(len(s.Y), "Y value"),
				quantity.CommaCount(len(b.names), "name"))
		}
		s.X, s.Names, s.Marked = nil, nil, nil
		if err := s.check(i); err != nil {
			return nil, err
		}
		for k, v := range s.Y {
			if finite(v) {
				xs.add(v)
			}
			if low, high, ok := s.bound(k); ok {
				xs.add(low)
				xs.add(high)
			}
		}
		s.Name = clean(s.Name)
		clear.series = append(clear.series, s)
	}
	if xs.hasAny {
		xs.add(0) // a bar's length is its value only from 0
	}
	x, err := xs.scale("x", false, 0)
	if err != nil {
		return nil, err
	}
	if xs.hasAny && xs.lo == 0 && xs.hi == 0 {
		x.lo, x.hi = 0, 1
	}
	return &barPanel{clear, o, x}, nil
}

func (p *barPanel) left(box rect) float64 {
	left := 0.0
	for _, name := range p.names {
		left = max(left, measure(name, textSize)+10)
		if left > 0.4*box.width() {
			return 0.4 * box.width()
		}
	}
	return left
}

func (p *barPanel) keys() []key {
	var keys []key
	for i, s := range p.series {
		if len(p.series) == 1 && s.Name == "" {
			continue
		}
		color := hue(i)
		keys = append(keys, key{s.Name, func(s surface, at point) {
			pattern(s, i, rect{at.x + 4, at.y - 5, at.x + 24, at.y + 5}, color)
		}})
	}
	return keys
}

func (p *barPanel) say(row, i int) string {
	text := number(p.series[i].Y[row])
	if low, high, ok := p.series[i].bound(row); ok {
		text += fmt.Sprintf(" (%s to %s)", number(low), number(high))
	}
	if name := p.series[i].Name; name != "" {
		text = name + " " + text
	}
	return p.names[row] + ": " + text
}

func (p *barPanel) draw(s surface, box rect, left float64) error {
	own := p.left(box)
	f, err := newFrame(p.o, box, p.keys(), nil, left)
	if err != nil {
		return err
	}
	const valueWidth = 50 // for the numbers at the ends of the bars
	x := p.x
	inner := rect{f.plot.x0, f.plot.y0, f.plot.x1 - valueWidth, f.plot.y1}
	if x.lo < 0 {
		inner.x0 += valueWidth
	}
	if inner.width() < leastPlot {
		return limitf("Width %.0f leaves no room for bars next to their names", box.width())
	}
	f.plot = inner
	x.a, x.b = inner.x0, inner.x1
	f.draw(s, box, x, scale{lo: 0, hi: 1, a: inner.y1, b: inner.y0}, nil)
	s.area(inner, x, scale{lo: 0, hi: float64(len(p.names)), a: inner.y0, b: inner.y1})
	if len(p.names) == 0 || len(p.series) == 0 {
		noData(s, inner)
		return nil
	}
	row := inner.height() / float64(len(p.names))
	thick := min((row-min(rowGap, row/3))/float64(len(p.series)), 2*barSize)
	if thick < 3 {
		return limitf("Height %.0f leaves no room for %s: raise it, or leave it 0",
			box.height(), quantity.CommaCount(len(p.names)*len(p.series), "bar"))
	}
	size := min(textSize, max(7, row-2))
	zero := x.at(0)
	for r, name := range p.names {
		mid := inner.y0 + row*(float64(r)+0.5)
		nameEnd := f.plot.x0 - 8
		if x.lo < 0 {
			nameEnd -= valueWidth
		}
		s.open("row", "")
		s.open("name", name)
		text := shortenTo(name, size, max(own, left)-10)
		s.text(point{nameEnd, mid + 0.35*size}, text, font{size: size, color: ink, align: end})
		s.close()
		for i, series := range p.series {
			v := series.Y[r]
			top := mid + thick*(float64(i)-float64(len(p.series))/2)
			s.open("bar", p.say(r, i))
			at, a := zero+5, start
			if finite(v) {
				to := x.at(v)
				pattern(s, i, rect{min(zero, to), top + 0.5, max(zero, to), top + thick - 0.5}, hue(i))
				if low, high, ok := series.bound(r); ok {
					mid := top + thick/2
					errorBar(s, point{x.at(low), mid}, point{x.at(high), mid}, ink)
					to = x.at(high)
					if v < 0 {
						to = x.at(low)
					}
				}
				at = to + 5
				if v < 0 {
					at, a = to-5, end
				}
			}
			valueSize := min(smallSize, thick+1)
			s.text(point{at, top + thick/2 + 0.35*valueSize}, number(v), font{size: valueSize, color: faint, align: a})
			s.close()
		}
		s.close()
	}
	s.polyline([]point{{zero, inner.y0}, {zero, inner.y1}}, stroke{color: axis, width: 1})
	return nil
}

func (p *barPanel) summary() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace("bar chart" + " " + clean(p.o.Title)))
	if len(p.names) == 0 || len(p.series) == 0 {
		return b.String() + ": no data"
	}
	fmt.Fprintf(&b, ": %s", quantity.CommaCount(len(p.names), "row"))
	for r := range p.names {
		if r == 10 {
			fmt.Fprintf(&b, "; and %s more", quantity.Commas(len(p.names)-r))
			break
		}
		for i := range p.series {
			b.WriteString("; " + p.say(r, i))
		}
	}
	return b.String()
}
