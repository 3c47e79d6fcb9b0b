package display

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// Column is a column of a [Table].
type Column struct {
	Name    string
	Numbers bool // aligned to the right
}

// Limits of a table: more rows are counted, and longer texts cut.
const (
	tableRows = 50
	cellRunes = 200
)

// Table returns the HTML of a table of n rows. Only the first 50 are shown; a line below counts the others. Texts are
// escaped, and cut after 200 characters.
func Table(columns []Column, n int, cell func(row, column int) string) string {
	var b strings.Builder
	put := func(tag string, c Column, text string) {
		align := "left"
		if c.Numbers {
			align = "right"
		}
		fmt.Fprintf(&b, `<%s style="text-align:%s">%s</%s>`, tag, align, html.EscapeString(visible(text)), tag)
	}
	b.WriteString("<table><thead><tr>")
	for _, c := range columns {
		put("th", c, c.Name)
	}
	b.WriteString("</tr></thead><tbody>")
	for row := range min(n, tableRows) {
		b.WriteString("<tr>")
		for i, c := range columns {
			put("td", c, cell(row, i))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
	if n > tableRows {
		fmt.Fprintf(&b, "<div>%d of %d rows</div>", tableRows, n)
	}
	return b.String()
}

// visible cuts a long text and replaces control characters and those that reverse the text after them.
func visible(text string) string {
	if r := []rune(text); len(r) > cellRunes {
		text = string(r[:cellRunes]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
