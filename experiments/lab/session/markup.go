package session

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/experiments/results"
)

// Colours and lines that are readable on white and on the dark grey of notebooks. Text keeps the page's own colour;
// everything else is half transparent or of medium brightness.
const (
	blue    = "#3b87c4"
	red     = "#d9702f"
	green   = "#2f9e77"
	grey    = "rgba(128,128,128,.45)"
	pale    = "rgba(128,128,128,.14)"
	faint   = "opacity:.7"
	border  = "border:1px solid " + grey + ";border-radius:6px"
	cardBox = "display:inline-block;max-width:100%;padding:.6em .9em;" + border
)

// markup builds HTML. Every text goes through text, which escapes it.
type markup struct{ b strings.Builder }

func (m *markup) raw(parts ...string) {
	for _, p := range parts {
		m.b.WriteString(p)
	}
}

func (m *markup) text(s string) { m.b.WriteString(escape(s)) }

// open starts an element with an inline style, which needs no style sheet of the page.
func (m *markup) open(element, style string) {
	m.raw("<", element)
	if style != "" {
		m.raw(` style="`, style, `"`)
	}
	m.raw(">")
}

func (m *markup) element(name, style, text string) {
	m.open(name, style)
	m.text(text)
	m.raw("</", name, ">")
}

func (m *markup) String() string { return m.b.String() }

// escape makes a text safe within HTML, and removes characters that change the direction of the text after them.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return html.EscapeString(s)
}

// grid writes a table.
func (m *markup) grid(g *results.Grid) {
	of := cellStyle
	if len(g.Columns) > manyColumns {
		of = func(right bool) string { return cellStyle(right) + ";padding:.15em .4em" }
	}
	if g.Title != "" {
		m.element("div", "margin:.2em 0 .4em 0;font-weight:600", g.Title)
	}
	m.open("table", tableStyle)
	m.open("thead", "")
	m.open("tr", "background:none;border-bottom:1px solid "+grey)
	for _, c := range g.Columns {
		heading := c.Heading
		if heading == "" {
			heading = c.Key
		}
		m.element("th", of(c.Right)+";font-weight:600", heading)
	}
	m.raw("</tr></thead><tbody>")
	for i, row := range g.Rows {
		style := "background:none"
		if slices.Contains(g.Rules, i) {
			style += ";border-top:1px solid " + grey
		}
		m.open("tr", style)
		for j, cell := range row {
			style := of(g.Columns[j].Right)
			if len(cell) <= unbroken {
				style += ";white-space:pre"
			}
			if slices.Contains(g.Bold, [2]int{i, j}) {
				style += ";font-weight:700"
			}
			m.element("td", style, cell)
		}
		m.raw("</tr>")
	}
	m.raw("</tbody></table>")
	g.Word(hintText)
	for _, note := range g.Notes {
		m.element("div", "margin-top:.3em;font-size:90%;"+faint, note.Text)
	}
}

// manyColumns is the number of columns from which cells are set closer, so that a table of results fits into a page.
const manyColumns = 12

// unbroken is the max length of a cell, in bytes, that stays on one line.
const unbroken = 40

// tableStyle also undoes what pages without a document type do to tables.
const tableStyle = "border-collapse:collapse;margin:0;border:none;color:inherit;font-size:inherit"

func cellStyle(right bool) string {
	align := "left"
	if right {
		align = "right"
	}
	return "text-align:" + align +
		";padding:.15em .7em;border:none;white-space:pre-wrap;max-width:40em;vertical-align:top"
}

// badge is a word on a coloured ground.
func (m *markup) badge(word, colour string) {
	m.element("span", "padding:0 .45em;border-radius:.6em;border:1px solid "+colour+";font-size:85%;white-space:nowrap",
		word)
}

// bar is a horizontal bar that fills a share of its width.
func (m *markup) bar(share float64, width, colour string) {
	share = max(0, min(share, 1))
	m.open("div", "width:"+width+";height:.7em;background:"+pale+
		";border-radius:.35em;overflow:hidden;display:inline-block;margin:.2em 0")
	m.open("div", "height:100%;border-radius:.35em;background:"+colour+";width:"+percent(share))
	m.raw("</div></div>")
}
