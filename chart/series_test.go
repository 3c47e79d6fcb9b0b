package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestLineIsWhereTheAxesSay(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {LogX: true}, {LogY: true}, {LogX: true, LogY: true, Width: 900, Height: 300}} {
		x := []float64{1, 3, 10, 20, 1000}
		y := []float64{0.7, 0.1, 5, 2, 30}
		root := draw(t, Line(o, Series{Name: "loss", X: x, Y: y}))
		at := axes(t, root.all("rect", "area")[0])
		series := root.all("g", "series")
		if len(series) != 1 || series[0].title() != "loss: 5 points, last 30" {
			t.Fatalf("the series are %v", series)
		}
		line := series[0].all("polyline", "")
		if len(line) != 1 {
			t.Fatalf("%d lines, not one", len(line))
		}
		got := line[0].points(t)
		if len(got) != len(x) {
			t.Fatalf("%d points, not %d", len(got), len(x))
		}
		for i := range x {
			if want := at(x[i], y[i]); !near(got[i], want) {
				t.Errorf("%+v: point %d is at %v, not %v", o, i, got[i], want)
			}
		}
	}
}

func TestLineGapsAndOrder(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	root := draw(t, Line(Options{Width: 400}, Series{Y: []float64{1, 2, nan, 3, nan, 4, 5, 6, math.Inf(1)}}))
	series := root.all("g", "series")[0]
	lines := series.all("polyline", "")
	if len(lines) != 2 || len(lines[0].points(t)) != 2 || len(lines[1].points(t)) != 3 {
		t.Fatalf("gaps give %d lines", len(lines))
	}
	at := axes(t, root.all("rect", "area")[0])
	alone := 0
	for _, c := range series.children {
		if c.name == "circle" {
			alone++
			if got := (point{c.number(t, "cx"), c.number(t, "cy")}); !near(got, at(4, 3)) {
				t.Errorf("the point between the gaps is at %v", got)
			}
		}
	}
	if alone != 1 {
		t.Errorf("%d points alone, not one", alone)
	}
	if !hasText(root, "3 points with NaN or infinite values not drawn") {
		t.Error("nothing says what is not drawn")
	}

	root = draw(t, Line(Options{}, Series{X: []float64{3, 1, 2}, Y: []float64{30, 10, 20}}))
	points := root.all("g", "series")[0].all("polyline", "")[0].points(t)
	at = axes(t, root.all("rect", "area")[0])
	for i, p := range points {
		if want := at(float64(i+1), float64(10*i+10)); !near(p, want) {
			t.Errorf("point %d is at %v, not %v", i, p, want)
		}
	}
}

func hasText(root *node, text string) bool {
	for _, n := range root.all("text", "") {
		if n.text == text {
			return true
		}
	}
	return false
}

func TestMarkedPointHasRingAndLabel(t *testing.T) {
	t.Parallel()
	root := draw(t, Line(Options{XLabel: "epoch", YLabel: "F1"},
		Series{Name: "valid", Y: []float64{0.1, 0.3, 0.2}, Marked: []int{1}}))
	marks := root.all("g", "marked")
	if len(marks) != 1 || marks[0].title() != "epoch 2, F1 0.3" {
		t.Fatalf("the marks are %v", marks)
	}
	at := axes(t, root.all("rect", "area")[0])
	ring := marks[0].all("circle", "")[0]
	if got := (point{ring.number(t, "cx"), ring.number(t, "cy")}); !near(got, at(2, 0.3)) {
		t.Errorf("the ring is at %v, not %v", got, at(2, 0.3))
	}
	if label := marks[0].all("text", ""); len(label) != 1 || label[0].text != "0.3 at 2" {
		t.Errorf("the label is %v", label)
	}
	// Several series: the label says whose it is.
	root = draw(t, Line(Options{}, Series{Name: "a", Y: []float64{1, 2}, Marked: []int{0}},
		Series{Name: "b", Y: []float64{2, 3}}))
	if !hasText(root, "a 1 at 1") {
		t.Error("the label does not name the series")
	}
}

func TestLogAxisLeavesOutWhatItCannotShow(t *testing.T) {
	t.Parallel()
	root := draw(t, Scatter(Options{LogX: true}, Series{X: []float64{0, -1, 1, 10}, Y: []float64{1, 2, 3, 4},
		Names: []string{"a", "b", "c", "d"}}))
	if n := len(root.all("g", "point")); n != 2 {
		t.Errorf("%d dots, not 2", n)
	}
	if !hasText(root, "2 points not above 0 left out of the logarithmic axis") {
		t.Error("nothing says what was left out")
	}
	root = draw(t, Line(Options{LogY: true}, Series{Y: []float64{0, -1}}))
	if !hasText(root, "no data") {
		t.Error("nothing says that there is nothing to see")
	}
}

func TestScatterDotsAndTitles(t *testing.T) {
	t.Parallel()
	s := Series{X: []float64{1, 2, 3}, Y: []float64{3, 1, 2}, Names: []string{"Paris", "<Lyon>", "里昂"}}
	root := draw(t, Scatter(Options{XLabel: "triples", YLabel: "radius"}, s))
	at := axes(t, root.all("rect", "area")[0])
	dots := root.all("g", "point")
	if len(dots) != 3 {
		t.Fatalf("%d dots, not 3", len(dots))
	}
	for i, d := range dots {
		c := d.all("circle", "")[0]
		if got, want := (point{c.number(t, "cx"), c.number(t, "cy")}), at(s.X[i], s.Y[i]); !near(got, want) {
			t.Errorf("dot %d is at %v, not %v", i, got, want)
		}
		if want := s.Names[i] + ": triples " + number(s.X[i]) + ", radius " + number(s.Y[i]); d.title() != want {
			t.Errorf("dot %d is %q, not %q", i, d.title(), want)
		}
	}
	// Without names one path is enough.
	s.Names = nil
	root = draw(t, Scatter(Options{}, s))
	if path := root.all("path", "dots"); len(path) != 1 || strings.Count(path[0].attr["d"], "M") != 3 {
		t.Errorf("the path is %v", path)
	}
}

// TestScatterOverTexts: dots stand above the texts of their X, which the axis has in place of numbers.
func TestScatterOverTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 40)
	s := Series{X: []float64{0, 2, 1.6, math.NaN()}, Y: []float64{3, 1, 2, 5}, Names: []string{"a", "b", "c", "d"},
		XTexts: []string{"rotate", "<b>", long}}
	other := Series{Name: "means", X: []float64{0}, Y: []float64{3}}
	root := draw(t, Scatter(Options{XLabel: "model", YLabel: "f1"}, s, other))
	at := axes(t, root.all("rect", "area")[0])
	ticks := root.all("g", "tick")
	if len(ticks) != 3 {
		t.Fatalf("%d texts on the axis", len(ticks))
	}
	for i, tick := range ticks {
		text := tick.all("text", "")[0]
		if got := text.number(t, "x"); math.Abs(got-at(float64(i), 0).x) > 0.011 {
			t.Errorf("text %d is at %v", i, got)
		}
		if i < 2 && text.text != s.XTexts[i] || i == 2 && (tick.title() != strings.TrimSpace(long) || !strings.HasPrefix(text.text, "long")) {
			t.Errorf("text %d is %q with the title %q", i, text.text, tick.title())
		}
	}
	dots := root.all("g", "point")
	if len(dots) != 3 || dots[1].title() != "b: model "+strings.TrimSpace(long)+", f1 1" ||
		dots[2].title() != "c: model "+strings.TrimSpace(long)+", f1 2" {
		t.Fatalf("%d dots, the last ones are %q and %q", len(dots), dots[1].title(), dots[2].title())
	}
	for _, wrong := range []Chart{Scatter(Options{}, Series{X: []float64{0.5}, Y: []float64{1}, XTexts: []string{"a", "b"}}),
		Scatter(Options{}, Series{X: []float64{2}, Y: []float64{1}, XTexts: []string{"a", "b"}}),
		Scatter(Options{}, Series{Y: []float64{1}, XTexts: []string{"a", "b"}}),
		Scatter(Options{LogX: true}, Series{X: []float64{0}, Y: []float64{1}, XTexts: []string{"a", "b"}}),
		Scatter(Options{}, Series{X: []float64{0}, Y: []float64{1}, XTexts: make([]string, 21)}),
		Scatter(Options{}, Series{X: []float64{}, Y: []float64{}, XTexts: []string{}})} {
		if _, err := wrong.SVG(); err == nil || !strings.HasPrefix(err.Error(), "chart: ") {
			t.Errorf("the error is %v", err)
		}
	}
	if text, err := Scatter(Options{}, s).Text(60, 12); err != nil || !strings.Contains(text, "rotate") {
		t.Errorf("%v: as text\n%s", err, text)
	}
}

// dotsOf reads a path of dots.
func dotsOf(t *testing.T, path *node) []point {
	t.Helper()
	var list []point
	for _, d := range strings.Split(strings.TrimSuffix(path.attr["d"], "h0"), "h0") {
		var p point
		if _, err := fmt.Sscanf(d, "M%g %g", &p.x, &p.y); err != nil {
			t.Fatalf("the path has %q", d)
		}
		list = append(list, p)
	}
	return list
}

// wave returns many values between -1 and 1 without order.
func wave(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Sin(float64(i) * float64(i))
	}
	return list
}

func TestAMillionPointsKeepTheirPeaks(t *testing.T) {
	t.Parallel()
	const n = 1000000
	y := wave(n)
	y[123456], y[654321] = 9, -7
	root := draw(t, Line(Options{}, Series{Y: y}))
	at := axes(t, root.all("rect", "area")[0])
	points := root.all("g", "series")[0].all("polyline", "")[0].points(t)
	if len(points) > 4*641 {
		t.Errorf("%d points for 640 px", len(points))
	}
	for _, i := range []int{0, 123456, 654321, n - 1} {
		found := false
		for _, p := range points {
			found = found || near(p, at(float64(i+1), y[i]))
		}
		if !found {
			t.Errorf("point %d is gone", i)
		}
	}

	x := wave(n + 7)[7:]
	x[99], x[100] = 5, -5
	root = draw(t, Scatter(Options{}, Series{X: x, Y: y}))
	area := root.all("rect", "area")[0]
	at = axes(t, area)
	dots := dotsOf(t, root.all("path", "dots")[0])
	if cells := (area.number(t, "width") + 2) * (area.number(t, "height") + 2); float64(len(dots)) > cells ||
		len(dots) < 2000 {
		t.Errorf("%d dots in %.0f px", len(dots), cells)
	}
	for _, i := range []int{99, 100, 123456, 654321} {
		found := false
		for _, p := range dots {
			found = found || near(p, at(x[i], y[i]))
		}
		if !found {
			t.Errorf("dot %d at %v is gone", i, at(x[i], y[i]))
		}
	}
	if !hasText(root, "1,000,000 points; those that share a px are drawn once") {
		t.Error("nothing says that dots were left out")
	}
}

func TestThinLineAgainstEveryColumn(t *testing.T) {
	t.Parallel()
	var line []point
	for i, v := range wave(5000) {
		line = append(line, point{float64(i) / 25, v})
	}
	thin := thinLine(line)
	type column struct{ first, low, high, last point }
	columns := func(p []point) map[int]column {
		m := map[int]column{}
		for _, q := range p {
			k := int(q.x)
			c, ok := m[k]
			if !ok {
				c = column{q, q, q, q}
			}
			if q.y < c.low.y {
				c.low = q
			}
			if q.y > c.high.y {
				c.high = q
			}
			c.last = q
			m[k] = c
		}
		return m
	}
	want, got := columns(line), columns(thin)
	for k, c := range want {
		if got[k] != c {
			t.Errorf("column %d: %v became %v", k, c, got[k])
		}
	}
	if len(thin) > 4*len(want) {
		t.Errorf("%d points for %d columns", len(thin), len(want))
	}
}

func TestPrecisionRecall(t *testing.T) {
	t.Parallel()
	c := Curve{Name: "SpherE", Threshold: []float64{3, 1, 2}, Precision: []float64{0.2, 0.9, 0.5},
		Recall: []float64{0.8, 0.1, 0.5}, Marked: []int{2}}
	root := draw(t, PrecisionRecall(Options{}, c))
	at := axes(t, root.all("rect", "area")[0])
	points := root.all("g", "series")[0].all("polyline", "")[0].points(t)
	for i, k := range []int{1, 2, 0} { // by threshold
		if want := at(c.Recall[k], c.Precision[k]); !near(points[i], want) {
			t.Errorf("point %d is at %v, not %v", i, points[i], want)
		}
	}
	marks := root.all("g", "marked")
	if len(marks) != 1 || marks[0].title() != "threshold 2: precision 0.5, recall 0.5, F1 0.5" {
		t.Errorf("the mark is %v", marks)
	}
	if !hasText(root, "1") || !hasText(root, "3") {
		t.Error("thresholds are not written along the curve")
	}
	// The lines of equal F1: every point has the F1 at their end.
	for _, line := range root.all("polyline", "") {
		if line.attr["stroke-dasharray"] != "3 3" {
			continue
		}
		area := root.all("rect", "area")[0]
		var f1 []float64
		for _, p := range line.points(t) {
			r := (p.x - area.number(t, "x")) / area.number(t, "width")
			q := 1 - (p.y-area.number(t, "y"))/area.number(t, "height")
			f1 = append(f1, 2*r*q/(r+q))
		}
		if f := math.Round(5*f1[0]) / 5; len(f1) < 20 || !closeTo(f1, f) || f == 0 {
			t.Errorf("a line of equal F1 has %v", f1)
		}
	}
}

func closeTo(list []float64, want float64) bool {
	for _, v := range list {
		if math.Abs(v-want) > 1e-3 {
			return false
		}
	}
	return true
}

func TestBarLengths(t *testing.T) {
	t.Parallel()
	long := "/award/award_nominee/award_nominations./award/award_nomination/award_nominee"
	values := []float64{0.5, -0.25, 0, math.NaN()}
	root := draw(t, Bar(Options{}, []string{"a", long, "c", "d"}, Series{Name: "F1", Y: values}))
	area := root.all("rect", "area")[0]
	at := axes(t, area)
	bars := root.all("g", "bar")
	if len(bars) != 4 {
		t.Fatalf("%d bars", len(bars))
	}
	for i, b := range bars {
		v := values[i]
		rects := b.all("rect", "")
		if math.IsNaN(v) {
			if len(rects) != 0 || b.all("text", "")[0].text != "NaN" {
				t.Errorf("NaN is drawn as %v", rects)
			}
			continue
		}
		from := at(min(0, v), 0).x
		if r := rects[0]; math.Abs(r.number(t, "x")-from) > 0.011 ||
			math.Abs(r.number(t, "width")-(at(max(0, v), 0).x-from)) > 0.011 {
			t.Errorf("the bar of %v is %v", v, r.attr)
		}
	}
	names := root.all("g", "name")
	shown := names[1].all("text", "")[0].text
	if names[1].title() != long || !strings.Contains(shown, "…") || !strings.HasPrefix(shown, "/award") ||
		!strings.HasSuffix(shown, "nominee") {
		t.Errorf("the long name is %q with title %q", shown, names[1].title())
	}
	if bars[1].title() != long+": F1 -0.25" {
		t.Errorf("the title of a bar is %q", bars[1].title())
	}
}

func TestStackedPlotsAreInLine(t *testing.T) {
	t.Parallel()
	a := Line(Options{YLabel: "loss"}, Series{Y: []float64{100000, 1}})
	b := Line(Options{YLabel: "F1"}, Series{Y: []float64{0.1, 0.2}})
	root := draw(t, Stack(Options{Title: "run"}, a, b))
	areas := root.all("rect", "area")
	if len(areas) != 2 || areas[0].attr["x"] != areas[1].attr["x"] || areas[0].attr["width"] != areas[1].attr["width"] {
		t.Errorf("the plots are at %v", areas)
	}
	if areas[0].number(t, "y")+areas[0].number(t, "height") >= areas[1].number(t, "y") {
		t.Error("the plots overlap")
	}
}

func BenchmarkLine300(b *testing.B) {
	y := wave(300)
	c := Line(Options{Title: "loss", XLabel: "epoch"}, Series{Name: "loss", Y: y})
	b.Run("svg", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.SVG(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("png", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.PNG(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			_ = c.String()
		}
	})
}

// A series has the look of its place whatever else the chart shows, and a faint one is only a line.
func TestPlaceAndFaint(t *testing.T) {
	t.Parallel()
	a := Series{Name: "a", Y: []float64{1, 2, 3}}
	b := Series{Name: "b", Y: []float64{3, 2, 1}}
	svg := func(list ...Series) string {
		raw, err := Line(Options{}, list...).SVG()
		expect.NoError(t, err)
		return string(raw)
	}
	color := func(i int) string {
		c := hue(i)
		return fmt.Sprintf(`stroke="#%02x%02x%02x"`, c.R, c.G, c.B)
	}
	alone := b
	alone.Place = 2
	if both, one := svg(a, b), svg(alone); !strings.Contains(both, color(1)) || !strings.Contains(one, color(1)) ||
		strings.Contains(one, color(0)) {
		t.Error("a series alone does not have the colour of its place")
	}
	pale := a
	pale.Name, pale.Faint = "pale", true
	text := svg(a, pale)
	if strings.Count(text, `<g class="point">`) != 3 || strings.Contains(text, ">pale<") ||
		!strings.Contains(text, `stroke-opacity="0.4"`) {
		t.Errorf("a faint series is more than a line:\n%s", text)
	}
	for _, place := range []int{-1, maxSeries + 1} {
		a.Place = place
		if _, err := Line(Options{}, a).SVG(); err == nil {
			t.Errorf("place %d is drawn", place)
		}
	}
}
