package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// spheres are circles whose relations to each other are easy to see: b touches a, c does not.
func spheres() []Circle {
	return []Circle{
		{"a", 0, 0, 1, Head},
		{"b", 3, 0, 2, Known},
		{"c", 0, 2.5, 1, Untouched},
		{"d", -1, -1, -0.5, Inferred},
	}
}

func TestCirclesHaveOneScale(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Width: 900, Height: 300}, {Width: 300, Height: 800, Title: "tall"}} {
		root := draw(t, Circles(o, spheres()))
		area := root.all("rect", "area")[0]
		perX := area.number(t, "width") / (area.number(t, "data-xmax") - area.number(t, "data-xmin"))
		perY := area.number(t, "height") / (area.number(t, "data-ymax") - area.number(t, "data-ymin"))
		if math.Abs(perX/perY-1) > 1e-4 { // places have two decimals
			t.Fatalf("%+v: %g px per unit across, %g upwards", o, perX, perY)
		}
		at := axes(t, area)
		found := map[string]*node{}
		for _, g := range root.all("g", "sphere") {
			name, _, _ := strings.Cut(g.title(), ":")
			found[name] = g.all("circle", "")[0]
		}
		centre := func(n *node) point { return point{n.number(t, "cx"), n.number(t, "cy")} }
		for _, c := range spheres() {
			n := found[c.Name]
			if n == nil {
				t.Fatalf("circle %s is not drawn", c.Name)
			}
			if !near(centre(n), at(c.X, c.Y)) {
				t.Errorf("circle %s is at %v, not %v", c.Name, centre(n), at(c.X, c.Y))
			}
			r := n.number(t, "r")
			if math.Abs(r-math.Abs(c.R)*perX) > 0.011 || math.Abs(r-math.Abs(c.R)*perY) > 0.011 {
				t.Errorf("circle %s has radius %g px, not %g and %g", c.Name, r, math.Abs(c.R)*perX, math.Abs(c.R)*perY)
			}
			// All of it is inside the axes.
			x, y := area.number(t, "x"), area.number(t, "y")
			if p := centre(n); p.x-r < x || p.x+r > x+area.number(t, "width") || p.y-r < y ||
				p.y+r > y+area.number(t, "height") {
				t.Errorf("circle %s leaves the plot", c.Name)
			}
		}
		apart := func(a, b string) float64 {
			p, q := centre(found[a]), centre(found[b])
			return math.Hypot(p.x-q.x, p.y-q.y) - found[a].number(t, "r") - found[b].number(t, "r")
		}
		if d := apart("a", "b"); math.Abs(d) > 0.03 {
			t.Errorf("a and b touch in the model and are %g px apart", d)
		}
		if d := apart("a", "c"); math.Abs(d-0.5*perX) > 0.03 {
			t.Errorf("a and c are 0.5 apart in the model and %g px in the picture, not %g", d, 0.5*perX)
		}
		if !hasText(root, "1 circle of negative radius dotted") {
			t.Error("nothing says what dotted means")
		}
	}
}

func TestCircleMarksAndArrow(t *testing.T) {
	t.Parallel()
	root := draw(t, Circles(Options{}, []Circle{{"h", 2, 0, 0.4, Head}, {"h", 0, 2, 0.4, Rotated},
		{"k", 0, 2.5, 0.4, Known}, {"", -0.5, 0, 0.3, Untouched}, {"", -0.5, 1, 0.3, Untouched}},
		Arrow{"born in", 2, 0, 0, 2}))
	var names []string
	for _, k := range root.all("g", "key") {
		names = append(names, k.all("text", "")[0].text)
	}
	if got, want := fmt.Sprint(names), "[head rotated head answer, known (1) not touched (2)]"; got != want {
		t.Errorf("the legend is %s, not %s", got, want)
	}
	at := axes(t, root.all("rect", "area")[0])
	arrows := root.all("g", "arrow")
	if len(arrows) != 1 || arrows[0].title() != "born in" {
		t.Fatalf("the arrows are %v", arrows)
	}
	line := arrows[0].all("polyline", "")[0].points(t)
	tip := arrows[0].all("polygon", "")[0].points(t)[0]
	for name, d := range map[string]float64{
		"start": math.Hypot(line[0].x-at(2, 0).x, line[0].y-at(2, 0).y),
		"tip":   math.Hypot(tip.x-at(0, 2).x, tip.y-at(0, 2).y),
	} {
		if math.Abs(d-7) > 0.03 {
			t.Errorf("the arrow's %s is %g px from the centre, not 7", name, d)
		}
	}
	if rotated := root.all("g", "sphere")[4].all("circle", "")[0]; rotated.attr["stroke-dasharray"] == "" {
		t.Error("the rotated head is not dashed")
	}
}

func TestCircleLabelsDoNotOverlap(t *testing.T) {
	t.Parallel()
	var list []Circle
	for i, v := range wave(200) {
		list = append(list, Circle{fmt.Sprintf("entity %d", i), v, math.Cos(float64(i)), 0.1, Mark(i % int(marks))})
	}
	p, err := Circles(Options{}, list).body.prepare(Options{})
	expect.NoError(t, err)
	plot := rect{0, 0, 500, 400}
	places, hidden := p.(*circlePanel).labels(plot, func(x, y float64) point { return point{250 + 200*x, 200 - 150*y} })
	if len(places)+hidden != len(list) || len(places) < 20 || hidden < 20 {
		t.Fatalf("%d names are written and %d not", len(places), hidden)
	}
	box := func(w written) rect {
		width := measure(w.text, textSize)
		x := w.at.x
		switch w.align {
		case middle:
			x -= width / 2
		case end:
			x -= width
		}
		return rect{x, w.at.y - 0.7*textSize, x + width, w.at.y + 0.2*textSize}
	}
	for i, a := range places {
		if !plot.contains(box(a)) {
			t.Errorf("%q leaves the plot", a.text)
		}
		for _, b := range places[:i] {
			if box(a).overlaps(box(b)) {
				t.Errorf("%q and %q overlap", a.text, b.text)
			}
		}
	}
	if !strings.Contains(allText(draw(t, Circles(Options{}, list))), "names left out for want of room") {
		t.Error("nothing says that names are left out")
	}
}

func allText(root *node) string {
	var b strings.Builder
	for _, n := range root.all("text", "") {
		b.WriteString(n.text + "\n")
	}
	return b.String()
}

func TestCirclesAsText(t *testing.T) {
	t.Parallel()
	text, err := Circles(Options{Title: "query"}, spheres()).Text(70, 16)
	expect.NoError(t, err)
	for _, want := range []string{"query\n", "▲ head (1)", "● answer, known (1)", "▲ a\n", "● b\n", "· c\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	// Dots are 2 to a column and 4 to a row: the picture of the large circle is as wide as high.
	c := newCells(40, 20)
	for i := range 100 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 50)
		c.dot(point{40 + 30*cos, 40 + 30*sin})
	}
	wide, high := 0, 0
	for y := range c.h {
		if row := []rune(c.row(y)); len(row) > 0 {
			high++
			wide = max(wide, len([]rune(strings.TrimLeft(string(row), " "))))
		}
	}
	if wide < 30 || wide > 32 || high < 15 || high > 17 {
		t.Errorf("a circle of 60 dots has %d columns and %d rows", wide, high)
	}
}

// The frame is that of head, rotated head and answers: what lies far away does not make them small.
func TestCirclesFrameWhatIsTouched(t *testing.T) {
	t.Parallel()
	list := []Circle{{"h", 1, 0, 0.1, Head}, {"h turned", 0, 1, 0.1, Rotated}, {"k", 0.1, 1.1, 0.1, Known},
		{"i", 0.2, 1, 0.2, Inferred},
		{"near", 0.6, 0.6, 0.1, Untouched}, {"near fact", 0.5, 0.2, 0.1, Missed},
		{"far fact", 90, 90, 0.1, Missed}, {"left fact", -40, 0.5, 0.1, Missed}, {"far", 50, -70, 0.1, Untouched}}
	root := draw(t, Circles(Options{}, list))
	area := root.all("rect", "area")[0]
	if w := area.number(t, "data-xmax") - area.number(t, "data-xmin"); w > 4 {
		t.Errorf("the frame is %g wide, the answers' 1.3", w)
	}
	if n := len(root.all("g", "sphere")); n != 6 {
		t.Errorf("%d circles are drawn, not 6", n)
	}
	beyond := root.all("g", "beyond")
	if len(beyond) != 2 {
		t.Fatalf("%d signs at the edge, not 2", len(beyond))
	}
	x0, y0 := area.number(t, "x"), area.number(t, "y")
	x1, y1 := x0+area.number(t, "width"), y0+area.number(t, "height")
	for i, name := range []string{"far fact", "left fact"} {
		if !strings.HasPrefix(beyond[i].title(), name+": fact, not touched, centre (") {
			t.Errorf("the sign of %s is titled %q", name, beyond[i].title())
		}
		for _, p := range beyond[i].all("polygon", "")[0].points(t) {
			if p.x < x0 || p.x > x1 || p.y < y0 || p.y > y1 {
				t.Errorf("the sign of %s leaves the plot: %v", name, p)
			}
		}
		if !hasText(root, name) {
			t.Errorf("%s is not named", name)
		}
	}
	sign := func(i int) point {
		c := beyond[i].all("circle", "")[0]
		return point{c.number(t, "cx"), c.number(t, "cy")}
	}
	if p := sign(0); p.y > y0+20 && p.x < x1-20 {
		t.Errorf("the fact up right is at %v", p)
	}
	if p := sign(1); p.x > x0+20 {
		t.Errorf("the fact on the left is at %v", p)
	}
	all := allText(root)
	for _, want := range []string{"fact, not touched (3)", "2 facts not touched and far outside the picture",
		"1 circle not touched and outside the picture left out"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	text, err := Circles(Options{}, list).Text(70, 16)
	expect.NoError(t, err)
	if !strings.Contains(text, "far fact (outside the picture)") {
		t.Errorf("the text does not name what is outside:\n%s", text)
	}
	// If all circles are of the background, every one is drawn.
	if n := len(draw(t, Circles(Options{}, []Circle{{"a", 0, 0, 1, Untouched}, {"b", 1000, 0, 1, Missed}})).all("g",
		"sphere")); n != 2 {
		t.Errorf("%d circles are drawn, not 2", n)
	}
}
