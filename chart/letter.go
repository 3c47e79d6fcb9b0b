package chart

import (
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/rivo/uniseg"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// regular is the font of all text, parsed once and never changed.
var regular = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic("chart: the built-in font: " + err.Error())
	}
	return f
})

// clean makes a text fit for one line of any format. Control characters (which would steer a terminal) and line breaks
// become spaces; characters that change the direction of text are removed.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
			return -1
		case r == '\u2028', r == '\u2029', unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// run is a part of a text that the font has, or one character that it lacks.
type run struct {
	text    string
	isKnown bool
}

func (r run) width(size float64) float64 {
	if !r.isKnown {
		return 0.5 * size * float64(uniseg.StringWidth(r.text)) // Chinese is one em wide, two columns
	}
	face := plotfont.Face{Font: plotfont.Font{Size: vg.Length(size)}, Face: regular()}
	return float64(face.Width(r.text))
}

func split(s string) []run {
	var buf sfnt.Buffer
	var runs []run
	from := 0
	for i, c := range s {
		if index, err := regular().GlyphIndex(&buf, c); err == nil && index != 0 {
			continue
		}
		if from < i {
			runs = append(runs, run{s[from:i], true})
		}
		from = i + len(string(c))
		runs = append(runs, run{s[i:from], false})
	}
	if from < len(s) {
		runs = append(runs, run{s[from:], true})
	}
	return runs
}

// measure returns the width of a text in px.
func measure(s string, size float64) float64 {
	width := 0.0
	for _, r := range split(s) {
		width += r.width(size)
	}
	return width
}

// letters splits a text into characters as readers see them, so that no accent is cut off.
func letters(s string) []string {
	var list []string
	state := -1
	for s != "" {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		list = append(list, cluster)
	}
	return list
}

// brief cuts the middle out of a text that is too long for any picture, so that not all of it is measured.
func brief(s string) string {
	const maximum = 1500
	if list := []rune(s); len(list) > 2*maximum {
		return string(list[:maximum]) + "…" + string(list[len(list)-maximum:])
	}
	return s
}

// shorten cuts the middle out of a text until it fits: names of relations often differ only at the end.
func shorten(s string, fits func(string) bool) string {
	if s = brief(s); fits(s) {
		return s
	}
	list := letters(s)
	low, high := 0, len(list)-1 // of characters kept: low fits or is 0, high+1 does not
	cut := func(n int) string {
		tail := n / 2
		return strings.Join(list[:n-tail], "") + "…" + strings.Join(list[len(list)-tail:], "")
	}
	for low < high {
		mid := (low + high + 1) / 2
		if fits(cut(mid)) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return cut(low)
}

// shortenTo cuts a text to a width in px.
func shortenTo(s string, size, width float64) string {
	return shorten(s, func(t string) bool { return measure(t, size) <= width })
}

// wrap breaks a text into at most n lines of a width in px. The last line is cut if it does not fit.
func wrap(s string, size, width float64, n int) []string {
	return fold(s, n, func(t string) bool { return measure(t, size) <= width })
}

func fold(s string, n int, fits func(string) bool) []string {
	var lines []string
	words := strings.Fields(brief(s))
	for len(words) > 0 {
		line := words[0]
		words = words[1:]
		if len(lines) == n-1 {
			line = strings.Join(append([]string{line}, words...), " ")
			words = nil
		}
		for len(words) > 0 && fits(line+" "+words[0]) {
			line += " " + words[0]
			words = words[1:]
		}
		lines = append(lines, shorten(line, fits))
	}
	return lines
}
