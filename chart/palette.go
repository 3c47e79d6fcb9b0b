package chart

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// maxColors is the max number of colours of a paletted picture.
const maxColors = 64

// reducePalette returns the picture with its most frequent colours; every other colour becomes the nearest of them.
// Charts have few colours besides the shades at edges of text and lines, so the difference is invisible, and a PNG has
// a third of the bytes.
func reducePalette(img image.Image) *image.Paletted {
	bounds := img.Bounds()
	count := make(map[color.RGBA]int)
	each := func(visit func(x, y int, c color.RGBA)) {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				visit(x, y, color.RGBAModel.Convert(img.At(x, y)).(color.RGBA))
			}
		}
	}
	each(func(_, _ int, c color.RGBA) { count[c]++ })
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B),
			cmp.Compare(a.A, b.A))
	})
	palette := make(color.Palette, min(len(colors), maxColors))
	for i := range palette {
		palette[i] = colors[i]
	}
	index := make(map[color.RGBA]uint8, len(colors))
	for i, c := range colors {
		if i < len(palette) {
			index[c] = uint8(i)
		} else {
			index[c] = uint8(palette.Index(c))
		}
	}
	small := image.NewPaletted(bounds, palette)
	each(func(x, y int, c color.RGBA) { small.SetColorIndex(x, y, index[c]) })
	return small
}
