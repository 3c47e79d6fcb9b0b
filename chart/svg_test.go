package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// node is an element of an SVG, to be searched.
type node struct {
	name     string
	attr     map[string]string
	text     string
	children []*node
	parent   *node
}

// parse reads an SVG strictly.
func parse(t *testing.T, svg []byte) *node {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	root := &node{}
	at := root
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}, parent: at}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			at.children = append(at.children, n)
			at = n
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			at.text += string(token)
		}
	}
	if len(root.children) != 1 || root.children[0].name != "svg" {
		t.Fatalf("the SVG has not one root element svg")
	}
	return root.children[0]
}

// all finds the elements of a name, and of a class if one is given.
func (n *node) all(name, class string) []*node {
	var list []*node
	for _, c := range n.children {
		if c.name == name && (class == "" || c.attr["class"] == class) {
			list = append(list, c)
		}
		list = append(list, c.all(name, class)...)
	}
	return list
}

// title is the text of the element's own title.
func (n *node) title() string {
	for _, c := range n.children {
		if c.name == "title" {
			return c.text
		}
	}
	return ""
}

func (n *node) number(t *testing.T, attr string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(n.attr[attr], 64)
	if err != nil {
		t.Fatalf("<%s> has %s=%q: %v", n.name, attr, n.attr[attr], err)
	}
	return v
}

func (n *node) points(t *testing.T) []point {
	t.Helper()
	var list []point
	for _, pair := range strings.Fields(n.attr["points"]) {
		x, y, _ := strings.Cut(pair, ",")
		a, err1 := strconv.ParseFloat(x, 64)
		b, err2 := strconv.ParseFloat(y, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("points have %q", pair)
		}
		list = append(list, point{a, b})
	}
	return list
}

// axes maps data to px by what the area of an SVG says, in arithmetic of the test's own.
func axes(t *testing.T, area *node) func(x, y float64) point {
	t.Helper()
	left, top, w, h := area.number(t, "x"), area.number(t, "y"), area.number(t, "width"), area.number(t, "height")
	share := func(name string, v float64) float64 {
		lo, hi := area.number(t, "data-"+name+"min"), area.number(t, "data-"+name+"max")
		if area.attr["data-"+name+"log"] == "true" {
			return math.Log(v/lo) / math.Log(hi/lo)
		}
		return (v - lo) / (hi - lo)
	}
	return func(x, y float64) point { return point{left + w*share("x", x), top + h - h*share("y", y)} }
}

func near(a, b point) bool { return math.Abs(a.x-b.x) < 0.011 && math.Abs(a.y-b.y) < 0.011 }

func draw(t *testing.T, c Chart) *node {
	t.Helper()
	svg, err := c.SVG()
	expect.NoError(t, err)
	return parse(t, svg)
}

// A browser may have a wider font only. Names in a legend keep the width that was measured for them.
func TestLegendNamesKeepTheirWidth(t *testing.T) {
	t.Parallel()
	raw, err := Line(Options{}, Series{Name: "a long name", Y: []float64{1, 2}}, Series{Name: "b", Y: []float64{2, 1}}).SVG()
	expect.NoError(t, err)
	for _, name := range []string{"a long name", "b"} {
		want := fmt.Sprintf(`textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`,
			strconv.FormatFloat(math.Round(measure(name, textSize)*100)/100, 'f', -1, 64), name)
		if !strings.Contains(string(raw), want) {
			t.Errorf("the chart lacks %s", want)
		}
	}
}
