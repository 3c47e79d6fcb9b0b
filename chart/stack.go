package chart

import (
	"errors"
	"strings"
)

// Stack draws charts below each other in one picture, with their plots aligned: for example the loss above the F1 of
// the same epochs. Each chart keeps its own title, axes and Height; a Height of 0 is a little less than alone. Of o
// only Width, Height, Title, Caption and Plain are used.
func Stack(o Options, charts ...Chart) Chart { return Chart{o, stack(charts)} }

type stack []Chart

// heights returns the heights in px of the charts.
func (c stack) heights() []float64 {
	list := make([]float64, len(c))
	for i, chart := range c {
		_, h := chart.Size()
		if _, ok := chart.body.(lines); ok && chart.Height == 0 {
			h = 280
		}
		list[i] = float64(h)
	}
	return list
}

func (c stack) size(o Options) (w, h int) {
	for _, chart := range c {
		cw, _ := chart.Size()
		w = max(w, cw)
	}
	for _, height := range c.heights() {
		h += int(height)
	}
	return max(w, minWidth), max(h+int(stackHead(o))+int(stackFoot(o)), minHeight)
}

func stackHead(o Options) float64 {
	if o.Title == "" {
		return 0
	}
	return pad + titleLine
}

func stackFoot(o Options) float64 {
	if o.Caption == "" {
		return 0
	}
	return pad + 2*smallLine
}

type stackPanel struct {
	o       Options
	panels  []panel
	heights []float64
}

func (c stack) prepare(o Options) (panel, error) {
	if len(c) == 0 {
		return nil, errors.New("chart: Stack of no charts: give it at least one")
	}
	p := &stackPanel{o: o, heights: c.heights()}
	for _, chart := range c {
		chart.Plain = chart.Plain || o.Plain
		one, _, _, err := chart.prepare()
		if err != nil {
			return nil, err
		}
		p.panels = append(p.panels, one)
	}
	return p, nil
}

// boxes shares the box among the charts by their heights.
func (p *stackPanel) boxes(box rect) []rect {
	total := 0.0
	for _, h := range p.heights {
		total += h
	}
	top := box.y0 + stackHead(p.o)
	share := (box.y1 - stackFoot(p.o) - top) / total
	var list []rect
	for _, h := range p.heights {
		list = append(list, rect{box.x0, top, box.x1, top + h*share})
		top += h * share
	}
	return list
}

func (p *stackPanel) left(box rect) float64 {
	left := 0.0
	for i, b := range p.boxes(box) {
		left = max(left, p.panels[i].left(b))
	}
	return left
}

func (p *stackPanel) draw(s surface, box rect, left float64) error {
	width := box.width() - 2*pad
	if title := clean(p.o.Title); title != "" {
		line := wrap(title, titleSize, width, 1)
		s.open("head", titleOf(title, line))
		s.text(point{box.x0 + pad, box.y0 + pad + titleSize - 2}, line[0], font{size: titleSize, color: ink})
		s.close()
	}
	for i, b := range p.boxes(box) {
		s.open("panel", "")
		if err := p.panels[i].draw(s, b, left); err != nil {
			return err
		}
		s.close()
	}
	for i, line := range wrap(clean(p.o.Caption), smallSize, captionWidth(box), 2) {
		at := point{box.x0 + pad, box.y1 - stackFoot(p.o) + 11 + smallLine*float64(i)}
		s.text(at, line, font{size: smallSize, color: faint})
	}
	return nil
}

func (p *stackPanel) text(w, h int) string {
	var b strings.Builder
	if title := clean(p.o.Title); title != "" {
		b.WriteString(fit(title, w) + "\n")
	}
	for i, one := range p.panels {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(one.text(w, h))
	}
	if caption := clean(p.o.Caption); caption != "" {
		b.WriteString(strings.Join(foldLines(caption, w, 4), "\n") + "\n")
	}
	return b.String()
}

func (p *stackPanel) summary() string {
	var list []string
	for _, one := range p.panels {
		list = append(list, one.summary())
	}
	return strings.TrimPrefix(clean(p.o.Title)+": "+strings.Join(list, ". "), ": ")
}
