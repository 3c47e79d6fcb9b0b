package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
)

// Formats are the forms in which a Grid can be written.
var Formats = []string{"text", "markdown", "latex", "csv", "html", "json"}

// Grid is a table of text ready to be written.
type Grid struct {
	Title   string
	Columns []Column
	Rows    [][]string
	Rules   []int           // indices of rows that a line is drawn above
	Bold    [][2]int        // row and column of cells that are emphasized if the format can show it
	Tones   map[[2]int]Tone // of cells, by row and column
	Notes   []hint.Note     // below the table
	Records any             // what --format json writes; nil: the rows as objects by column key
}

// AddNote adds a note without hints.
func (g *Grid) AddNote(format string, args ...any) {
	g.Notes = append(g.Notes, hint.Note{Text: fmt.Sprintf(format, args...)})
}

// Word adds to each note the text that words returns for its hints. Write does not write hints.
func (g *Grid) Word(words func([]hint.Hint) string) {
	for i, n := range g.Notes {
		if said := words(n.List); said != "" {
			text, endsInDot := strings.CutSuffix(n.Text, ".")
			if text += "; " + said; endsInDot {
				text += "."
			}
			g.Notes[i] = hint.Note{Text: text}
		}
	}
}

// Column is a column's heading and how its cells are aligned.
type Column struct {
	Key     string // in CSV and JSON
	Heading string // for people; "" for Key
	Right   bool   // numbers
	// LeaveOut > 0 means that a page that is too narrow may leave the column out, the greatest number first.
	LeaveOut int
}

func (c Column) heading() string {
	if c.Heading == "" {
		return c.Key
	}
	return c.Heading
}

// Write writes the grid to w. Title and notes are left out of CSV and JSON.
func (g *Grid) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return g.writeJSON(w)
	case "latex":
		return g.writeLaTeX(w)
	case "text":
		return g.WriteText(w, Page{})
	case "markdown", "html":
		g = g.visible()
	}
	t := table.NewWriter()
	var configs []table.ColumnConfig
	header := make(table.Row, len(g.Columns))
	for i, c := range g.Columns {
		header[i] = marked(c.heading(), format, false)
		align := text.AlignLeft
		if c.Right {
			align = text.AlignRight
		}
		if format == "csv" {
			header[i] = c.Key
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for i, cells := range g.Rows {
		if i > 0 && slices.Contains(g.Rules, i) {
			t.AppendSeparator()
		}
		row := make(table.Row, len(cells))
		for j, cell := range cells {
			row[j] = marked(cell, format, slices.Contains(g.Bold, [2]int{i, j}))
		}
		t.AppendRow(row)
	}
	t.SetStyle(gridStyle())
	var b strings.Builder
	switch format {
	case "csv":
		b.WriteString(t.RenderCSV())
	case "markdown":
		if g.Title != "" {
			fmt.Fprintf(&b, "%s\n\n", g.Title)
		}
		b.WriteString(t.RenderMarkdown())
		for _, note := range g.Notes {
			fmt.Fprintf(&b, "\n\n%s", note.Text)
		}
	case "html":
		if g.Title != "" {
			fmt.Fprintf(&b, "<p>%s</p>\n", htmlText(g.Title))
		}
		b.WriteString(t.RenderHTML())
		for _, note := range g.Notes {
			fmt.Fprintf(&b, "\n<p>%s</p>", htmlText(note.Text))
		}
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// visible returns the grid for formats that people look at, without characters that steer a terminal. CSV and JSON keep
// every character; JSON escapes these.
func (g *Grid) visible() *Grid {
	out := *g
	out.Title, out.Columns, out.Notes = visible.Lines(g.Title), slices.Clone(g.Columns), slices.Clone(g.Notes)
	for i, c := range g.Columns {
		out.Columns[i].Key, out.Columns[i].Heading = visible.Lines(c.Key), visible.Lines(c.Heading)
	}
	for i, n := range g.Notes {
		out.Notes[i].Text = visible.Lines(n.Text)
	}
	out.Rows = make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		out.Rows[i] = make([]string, len(row))
		for j, cell := range row {
			out.Rows[i][j] = visible.Line(cell)
		}
	}
	return &out
}

// gridStyle is the style of text tables.
func gridStyle() table.Style {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true, SeparateRows: false}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.HTML = table.HTMLOptions{CSSClass: "spherelab", EmptyColumn: "&nbsp;", EscapeText: false, Newline: "<br/>"}
	return style
}

// markdownText escapes the characters of a cell that are markup. The library escapes | and line ends.
var markdownText = strings.NewReplacer(`\`, `\\`, "<", `\<`, "*", `\*`, "`", "\\`")

// marked returns a cell as the format writes it, in bold if the format has it.
func marked(cell, format string, bold bool) string {
	switch format {
	case "markdown":
		if cell = markdownText.Replace(cell); bold {
			return "**" + cell + "**"
		}
	case "html":
		if cell = htmlText(cell); bold {
			return "<strong>" + cell + "</strong>"
		}
	}
	return cell
}

func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func (g *Grid) writeJSON(w io.Writer) error {
	records := g.Records
	if records == nil {
		list := make([]map[string]string, len(g.Rows))
		for i, row := range g.Rows {
			list[i] = map[string]string{}
			for j, cell := range row {
				list[i][g.Columns[j].Key] = cell
			}
		}
		records = list
	}
	return WriteJSON(w, records)
}

// WriteJSON writes v as indented JSON. It escapes what steers a terminal and not what only HTML needs escaped.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(b.Bytes()))
	return err
}

// latexMinus finds the sign of a negative number, which LaTeX would print as a hyphen.
var latexMinus = regexp.MustCompile(`(^|[ (])-([.\d])`)

// writeLaTeX writes a tabular environment in the style of booktabs.
func (g *Grid) writeLaTeX(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, "''",
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "σ", `$\sigma$`, "≤", `$\leq$`)
	g = g.visible()
	var b strings.Builder
	if g.Title != "" {
		fmt.Fprintf(&b, "%% %s\n", strings.ReplaceAll(g.Title, "\n", " "))
	}
	b.WriteString("\\begin{tabular}{")
	for _, c := range g.Columns {
		if c.Right {
			b.WriteByte('r')
		} else {
			b.WriteByte('l')
		}
	}
	b.WriteString("}\n\\toprule\n")
	line := func(cells []string) { fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & ")) }
	headings := make([]string, len(g.Columns))
	for i, c := range g.Columns {
		headings[i] = escape.Replace(c.heading())
	}
	line(headings)
	b.WriteString("\\midrule\n")
	for i, row := range g.Rows {
		if i > 0 && slices.Contains(g.Rules, i) {
			b.WriteString("\\midrule\n")
		}
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = latexMinus.ReplaceAllString(escape.Replace(cell), "${1}$$-$$${2}")
			if slices.Contains(g.Bold, [2]int{i, j}) {
				cells[j] = "\\textbf{" + cells[j] + "}"
			}
		}
		line(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range g.Notes {
		fmt.Fprintf(&b, "%% %s\n", note.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
