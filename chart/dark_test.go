package chart

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// contrast is the ratio of the luminances of two colours, by WCAG 2.1.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		sum := 0.0
		for i, share := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64([]uint8{c.R, c.G, c.B}[i]) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += share * v
		}
		return sum + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}

// On a dark page lines have their colours, except for black ones, and lines and texts can be seen.
func TestDarkSVG(t *testing.T) {
	ground := onDark(white)
	for i := range Colors {
		c := hue(i)
		if got := onDark(fade(c, 0.5)); c != black && got != fade(c, 0.5) {
			t.Errorf("colour %v is %v on a dark page", c, got)
		}
		if ratio := contrast(onDark(c), ground); ratio < 3 {
			t.Errorf("colour %v stands out by %.2f to 1", c, ratio)
		}
	}
	for name, c := range map[string]color.NRGBA{"ink": ink, "faint": faint} {
		if ratio := contrast(onDark(c), ground); ratio < 4.5 {
			t.Errorf("text in %s stands out by %.2f to 1", name, ratio)
		}
	}
	c := Line(Options{Title: "t"}, Series{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}, Place: Colors},
		Series{Name: "b", X: []float64{1, 2}, Y: []float64{2, 1}, Place: 6})
	light, err := c.SVG()
	expect.NoError(t, err)
	dark, err := c.DarkSVG()
	expect.NoError(t, err)
	for _, gone := range []string{`"#ffffff"`, `"#000000"`, `"#222222"`, `"#555555"`, `"#e4e4e4"`} {
		if !strings.Contains(string(light), gone) || strings.Contains(string(dark), gone) {
			t.Errorf("the light picture lacks %s, or the dark one has it", gone)
		}
	}
	if !strings.Contains(string(dark), `"#56b4e9"`) {
		t.Error("a line has another colour on a dark page")
	}
}
