package chart

import (
	"fmt"
	"math"
	"sort"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Curve is precision against recall over the thresholds of one model. Precision and Recall are fractions, 0 to 1, one
// for each threshold.
type Curve struct {
	Name      string
	Threshold []float64 // nil: points keep their order and have no threshold
	Precision []float64 // NaN, where nothing was retrieved, is a gap
	Recall    []float64
	Marked    []int // indices of points to mark with their threshold, for example the fitted one
}

// PrecisionRecall draws precision over recall in the order of the thresholds, with lines of equal F1 in the background.
// If there is one curve, some of its thresholds are written next to it. LogX and LogY must not be set.
func PrecisionRecall(o Options, curves ...Curve) Chart { return Chart{o, precisionRecall(curves)} }

type precisionRecall []Curve

func (precisionRecall) size(Options) (w, h int) { return 560, 520 }

func (c Curve) check(i int) error {
	who := named(c.Name, "curve", i)
	if len(c.Precision) != len(c.Recall) {
		return fmt.Errorf("chart: %s has %s of precision but %s of recall: their numbers must be equal",
			who, quantity.CommaCount(len(c.Precision), "value"), quantity.CommaCount(len(c.Recall), "value"))
	}
	if c.Threshold != nil && len(c.Threshold) != len(c.Recall) {
		return fmt.Errorf("chart: %s has %s but %s: their numbers must be equal, or Threshold nil",
			who, quantity.CommaCount(len(c.Threshold), "threshold"), quantity.CommaCount(len(c.Recall), "point"))
	}
	for k := range c.Recall {
		if p, r := c.Precision[k], c.Recall[k]; p < 0 || p > 1 || r < 0 || r > 1 {
			return fmt.Errorf("chart: point %d of %s has precision %g and recall %g: both must be fractions, 0 to 1",
				k, who, p, r)
		}
	}
	return checkMarked(who, c.Marked, len(c.Recall))
}

func (c Curve) say(i int) string {
	text := fmt.Sprintf("precision %s, recall %s", number(c.Precision[i]), number(c.Recall[i]))
	if p, r := c.Precision[i], c.Recall[i]; p+r > 0 {
		text += fmt.Sprintf(", F1 %s", number(2*p*r/(p+r)))
	}
	if c.Threshold != nil {
		return fmt.Sprintf("threshold %s: %s", number(c.Threshold[i]), text)
	}
	return text
}

// short returns the name of a marked point.
func (c Curve) short(i int) string {
	text := "P " + number(c.Precision[i]) + ", R " + number(c.Recall[i])
	if c.Threshold != nil {
		return "threshold " + number(c.Threshold[i]) + ": " + text
	}
	return text
}

func (c precisionRecall) prepare(o Options) (panel, error) {
	if o.LogX || o.LogY {
		return nil, fmt.Errorf("chart: PrecisionRecall has axes from 0 to 1: leave LogX and LogY out")
	}
	if len(c) > maxSeries {
		return nil, limitf("%s: more than %d cannot be distinguished", quantity.CommaCount(len(c), "curve"), maxSeries)
	}
	o.XLabel, o.YLabel = or(o.XLabel, "recall"), or(o.YLabel, "precision")
	p := &plane{o: o, kind: "precision against recall", isEmpty: true, tips: 5, guides: equalF1(),
		x: scale{lo: 0, hi: 1}, y: scale{lo: 0, hi: 1}}
	lost := 0
	for i, curve := range c {
		if err := curve.check(i); err != nil {
			return nil, err
		}
		l := layer{name: clean(curve.Name), index: i}
		order := make([]int, len(curve.Recall))
		for k := range order {
			order[k] = k
		}
		if t := curve.Threshold; t != nil {
			sort.SliceStable(order, func(a, b int) bool {
				x, y := t[order[a]], t[order[b]]
				return x < y || x == x && y != y
			})
		}
		joined := false
		n := 0
		for _, k := range order {
			at := point{curve.Recall[k], curve.Precision[k]}
			if math.IsNaN(at.x) || math.IsNaN(at.y) {
				lost++
				joined = false
				continue
			}
			l.add(at, k, joined)
			joined = true
			n++
		}
		l.summary = quantity.CommaCount(n, "point")
		l.title = curve.say
		for _, m := range curve.Marked {
			if at := (point{curve.Recall[m], curve.Precision[m]}); !math.IsNaN(at.x) && !math.IsNaN(at.y) {
				l.marks = append(l.marks, marked{at, curve.short(m), curve.say(m)})
			}
		}
		if len(c) == 1 && curve.Threshold != nil {
			l.along = along(l, func(k int) string { return number(curve.Threshold[k]) })
		}
		p.isEmpty = p.isEmpty && n == 0
		p.layers = append(p.layers, l)
	}
	p.notes = notes(lost, 0)
	if len(p.layers) == 1 && len(p.layers[0].along) > 0 {
		p.notes = append(p.notes,
			"numbers along the curve are thresholds; dashed lines have the F1 written at their end")
	} else {
		p.notes = append(p.notes, "dashed lines have the F1 written at their end")
	}
	return p, nil
}

// along chooses points of a curve to label, a fifth of the axes apart along the curve.
func along(l layer, text func(i int) string) []marked {
	var list []marked
	way := 0.2
	for s, stretch := range l.stretches {
		for k, q := range stretch {
			if k > 0 {
				way += math.Hypot(q.x-stretch[k-1].x, q.y-stretch[k-1].y)
			}
			if way >= 0.2 {
				list = append(list, marked{at: q, text: text(l.indices[s][k])})
				way = 0
			}
		}
	}
	return list[:min(len(list), 30)]
}

// equalF1 returns the lines of F1 .2, .4, .6 and .8: precision = F r / (2r - F).
func equalF1() []guide {
	var list []guide
	for _, f := range []float64{0.2, 0.4, 0.6, 0.8} {
		g := guide{text: number(f)}
		least := f / (2 - f) // recall at precision 1
		for i := 0; i <= 60; i++ {
			r := least + (1-least)*math.Pow(float64(i)/60, 2)
			g.points = append(g.points, point{r, f * r / (2*r - f)})
		}
		list = append(list, g)
	}
	return list
}
