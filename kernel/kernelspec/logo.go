package kernelspec

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// The logo shows two spheres of entities and the rotation that turns one into the other. It is drawn for every size.

// disc is a circle on a square of side 64; line is the width of its edge, 0 for a filled one.
type disc struct {
	x, y, radius, line float64
	colour             color.NRGBA
}

// The edges are visible on white and on black, since front ends have light and dark themes.
var (
	blue      = color.NRGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	paleBlue  = color.NRGBA{R: 0xdc, G: 0xee, B: 0xf8, A: 0xff}
	amber     = color.NRGBA{R: 0xf0, G: 0x8a, B: 0x24, A: 0xff}
	paleAmber = color.NRGBA{R: 0xfd, G: 0xea, B: 0xd0, A: 0xff}
	dark      = color.NRGBA{R: 0x12, G: 0x3a, B: 0x5c, A: 0xff}
)

var logoDiscs = []disc{
	{x: 24, y: 40, radius: 21, colour: paleBlue},
	{x: 47, y: 17, radius: 14, colour: paleAmber},
	{x: 24, y: 40, radius: 21, line: 3.5, colour: blue},
	{x: 47, y: 17, radius: 14, line: 3.5, colour: amber},
	{x: 24, y: 40, radius: 3.8, colour: dark},
	{x: 47, y: 17, radius: 3.8, colour: dark},
}

// arrow is the arc from one centre towards the other, with its head: centre, radius, angles in degrees, y downwards.
const (
	arrowX, arrowY, arrowRadius = 47.0, 40.0, 23.0
	arrowFrom, arrowTo          = 180.0, 238.0
	arrowWidth                  = 3.0
)

// logos are the pictures of a kernelspec by file name.
func logos() (map[string][]byte, error) {
	pictures := map[string][]byte{"logo-svg.svg": []byte(logoSVG())}
	for _, size := range []int{32, 64} {
		var b bytes.Buffer
		if err := png.Encode(&b, logoImage(size)); err != nil {
			return nil, err
		}
		pictures[fmt.Sprintf("logo-%dx%d.png", size, size)] = b.Bytes()
	}
	return pictures, nil
}

func logoSVG() string {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">` + "\n")
	for _, d := range logoDiscs {
		paint := fmt.Sprintf(`fill="%s"`, hexColour(d.colour))
		if d.line > 0 {
			paint = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%g"`, hexColour(d.colour), d.line)
		}
		fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="%g" %s/>`+"\n", d.x, d.y, d.radius, paint)
	}
	x0, y0 := onArrow(arrowFrom)
	x1, y1 := onArrow(arrowTo)
	fmt.Fprintf(&b, `<path d="M %.2f %.2f A %g %g 0 0 1 %.2f %.2f" fill="none" stroke="%s" stroke-width="%g" stroke-linecap="round"/>`+"\n",
		x0, y0, arrowRadius, arrowRadius, x1, y1, hexColour(dark), arrowWidth)
	head := arrowHead()
	fmt.Fprintf(&b, `<path d="M %.2f %.2f L %.2f %.2f L %.2f %.2f Z" fill="%s"/>`+"\n</svg>\n",
		head[0][0], head[0][1], head[1][0], head[1][1], head[2][0], head[2][1], hexColour(dark))
	return b.String()
}

func hexColour(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func onArrow(degrees float64) (x, y float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return arrowX + arrowRadius*cos, arrowY + arrowRadius*sin
}

// arrowHead is a triangle that points along the arc.
func arrowHead() [3][2]float64 {
	x, y := onArrow(arrowTo)
	sin, cos := math.Sincos(arrowTo * math.Pi / 180)
	dx, dy := -sin, cos // along the arc
	const length, half = 7.5, 4.5
	return [3][2]float64{{x + dx*length, y + dy*length}, {x + cos*half, y + sin*half}, {x - cos*half, y - sin*half}}
}

// logoImage draws every pixel as the mean of 8 x 8 points.
func logoImage(size int) *image.NRGBA {
	const fine = 8
	picture := image.NewNRGBA(image.Rect(0, 0, size, size))
	for py := range size {
		for px := range size {
			var r, g, b, a float64
			for i := range fine * fine {
				x := (float64(px) + (float64(i%fine)+0.5)/fine) * 64 / float64(size)
				y := (float64(py) + (float64(i/fine)+0.5)/fine) * 64 / float64(size)
				if c, ok := logoAt(x, y); ok {
					r, g, b, a = r+float64(c.R), g+float64(c.G), b+float64(c.B), a+1
				}
			}
			if a > 0 {
				picture.SetNRGBA(px, py, color.NRGBA{
					R: uint8(r/a + 0.5), G: uint8(g/a + 0.5), B: uint8(b/a + 0.5), A: uint8(a*255/(fine*fine) + 0.5),
				})
			}
		}
	}
	return picture
}

// logoAt is the colour of a point, from the uppermost shape down.
func logoAt(x, y float64) (color.NRGBA, bool) {
	head := arrowHead()
	if inTriangle(x, y, head) {
		return dark, true
	}
	angle := math.Atan2(y-arrowY, x-arrowX)*180/math.Pi + 360
	if angle >= 360 {
		angle -= 360
	}
	if angle >= arrowFrom && angle <= arrowTo && math.Abs(math.Hypot(x-arrowX, y-arrowY)-arrowRadius) <= arrowWidth/2 {
		return dark, true
	}
	for i := len(logoDiscs) - 1; i >= 0; i-- {
		d := logoDiscs[i]
		distance := math.Hypot(x-d.x, y-d.y)
		if d.line > 0 && math.Abs(distance-d.radius) <= d.line/2 || d.line == 0 && distance <= d.radius {
			return d.colour, true
		}
	}
	return color.NRGBA{}, false
}

func inTriangle(x, y float64, t [3][2]float64) bool {
	side := func(a, b [2]float64) bool { return (b[0]-a[0])*(y-a[1])-(b[1]-a[1])*(x-a[0]) >= 0 }
	s := side(t[0], t[1])
	return s == side(t[1], t[2]) && s == side(t[2], t[0])
}
