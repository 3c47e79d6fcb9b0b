package chart

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestRenderedPNG compares the PNG of a notebook with that of a file: the same size, fewer bytes, nearly the same
// pixels.
func TestRenderedPNG(t *testing.T) {
	t.Parallel()
	all := samples()
	for _, name := range []string{"line", "circles"} {
		c := all[name]
		whole, err := c.PNG()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		small, ok := c.Render().Data["image/png"].([]byte)
		if !ok || 2*len(small) > len(whole) {
			t.Errorf("%s: %d bytes next to %d", name, len(small), len(whole))
		}
		a, err := png.Decode(bytes.NewReader(whole))
		expect.NoError(t, err)
		b, err := png.Decode(bytes.NewReader(small))
		if err != nil || a.Bounds() != b.Bounds() {
			t.Fatalf("%s: %v", name, err)
		}
		apart := 0
		for y := range a.Bounds().Dy() {
			for x := range a.Bounds().Dx() {
				p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA),
					color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
				for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
					if d*d > 40*40 {
						apart++
						break
					}
				}
			}
		}
		if pixels := a.Bounds().Dx() * a.Bounds().Dy(); apart*500 > pixels {
			t.Errorf("%s: %d of %d pixels have another colour", name, apart, pixels)
		}
	}
}
