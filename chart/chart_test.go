package chart

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/spherelab/spherelab/internal/expect"
)

const hostile = "</text><script>alert('x')</script>&\"\x1b[31m\x00\u202e关系 e\u0301 \xff\n\ttab"

// samples are charts of every kind, small and plain except for their names.
func samples() map[string]Chart {
	o := Options{Title: hostile, Caption: hostile, XLabel: hostile, YLabel: hostile}
	s := Series{Name: hostile, X: []float64{1, 2, 4}, Y: []float64{0.5, math.NaN(), 0.25},
		Names: []string{hostile, hostile, "c"}, Marked: []int{0}}
	line := Line(o, s, Series{Name: "other", Y: []float64{1, 2, 3}})
	list := map[string]Chart{
		"line":    line,
		"scatter": Scatter(o, s, s),
		"precision": PrecisionRecall(o, Curve{Name: hostile, Threshold: []float64{3, 1, 2},
			Precision: []float64{0.2, 0.9, 0.5},
			Recall:    []float64{0.9, 0.1, 0.5}, Marked: []int{2}}),
		"bar": Bar(o, []string{hostile, strings.Repeat("long/", 60), ""},
			Series{Name: hostile, Y: []float64{1, -2, math.NaN()}}, Series{Y: []float64{0, math.Inf(1), 3}}),
		"circles": Circles(o, []Circle{{hostile, 0, 0, 1, Head}, {"r", 1, 1, 1, Rotated}, {"k", 2, 1, 0.5, Known},
			{"i", 1, 2, 0.5, Inferred},
			{"a", 0, 2, 0.5, HeldOut}, {"m", 3, 3, 0.1, Missed}, {"", -1, -1, -0.2, Untouched}},
			Arrow{hostile, 0, 0, 1, 1}),
		"parallel": Parallel(Options{Title: hostile, Caption: hostile}, []string{hostile, "b", ""}, []int{1},
			Axis{Name: hostile, Values: []float64{1, math.NaN(), 3}},
			Axis{Name: "model", Values: []float64{0, 1, 0}, Labels: []string{hostile, "rotate"}},
			Axis{Name: "f1", Values: []float64{0.1, 0.1, math.Inf(1)}}),
		"empty parallel":  Parallel(Options{}, nil, nil),
		"empty line":      Line(Options{}),
		"empty scatter":   Scatter(Options{LogX: true}, Series{Name: "nothing"}),
		"empty bar":       Bar(Options{}, nil),
		"empty circles":   Circles(Options{}, nil),
		"empty precision": PrecisionRecall(Options{}),
	}
	list["stack"] = Stack(o, line, list["bar"], list["circles"])
	return list
}

func TestEveryKindInEveryFormat(t *testing.T) {
	t.Parallel()
	for name, c := range samples() {
		t.Run(name, func(t *testing.T) {
			root := draw(t, c)
			w, h := c.Size()
			if root.attr["viewBox"] != "0 0 "+strconv.Itoa(w)+" "+strconv.Itoa(h) || root.attr["role"] != "img" {
				t.Errorf("the root is %v", root.attr)
			}
			if root.attr["aria-label"] == "" || root.children[0].name != "title" ||
				root.children[0].text != root.attr["aria-label"] {
				t.Errorf("a screen reader gets %q and %q", root.attr["aria-label"], root.children[0].text)
			}
			checkNumbers(t, root)

			for _, ratio := range []int{0, 1} {
				c.PixelRatio = ratio
				b, err := c.PNG()
				expect.NoError(t, err)
				img, err := png.Decode(bytes.NewReader(b))
				expect.NoError(t, err)
				if got, want := img.Bounds().Dx(), w*(2-ratio); got != want {
					t.Errorf("PixelRatio %d: the PNG is %d pixels wide, not %d", ratio, got, want)
				}
			}
			text := c.String()
			for _, line := range strings.Split(text, "\n") {
				if n := uniseg.StringWidth(line); n > 70 {
					t.Errorf("a line of the text has %d columns: %s", n, line)
				}
			}
			if strings.ContainsAny(text, "\x1b\x00\t") || strings.Contains(text, "\u202e") {
				t.Errorf("the text can steer a terminal: %q", text)
			}
		})
	}
}

// checkNumbers looks for what a browser would refuse: no number, a negative length, an element or attribute that a
// page's policy forbids.
func checkNumbers(t *testing.T, n *node) {
	t.Helper()
	for key, value := range n.attr {
		switch key {
		case "x", "y", "cx", "cy", "r", "width", "height", "font-size", "stroke-width", "stroke-opacity",
			"fill-opacity":
			v := n.number(t, key)
			if !finite(v) || v < 0 && key != "x" && key != "y" && key != "cx" && key != "cy" {
				t.Errorf("<%s %s=%q>", n.name, key, value)
			}
		case "points", "d":
			if strings.ContainsAny(value, "NIn") {
				t.Errorf("<%s %s=%q>", n.name, key, value)
			}
		case "id", "style":
			t.Errorf("<%s> has %s: several charts in a page would clash, or the page's policy refuse it", n.name, key)
		}
		if strings.HasPrefix(key, "on") {
			t.Errorf("<%s> has a script in %s", n.name, key)
		}
	}
	switch n.name {
	case "svg", "title", "desc", "g", "rect", "circle", "path", "polyline", "polygon", "text":
	default:
		t.Errorf("there is an element <%s>", n.name)
	}
	for _, c := range n.children {
		checkNumbers(t, c)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	want := map[string][2][]byte{}
	for name, c := range samples() {
		c.PixelRatio = 1
		svg, err := c.SVG()
		expect.NoError(t, err)
		pixels, err := c.PNG()
		expect.NoError(t, err)
		want[name] = [2][]byte{svg, pixels}
	}
	var wg sync.WaitGroup
	for range 3 { // at the same time, too
		wg.Go(func() {
			for name, c := range samples() {
				c.PixelRatio = 1
				svg, err := c.SVG()
				if err != nil || !bytes.Equal(svg, want[name][0]) {
					t.Errorf("%s: another SVG (%v)", name, err)
				}
				pixels, err := c.PNG()
				if err != nil || !bytes.Equal(pixels, want[name][1]) {
					t.Errorf("%s: another PNG (%v)", name, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	for name, c := range samples() {
		if c.Title == "" {
			continue
		}
		root := draw(t, c)
		whole := clean(hostile)
		if got := root.attr["aria-label"]; got != whole ||
			!strings.Contains(got, "</text><script>alert('x')</script>&\"") ||
			!strings.Contains(got, "关系 e\u0301") {
			t.Errorf("%s: the label is %q", name, got)
		}
		found := false
		for _, n := range root.all("title", "") {
			found = found || strings.Contains(n.text, whole) && n.parent != root
		}
		for _, n := range root.all("text", "") {
			found = found || n.text == whole
		}
		if !found {
			t.Errorf("%s: the name is nowhere in the picture", name)
		}
	}
}

func TestRenderFillsTheNotebooksInterface(t *testing.T) {
	t.Parallel()
	type renderer = interface {
		Render() struct{ Data, Metadata, Transient map[string]interface{} }
	}
	var v interface{} = Line(Options{Title: "loss"}, Series{Y: []float64{3, 2, 1}})
	r, ok := v.(renderer)
	if !ok {
		t.Fatal("a Chart has no Render that a notebook takes")
	}
	d := r.Render()
	if s, ok := d.Data["image/svg+xml"].(string); !ok || !strings.HasPrefix(s, "<svg ") {
		t.Errorf("SVG is %T", d.Data["image/svg+xml"])
	}
	if b, ok := d.Data["image/png"].([]byte); !ok || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("PNG is %T", d.Data["image/png"])
	}
	if s, ok := d.Data["text/plain"].(string); !ok || !strings.HasPrefix(s, "loss\n") {
		t.Errorf("text is %q", d.Data["text/plain"])
	}
	if size := d.Metadata["image/png"].(map[string]interface{}); size["width"] != 640 || size["height"] != 380 {
		t.Errorf("the PNG must be shown as %v", size)
	}

	d = Line(Options{}, Series{X: []float64{1}, Y: []float64{1, 2}}).Render()
	if s := d.Data["text/plain"].(string); len(d.Data) != 1 ||
		!strings.Contains(s, "cannot draw: chart: series 1 has 1 X value but 2 Y values") {
		t.Errorf("a wrong chart is shown as %v", d.Data)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	many := make([]Series, 29)
	for name, test := range map[string]struct {
		c    Chart
		want string
	}{
		"zero":     {Chart{}, "make it with Line"},
		"small":    {Line(Options{Width: 50}), "50 x 380 px: Width must be 200"},
		"negative": {Line(Options{Height: -1}), "Height 140"},
		"large":    {Line(Options{Width: 1e6}), "20000"},
		"ratio":    {Line(Options{PixelRatio: 9}), "PixelRatio is 9"},
		"names": {Scatter(Options{}, Series{Name: "radius", Y: []float64{1}, Names: []string{"a", "b"}}),
			`series "radius" has 2 names but 1 Y value`},
		"marked": {Line(Options{}, Series{Y: []float64{1}, Marked: []int{1}}), "point 1 marked"},
		"many":   {Line(Options{}, many...), "29 series: more than 28"},
		"far":    {Line(Options{}, Series{Y: []float64{-1e308, 1.7e308}}), "the y axis: make it logarithmic"},
		"precision": {PrecisionRecall(Options{}, Curve{Name: "a", Precision: []float64{1.5}, Recall: []float64{1}}),
			`point 0 of curve "a" has precision 1.5`},
		"recall": {PrecisionRecall(Options{}, Curve{Precision: []float64{1}}),
			"curve 1 has 1 value of precision but 0 values of recall"},
		"threshold": {PrecisionRecall(Options{}, Curve{Precision: []float64{1}, Recall: []float64{1},
			Threshold: []float64{}}), "Threshold nil"},
		"log curve":   {PrecisionRecall(Options{LogX: true}), "leave LogX"},
		"log bar":     {Bar(Options{LogX: true}, nil), "leave LogX"},
		"log circles": {Circles(Options{LogY: true}, nil), "equal scales"},
		"rows": {Bar(Options{}, []string{"a"}, Series{Name: "f1"}),
			`series "f1" has 0 Y values, but there are 1 name`},
		"bars": {Bar(Options{}, make([]string, 501), Series{Y: make([]float64, 501)}), "sort them and take the first"},
		"flat bars": {Bar(Options{Height: 150}, make([]string, 100), Series{Y: make([]float64, 100)}),
			"no room for 100 bars"},
		"circle": {Circles(Options{}, []Circle{{Name: "Paris", X: math.NaN()}}),
			`circle "Paris" has centre (NaN, 0)`},
		"mark":     {Circles(Options{}, []Circle{{Mark: 9}}), "circle 1 has Mark 9"},
		"arrow":    {Circles(Options{}, nil, Arrow{ToX: math.Inf(1)}), "arrow 1 goes from"},
		"circles":  {Circles(Options{}, make([]Circle, 2001)), "2,001 circles are more than Circles draws (2,000)"},
		"stack":    {Stack(Options{}), "at least one"},
		"in stack": {Stack(Options{}, Chart{}), "make it with"},
		"no room": {Line(Options{Height: 140, Title: "t", Caption: strings.Repeat("word ", 200), XLabel: "x"}),
			"raise Height"},
	} {
		if _, err := test.c.SVG(); err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "chart: ") {
			t.Errorf("%s: SVG returns %v, not ... %s", name, err, test.want)
		}
		if _, err := test.c.PNG(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: PNG returns %v", name, err)
		}
	}
	if _, err := Line(Options{Width: 20000, Height: 20000}).PNG(); err == nil ||
		!strings.Contains(err.Error(), "1,600,000,000 pixels is too large") {
		t.Errorf("a very large PNG returns %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Line(Options{Title: "loss"}, Series{Y: []float64{2, 1}})
	svg, err := c.SVG()
	expect.NoError(t, err)
	pixels, err := c.PNG()
	expect.NoError(t, err)
	for name, want := range map[string]string{"a.svg": string(svg), "b.PNG": string(pixels), "c.txt": c.String()} {
		path := filepath.Join(dir, name)
		expect.NoError(t, c.WriteFile(path))
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds something else (%v)", name, err)
		}
	}
	if err := c.WriteFile(filepath.Join(dir, "a.jpg")); err == nil ||
		!strings.Contains(err.Error(), `must end in .svg, .pdf, .png or .txt, not ".jpg"`) {
		t.Errorf("a.jpg returns %v", err)
	}
	if err := c.WriteFile(filepath.Join(dir, "none", "a.svg")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder returns %v", err)
	}
	path := filepath.Join(dir, "d.svg")
	if err := (Chart{}).WriteFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a Chart without data returns %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a chart that cannot be drawn left a file")
	}
}

// TestExtremeValues draws every combination of awkward values. What is not an error must be a proper SVG.
func TestExtremeValues(t *testing.T) {
	t.Parallel()
	values := []float64{0, math.Copysign(0, -1), 1, math.Nextafter(1, 2), -1, math.NaN(), math.Inf(1), math.Inf(-1),
		1e308, -1e308, 5e-324, 1e-300, 1e15, 123456.789}
	for _, a := range values {
		for _, b := range values {
			for _, log := range []bool{false, true} {
				o := Options{LogX: log, LogY: log}
				y := []float64{a, b, a}
				x := []float64{b, a, 1}
				for _, c := range []Chart{
					Line(o, Series{Y: y}), Line(o, Series{X: x, Y: y}), Scatter(o, Series{X: x, Y: y}),
					Bar(Options{}, []string{"a", "b", "c"}, Series{Y: y}),
					Circles(Options{}, []Circle{{X: a, Y: b, R: 1}, {X: b, Y: a, R: a, Mark: Known}}),
					PrecisionRecall(Options{}, Curve{Precision: y, Recall: x}),
				} {
					svg, err := c.SVG()
					if err == nil {
						checkNumbers(t, parse(t, svg))
					} else if !strings.HasPrefix(err.Error(), "chart: ") {
						t.Errorf("%v %v: %v", a, b, err)
					}
					if text := c.String(); text == "" {
						t.Errorf("%v %v: no text", a, b)
					}
					if t.Failed() {
						t.Fatalf("values %v and %v, log %v, %T", a, b, log, c.body)
					}
				}
			}
		}
	}
}
