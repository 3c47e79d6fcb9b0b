package chart

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestOver checks mean and sample deviation against values by hand: 1, 2, 6 have mean 3 and variance (4+1+9)/2 = 7.
func TestOver(t *testing.T) {
	t.Parallel()
	s := Over("three", Series{X: []float64{2, 1}, Y: []float64{1, 5}}, Series{X: []float64{2}, Y: []float64{2}},
		Series{X: []float64{2, 3}, Y: []float64{6, math.NaN()}})
	if s.Name != "three" || len(s.X) != 2 || s.X[0] != 1 || s.X[1] != 2 || s.Y[0] != 5 || s.Y[1] != 3 {
		t.Errorf("%+v", s)
	}
	if !math.IsNaN(s.Low[0]) || !math.IsNaN(s.High[0]) {
		t.Errorf("one run has bounds %v to %v", s.Low[0], s.High[0])
	}
	if d := math.Sqrt(7); math.Abs(s.Low[1]-(3-d)) > 1e-12 || math.Abs(s.High[1]-(3+d)) > 1e-12 {
		t.Errorf("bounds %v to %v", s.Low[1], s.High[1])
	}
	if s := Over("none"); len(s.X) != 0 || s.X == nil {
		t.Errorf("no runs: %+v", s)
	}
}

func svgOf(t *testing.T, c Chart) string {
	t.Helper()
	svg, err := c.SVG()
	expect.NoError(t, err)
	return string(svg)
}

// TestBounds: a line has a band, dots and bars have error bars, and the axis has room for them.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := Series{Name: "mean", X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{0.5, -7}, High: []float64{1.5, 9}}
	without := Series{Name: "mean", X: s.X, Y: s.Y}
	for name, test := range map[string]struct{ with, without Chart }{
		"line":    {Line(Options{}, s), Line(Options{}, without)},
		"scatter": {Scatter(Options{}, s), Scatter(Options{}, without)},
		"bar":     {Bar(Options{}, []string{"a", "b"}, s), Bar(Options{}, []string{"a", "b"}, without)},
	} {
		with, plain := svgOf(t, test.with), svgOf(t, test.without)
		if name == "line" && strings.Count(with, "<polygon") != strings.Count(plain, "<polygon")+1 {
			t.Error("the line has no band")
		}
		if name != "line" && strings.Count(with, `stroke-width="1.2"`) != 2*3 {
			t.Errorf("%s has no error bars", name)
		}
		if !strings.Contains(with, "2 (-7 to 9)") && name != "scatter" { // dots without names have no titles
			t.Errorf("%s: no title says the bounds", name)
		}
		var lo, hi float64
		axis := map[bool]string{true: "x", false: "y"}[name == "bar"]
		at := strings.Index(with, "data-"+axis+"min")
		if _, err := fmt.Sscanf(with[at:], `data-`+axis+`min="%g" data-`+axis+`max="%g"`, &lo, &hi); err != nil ||
			lo > -7 || hi < 9 {
			t.Errorf("%s: axis from %v to %v, %v", name, lo, hi, err)
		}
	}
	if svg := svgOf(t, Line(Options{}, Series{Y: []float64{1, 2, 3}, Low: []float64{math.NaN(), 1, math.NaN()},
		High: []float64{math.NaN(), 4, math.NaN()}})); strings.Contains(svg, "<polygon") {
		t.Error("one point with bounds has a band")
	}
	for _, bad := range []Chart{Line(Options{}, Series{Y: []float64{1}, Low: []float64{1}}),
		Bar(Options{}, []string{"a"}, Series{Y: []float64{1}, Low: []float64{1, 2}, High: []float64{1, 2}})} {
		if _, err := bad.SVG(); err == nil || !strings.Contains(err.Error(), "Low and High nil") {
			t.Errorf("error %v", err)
		}
	}
}

// TestSeriesWithoutColour: no two of the first 20 series have the same dashes and symbol.
func TestSeriesWithoutColour(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 20 {
		p := newPDF(10, 10)
		symbol(p, i, point{5, 5}, 3, black)
		look := fmt.Sprint(dashes(i), p.content.String())
		if other, ok := seen[look]; ok {
			t.Errorf("series %d and %d look alike without colour", other, i)
		}
		seen[look] = i
	}
	// A line whose points are too close for marks of their own has some symbols.
	many := Series{Name: "a", Y: make([]float64, 500)}
	if svg := svgOf(t, Line(Options{}, many, many)); strings.Count(svg, "<polygon") < 5 {
		t.Error("the second line has no symbols")
	}
}

func TestZeros(t *testing.T) {
	t.Parallel()
	zeros := Series{Y: []float64{0, 0, 0}}
	for _, c := range []Chart{Line(Options{}, zeros), Scatter(Options{}, zeros),
		Bar(Options{}, []string{"a", "b", "c"}, zeros)} {
		if svg := svgOf(t, c); strings.Contains(svg, ">-") {
			t.Errorf("the axis of zeros has negative numbers:\n%s", svg)
		}
	}
}

// TestMarksOffTheAxis: the rings of marked points at the ends do not cover the numbers of the y axis.
func TestMarksOffTheAxis(t *testing.T) {
	t.Parallel()
	c := Line(Options{}, Series{Name: "a", X: []float64{1, 2}, Y: []float64{14, 9}, Marked: []int{0, 1}},
		Series{Name: "b", X: []float64{1, 2}, Y: []float64{14, 7}})
	p, _, _, err := c.prepare()
	expect.NoError(t, err)
	x := p.(*plane).x
	x.a, x.b = 0, 560
	if at := x.at(1); at < 14 {
		t.Errorf("the ring lies %v px from the axis", at)
	}
	y := p.(*plane).y
	y.a, y.b = 230, 0
	if at := y.at(14); at < 17 {
		t.Errorf("there are %v px for a label above the highest point", at)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for name, c := range samples() {
		c.Title, c.Caption, c.Plain = "the title", "the caption", true
		svg := svgOf(t, c)
		if strings.Contains(svg, ">the caption<") ||
			strings.Contains(strings.ReplaceAll(svg, "<title>the title</title>", ""), ">the title<") {
			t.Errorf("%s shows title or caption", name)
		}
		if strings.Contains(svg, "not drawn") || strings.Contains(svg, ">1 circle of negative radius") {
			t.Errorf("%s shows notes", name)
		}
		if !strings.Contains(svg, `aria-label="the title"`) {
			t.Errorf("%s has no title for screen readers", name)
		}
	}
}

// TestPDF reads the files as a viewer does: the table of objects leads to each of them, and the page decodes.
func TestPDF(t *testing.T) {
	t.Parallel()
	for name, c := range samples() {
		data, err := c.PDF()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, _ := c.PDF()
		if !bytes.Equal(data, again) {
			t.Errorf("%s: two files differ", name)
		}
		var start, n int
		if _, err := fmt.Sscanf(string(data[bytes.LastIndex(data, []byte("startxref")):]), "startxref\n%d",
			&start); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		table := strings.Split(string(data[start:]), "\n")
		if _, err := fmt.Sscanf(table[1], "0 %d", &n); err != nil || table[0] != "xref" {
			t.Fatalf("%s: %q, %v", name, table[:2], err)
		}
		for i := 1; i < n; i++ {
			var place int
			if _, err := fmt.Sscanf(table[2+i], "%d 00000 n ", &place); err != nil || len(table[2+i]) != 19 ||
				!bytes.HasPrefix(data[place:], fmt.Appendf(nil, "%d 0 obj\n", i)) {
				t.Errorf("%s: object %d is not at %q", name, i, table[2+i])
			}
		}
		w, h := c.Size()
		if box := fmt.Sprintf("/MediaBox[0 0 %v %v]", 0.75*float64(w), 0.75*float64(h)); !bytes.Contains(data,
			[]byte(box)) {
			t.Errorf("%s has no %s", name, box)
		}
		_, stream, _ := bytes.Cut(data, []byte("stream\n"))
		z, err := zlib.NewReader(bytes.NewReader(stream))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, bad := range []string{"NaN", "Inf", "%!"} {
			if bytes.Contains(content, []byte(bad)) {
				t.Errorf("%s: the page has %s", name, bad)
			}
		}
		if letters := bytes.Count(content, []byte(" c\n")); letters < 50 {
			t.Errorf("%s: the page has %d curves, so no letters", name, letters)
		}
	}
	path := filepath.Join(t.TempDir(), "c.pdf")
	expect.NoError(t, Line(Options{}, Series{Y: []float64{1}}).WriteFile(path))
	if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("%PDF-1.4\n")) {
		t.Errorf("%v, %.20q", err, data)
	}
}

// PlaceOf knows every place once, and the first of each colour has a whole line.
func TestPlacesByColour(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for color := range Colors {
		for kind := range kinds {
			place := PlaceOf(color, kind)
			seen[place] = true
			if hue(place-1) != hue(color) || (dashes(place-1) == nil) != (kind == 0) ||
				PlaceOf(color, kind+kinds) != place {
				t.Errorf("colour %d, line %d has place %d", color, kind, place)
			}
		}
	}
	if len(seen) != Places || seen[0] || seen[Places+1] {
		t.Errorf("the places are %v", seen)
	}
}
