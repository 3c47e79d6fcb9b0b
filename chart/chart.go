// Package chart draws what spherelab measures: training curves, scatters, precision against recall, bars, and the
// circles of an embedding in the plane. Plain data goes in; SVG, PDF, PNG or text comes out. Terminal, notebook and web
// pages draw through it and so look alike.
//
// [Line], [Scatter], [PrecisionRecall], [Bar], [Parallel], [Circles] and [Stack] make a chart. A chart is a value: its
// data is read and it is drawn when a format is requested. As the last expression of a notebook's cell it is shown as a
// picture ([Chart.Render]); printed it is text ([Chart.String]). The same data give the same bytes.
//
// The package has its own layout, SVG and text, because they need sizes of text, titles of marks and equal scales of
// both axes. Pixels and sizes of text come from gonum/plot (packages vg, vgimg and font). Its package plot is not used,
// because it would link eleven more fonts.
package chart

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Options are what all charts have in common. The zero value is useful. Lengths are in px.
type Options struct {
	Title   string // above the chart; a screen reader reads it first
	Caption string // below the chart, for example a correlation that the caller computed
	XLabel  string // below the x axis
	YLabel  string // above the y axis
	LogX    bool   // logarithmic axis; values of 0 (1e-290) and below are left out and counted
	LogY    bool
	Plain   bool // no title, caption or notes on the data, for a figure whose page has its own text
	Width   int  // 0 is 640, for Circles and PrecisionRecall 560
	Height  int  // 0 is 380, for Circles and PrecisionRecall 520, for Bar and Stack what they need

	// PixelRatio is the number of pixels of a PNG per px, 1 to 4. 0 is 2, which is sharp on today's screens: a chart of
	// Width 640 has 1280 pixels.
	PixelRatio int
}

// Chart is a chart that can be drawn in several formats. Make one with [Line], [Scatter], [PrecisionRecall], [Bar],
// [Parallel], [Circles] or [Stack]; its options may be changed afterwards. It is safe for concurrent use while
// neither it nor its data change.
type Chart struct {
	Options
	body body
}

// body holds the data of one kind of chart.
type body interface {
	// size returns the width and height in px that the chart has unless the options set them.
	size(o Options) (w, h int)
	// prepare checks the data and finds the ranges of the axes.
	prepare(o Options) (panel, error)
}

// panel is a chart whose data have been checked.
type panel interface {
	// left returns the space in px that the labels of the y axis need in a box.
	left(box rect) float64
	// draw draws into the box and keeps left px free for the labels of the y axis.
	draw(s surface, box rect, left float64) error
	// text returns the chart as text of at most w columns and about h rows.
	text(w, h int) string
	// summary returns what the chart shows, in words.
	summary() string
}

// Limits of the sizes of a chart in px, and of the pixels of a PNG.
const (
	minWidth, minHeight = 200, 140
	maxSide             = 20000
	maxPixels           = 100e6
)

// Size returns width and height of the chart in px.
func (c Chart) Size() (width, height int) {
	width, height = c.Width, c.Height
	if c.body != nil {
		w, h := c.body.size(c.shown())
		if width == 0 {
			width = w
		}
		if height == 0 {
			height = h
		}
	}
	return width, height
}

// shown returns the options without texts that are left out.
func (c Chart) shown() Options {
	if c.Plain {
		c.Title, c.Caption = "", ""
	}
	return c.Options
}

func (c Chart) prepare() (p panel, width, height int, err error) {
	if c.body == nil {
		return nil, 0, 0, errors.New(
			"chart: a Chart without data: make it with Line, Scatter, PrecisionRecall, Bar, Parallel, Circles or Stack")
	}
	width, height = c.Size()
	if width < minWidth || height < minHeight || width > maxSide || height > maxSide {
		return nil, 0, 0, limitf("a size of %d x %d px: Width must be %d to %d and Height %d to %d "+
			"(0 takes the default)", width, height, minWidth, maxSide, minHeight, maxSide)
	}
	if c.PixelRatio < 0 || c.PixelRatio > 4 {
		return nil, 0, 0, fmt.Errorf("chart: PixelRatio is %d: it must be 1 to 4 (0 is 2)", c.PixelRatio)
	}
	p, err = c.body.prepare(c.shown())
	return p, width, height, err
}

// paint draws p on s, a surface of the given size.
func paint(s surface, p panel, width, height int) error {
	box := rect{0, 0, float64(width), float64(height)}
	s.rect(box, white)
	return p.draw(s, box, p.left(box))
}

// SVG returns the chart as one svg element. It has no XML declaration, so that it can be a file or part of a page.
// Text is text, sizes are in px and scale by the viewBox, the background is white, and it needs no style sheet or
// script. Elements with data have a title with their name and values; the element of class "area" gives place and range
// of the axes as data attributes for a page's script. It has no ids, so that several fit in one page.
func (c Chart) SVG() ([]byte, error) { return c.svg(false) }

// DarkSVG returns the SVG for a dark page: the background is dark, and texts, axes and black lines are light. The other
// colours are those of SVG, so lines look the same in both.
func (c Chart) DarkSVG() ([]byte, error) { return c.svg(true) }

func (c Chart) svg(dark bool) ([]byte, error) {
	p, width, height, err := c.prepare()
	if err != nil {
		return nil, err
	}
	s := newSVG(width, height, c.Title, p.summary())
	s.isDark = dark
	if err := paint(s, p, width, height); err != nil {
		return nil, err
	}
	return s.bytes(), nil
}

// PNG returns the chart as the contents of a PNG file, of PixelRatio pixels per px. Characters that the built-in font,
// Liberation Sans, does not have (for example Chinese) are drawn as empty boxes; SVG leaves the choice of the font to
// the viewer and shows them.
func (c Chart) PNG() ([]byte, error) { return c.png(false) }

func (c Chart) png(small bool) ([]byte, error) {
	p, width, height, err := c.prepare()
	if err != nil {
		return nil, err
	}
	ratio := c.PixelRatio
	if ratio == 0 {
		ratio = 2
	}
	if pixels := width * height * ratio * ratio; pixels > maxPixels {
		return nil, limitf("a PNG of %s pixels is too large: lower Width, Height or PixelRatio, or use SVG",
			quantity.Commas(pixels))
	}
	s := newRaster(width, height, ratio)
	if err := paint(s, p, width, height); err != nil {
		return nil, err
	}
	return s.png(small)
}

// PDF returns the chart as the contents of a PDF file of one page, with 96 px per inch. Letters are outlines.
// Characters that the built-in font does not have are empty boxes, as in a PNG.
func (c Chart) PDF() ([]byte, error) {
	p, width, height, err := c.prepare()
	if err != nil {
		return nil, err
	}
	s := newPDF(width, height)
	if err := paint(s, p, width, height); err != nil {
		return nil, err
	}
	return s.bytes(or(clean(c.Title), p.summary()))
}

// Text returns the chart as plain text of at most width columns and about height rows, at least 30 and 8.
func (c Chart) Text(width, height int) (string, error) {
	p, _, _, err := c.prepare()
	if err != nil {
		return "", err
	}
	return p.text(max(width, 30), max(height, 8)), nil
}

// String returns the chart as text of 70 columns and about 16 rows, or the reason why it cannot be drawn.
func (c Chart) String() string {
	text, err := c.Text(70, 16)
	if err != nil {
		return "cannot draw: " + err.Error()
	}
	return text
}

// WriteFile writes the chart to a file. The ending of the name chooses the format: .svg, .pdf, .png or .txt.
func (c Chart) WriteFile(path string) error {
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		data, err = c.SVG()
	case ".png":
		data, err = c.PNG()
	case ".pdf":
		data, err = c.PDF()
	case ".txt":
		var text string
		text, err = c.Text(70, 16)
		data = []byte(text)
	default:
		return fmt.Errorf("chart: cannot write %s: the name must end in .svg, .pdf, .png or .txt, not %q", path,
			ext)
	}
	if err != nil {
		return fmt.Errorf("%w (writing %s)", err, path)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

// Bundle is a value in several formats by MIME type, as notebooks expect it. Metadata has hints such as the size of a
// picture.
type Bundle = struct {
	Data      map[string]interface{}
	Metadata  map[string]interface{}
	Transient map[string]interface{}
}

// Render returns what a notebook shows: SVG, PNG, and text. JupyterLab shows the PNG in notebooks that their reader has
// not run: it does not trust SVG there. The PNG has a small palette, which keeps notebooks small. If the chart
// cannot be drawn, the text says why. A PNG takes about a hundred times as long as the rest: a chart that is redrawn
// while it grows should use SVG and String.
func (c Chart) Render() Bundle {
	svg, err := c.SVG()
	if err != nil {
		return Bundle{Data: map[string]interface{}{"text/plain": c.String()}}
	}
	b := Bundle{Data: map[string]interface{}{"image/svg+xml": string(svg), "text/plain": c.String()}}
	if png, err := c.png(true); err == nil {
		w, h := c.Size()
		b.Data["image/png"] = png
		b.Metadata = map[string]interface{}{"image/png": map[string]interface{}{"width": w, "height": h}}
	}
	return b
}
