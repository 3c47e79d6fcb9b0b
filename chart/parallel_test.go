package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestParallelLinesAreWhereTheAxesSay(t *testing.T) {
	t.Parallel()
	root := draw(t, Parallel(Options{}, []string{"a", "b", "c"}, []int{2},
		Axis{Name: "gamma", Values: []float64{3, 6, 12}},
		Axis{Name: "model", Values: []float64{0, 1, 1}, Labels: []string{"rotate", "sphere"}},
		Axis{Name: "f1", Values: []float64{0.5, math.NaN(), 0.25}}))
	lines := root.all("g", "line")
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	points := map[string][]point{}
	for _, l := range lines {
		points[l.title()] = l.all("polyline", "")[0].points(t)
	}
	a, b, c := points["a: gamma 3, model rotate, f1 0.5"], points["b: gamma 6, model sphere, f1 NaN"],
		points["c: gamma 12, model sphere, f1 0.25"]
	if len(a) != 3 || len(b) != 2 || len(c) != 3 {
		t.Fatalf("lines %v", points)
	}
	// On each axis places are in the proportion of values, the largest on top, whatever the other axes have.
	gaps := []float64{a[1].x - a[0].x, a[2].x - a[1].x}
	if a[0].x != b[0].x || a[2].x != c[2].x || gaps[0] <= 0 || math.Abs(gaps[0]-gaps[1]) > 0.02 {
		t.Errorf("the axes are at %v", a)
	}
	if share := (a[0].y - b[0].y) / (a[0].y - c[0].y); math.Abs(share-1.0/3) > 0.001 {
		t.Errorf("6 is at %v of the way from 3 to 12", share)
	}
	if a[1].y <= b[1].y || b[1].y != c[1].y || a[2].y >= c[2].y {
		t.Errorf("a %v, b %v, c %v", a, b, c)
	}
	if last := lines[2].title(); !strings.HasPrefix(last, "c:") { // the marked line is above the others
		t.Errorf("the last line is %q", last)
	}
	text, err := Parallel(Options{}, []string{"a"}, nil, Axis{Name: "x", Values: []float64{1}},
		Axis{Name: "y", Values: []float64{2}}).Text(60, 10)
	if err != nil || !strings.Contains(text, "a: x 1, y 2") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestParallelTicks: an axis of few values has its ticks there, unless they are too close; one of many whole numbers at
// whole numbers.
func TestParallelTicks(t *testing.T) {
	t.Parallel()
	names, many := make([]string, 8), make([]float64, 8)
	for i := range many {
		names[i], many[i] = fmt.Sprint(i), float64(i)/2
	}
	whole := []float64{1, 2, 3, 4, 5, 6, 7, 9}
	root := draw(t, Parallel(Options{}, names, nil,
		Axis{Name: "dimension", Values: []float64{16, 64, 16, 64, 16, 64, 16, math.NaN()}},
		Axis{Name: "close", Values: []float64{0, 100, 0.5, 0, 0, 0, 0, 0}},
		Axis{Name: "seed", Values: whole}, Axis{Name: "many", Values: many},
		Axis{Name: "none", Values: slices.Repeat([]float64{math.NaN()}, 8)}))
	got := map[string]string{}
	for _, a := range root.all("g", "axis") {
		var labels []string
		for _, tick := range a.all("g", "tick") {
			labels = append(labels, tick.all("text", "")[0].text)
		}
		got[a.all("text", "")[0].text] = strings.Join(labels, " ")
	}
	for name, want := range map[string]string{"dimension": "16 64", "close": "0 100", "seed": "2 4 6 8"} {
		if got[name] != want {
			t.Errorf("%s has the ticks %q, want %q", name, got[name], want)
		}
	}
	if n := len(strings.Fields(got["many"])); n < 3 || n > 8 {
		t.Errorf("many values have the ticks %q", got["many"])
	}
}

func TestParallelRefuses(t *testing.T) {
	t.Parallel()
	fine := Axis{Name: "x", Values: []float64{1, 2}}
	for want, c := range map[string]Chart{
		"2 to 16 axes":            Parallel(Options{}, []string{"a", "b"}, nil, fine),
		"one value per line":      Parallel(Options{}, []string{"a"}, nil, fine, fine),
		"marked":                  Parallel(Options{}, []string{"a", "b"}, []int{2}, fine, fine),
		"labels for 0 to 0":       Parallel(Options{}, []string{"a", "b"}, nil, fine, Axis{Values: []float64{0, 1}, Labels: []string{"x"}}),
		"scales of their own":     Parallel(Options{LogX: true}, []string{"a", "b"}, nil, fine, fine),
		"cannot be distinguished": Parallel(Options{}, make([]string, 29), nil),
		"at most 200":             Parallel(Options{}, make([]string, 201), []int{0}),
	} {
		if _, err := c.SVG(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestParallelNamesWhatIsMarked: many lines fit where few are strong, and those have keys.
func TestParallelNamesWhatIsMarked(t *testing.T) {
	t.Parallel()
	names, values := make([]string, 60), make([]float64, 60)
	for i := range names {
		names[i], values[i] = fmt.Sprintf("line %d of many", i), float64(i)
	}
	axis := Axis{Name: "x", Values: values}
	p, err := parallel{names, nil, []int{3, 50}, []Axis{axis, axis}}.prepare(Options{})
	expect.NoError(t, err)
	if keys := p.(*parallelPanel).keys(); len(keys) != 2 || keys[0].name != names[3] || keys[1].name != names[50] {
		t.Errorf("the keys are %+v", keys)
	}
}

// With places the lines look like those of other charts, whatever their order.
func TestParallelPlacesAndSwatches(t *testing.T) {
	t.Parallel()
	axes := []Axis{{Name: "x", Values: []float64{1, 2}}, {Name: "y", Values: []float64{3, 4}}}
	look := func(c Chart) (list []string) {
		for _, l := range draw(t, c).all("g", "line") {
			line := l.all("polyline", "")[0]
			list = append(list, line.attr["stroke"]+" "+line.attr["stroke-dasharray"])
		}
		return list
	}
	plain, placed := look(Parallel(Options{}, []string{"a", "b"}, nil, axes...)),
		look(ParallelAt(Options{}, []string{"a", "b"}, []int{2, 9}, nil, axes...))
	if placed[0] != plain[1] || placed[1] == plain[0] || placed[1][:7] != plain[1][:7] {
		t.Errorf("lines look like %q, at places 2 and 9 like %q", plain, placed)
	}
	if s := Swatch(2); !strings.Contains(s, plain[1][:7]) || strings.Contains(s, "style=") {
		t.Errorf("the swatch of %q: %s", plain[1], s)
	}
	if s := Swatch(0); strings.Contains(s, "polyline") {
		t.Errorf("no place has %s", s)
	}
	for _, bad := range [][]int{{1}, {0, 1}, {1, Places + 1}} {
		if _, err := ParallelAt(Options{}, []string{"a", "b"}, bad, nil, axes...).SVG(); err == nil {
			t.Errorf("places %v are drawn", bad)
		}
	}
}
