package chart

import "image/color"

// onDark returns a colour for a dark page, with the same opacity. Only colours that are not those of data change. The
// colours of data have a contrast of at least 3 to 1 to the dark background.
func onDark(c color.NRGBA) color.NRGBA {
	alpha := c.A
	c.A = 255
	switch c {
	case white:
		c = color.NRGBA{R: 0x14, G: 0x18, B: 0x1c}
	case black, ink:
		c = color.NRGBA{R: 0xe4, G: 0xe8, B: 0xec}
	case faint:
		c = color.NRGBA{R: 0xa0, G: 0xa9, B: 0xb3}
	case grid:
		c = color.NRGBA{R: 0x2b, G: 0x32, B: 0x39}
	}
	c.A = alpha
	return c
}
