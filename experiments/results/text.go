package results

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Page is what a table is printed on. The zero value is a file: as wide as the table, without colours.
type Page struct {
	Width int  // in columns of a terminal; 0: any
	Color bool // the terminal shows colours
}

// Tone is the meaning of a text. A page with colours has one for each.
type Tone int

// The tones.
const (
	Plain    Tone = iota
	Best          // the best number of its kind
	Known         // in the training or validation split
	HeldOut       // in the test split alone
	Inferred      // in no split
	Aside         // less important than what it is next to
)

var toneCodes = [...]string{"", "1;32", "34", "36", "33", "2"}

// Paint colours a text if the page has colours.
func (p Page) Paint(tone Tone, s string) string {
	if !p.Color || tone == Plain || s == "" {
		return s
	}
	return "\x1b[" + toneCodes[tone] + "m" + s + "\x1b[0m"
}

// gap is the space between two columns.
const gap = 2

// leastWidth is the width below which a cell is not wrapped, leastNumber that of columns of numbers.
const leastWidth, leastNumber = 12, 24

// WriteText writes the grid for people on a page. A table that is wider than the page first drops columns that may be
// left out, then wraps long cells, and finally continues below, with its first columns repeated.
func (g *Grid) WriteText(w io.Writer, p Page) error {
	g = g.visible()
	var b strings.Builder
	if g.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", Wrap(g.Title, p.Width))
	}
	blocks, limits, leftOut := g.layOut(p.Width)
	for i, columns := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		g.writeBlock(&b, columns, limits, p, i > 0)
	}
	var notes []string
	if len(leftOut) > 0 {
		notes = append(notes, fmt.Sprintf("left out at %d columns: %s", p.Width, strings.Join(leftOut, ", ")))
	}
	for _, note := range g.Notes {
		notes = append(notes, note.Text)
	}
	for i, note := range notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", Wrap(note, p.Width))
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// writeBlock writes some columns of the grid. limits are the widths of columns whose cells are wrapped. A block that
// continues another one skips its empty rows.
func (g *Grid) writeBlock(b *strings.Builder, columns []int, limits map[int]int, p Page, continues bool) {
	t := table.NewWriter()
	var configs []table.ColumnConfig
	var header table.Row
	for k, j := range columns {
		c := g.Columns[j]
		header = append(header, c.heading())
		align := text.AlignLeft
		if c.Right {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: k + 1, Align: align, AlignHeader: align,
			VAlignHeader: text.VAlignBottom,
			WidthMax:     limits[j], WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	heads := g.heads(columns)
	for i, cells := range g.Rows {
		if i > 0 && slices.Contains(g.Rules, i) {
			t.AppendSeparator()
		}
		if continues && !slices.ContainsFunc(columns[heads:], func(j int) bool { return cells[j] != "" }) {
			continue
		}
		var row table.Row
		for _, j := range columns {
			tone := g.Tones[[2]int{i, j}]
			if slices.Contains(g.Bold, [2]int{i, j}) {
				tone = Best
			}
			row = append(row, p.Paint(tone, cells[j]))
		}
		t.AppendRow(row)
	}
	t.SetStyle(gridStyle())
	for line := range strings.Lines(t.Render()) {
		line = strings.TrimRight(line, " \n")
		if rule := strings.TrimSuffix(line, strings.Repeat("─", gap)); strings.Trim(rule, "─") == "" {
			line = rule
		}
		b.WriteString(line + "\n")
	}
}

// layOut fits the columns into a width. It returns the columns of each block, the widths of those that are wrapped, and
// the headings of those that are left out. Blocks repeat the first columns if these leave a quarter of the page.
func (g *Grid) layOut(width int) (blocks [][]int, limits map[int]int, leftOut []string) {
	columns := make([]int, len(g.Columns))
	widths := make([]int, len(g.Columns))
	for j, c := range g.Columns {
		columns[j], widths[j] = j, longestLine(c.heading())
		for _, cells := range g.Rows {
			widths[j] = max(widths[j], longestLine(cells[j]))
		}
	}
	natural := slices.Clone(widths)
	total := func(columns []int) int {
		sum := -gap
		for _, j := range columns {
			sum += widths[j] + gap
		}
		return sum
	}
	if width <= 0 || total(columns) <= width {
		return [][]int{columns}, nil, nil
	}
	for total(columns) > width {
		least := slices.MaxFunc(columns, func(a, b int) int { return g.Columns[a].LeaveOut - g.Columns[b].LeaveOut })
		if g.Columns[least].LeaveOut == 0 {
			break
		}
		leftOut = append(leftOut, g.Columns[least].heading())
		columns = slices.DeleteFunc(columns, func(j int) bool { return j == least })
	}
	limits = map[int]int{}
	for total(columns) > width {
		widest := slices.MaxFunc(columns, func(a, b int) int { return g.spare(a, widths[a]) - g.spare(b, widths[b]) })
		if g.spare(widest, widths[widest]) <= 0 {
			break
		}
		widths[widest]--
		limits[widest] = widths[widest]
	}
	if total(columns) <= width {
		return [][]int{columns}, limits, leftOut
	}
	heads, limits := g.heads(columns), map[int]int{}
	copy(widths, natural)
	room := min(width*3/4, width-leastWidth-gap)
	for heads > 1 && total(columns[:heads]) > room {
		heads--
	}
	for k, j := range columns { // no cell is wider than the room next to the first columns
		maximum := max(width-min(total(columns[:heads]), room)-gap, leastWidth)
		if k < heads {
			maximum = room
		}
		if widths[j] > maximum {
			widths[j], limits[j] = maximum, maximum
		}
	}
	block := slices.Clone(columns[:heads])
	for _, j := range columns[heads:] {
		if len(block) > heads && total(append(slices.Clone(block), j)) > width {
			blocks = append(blocks, block)
			block = slices.Clone(columns[:heads])
		}
		block = append(block, j)
	}
	return append(blocks, block), limits, leftOut
}

// heads returns the number of columns that every block begins with: those before the first column of numbers, at least
// one.
func (g *Grid) heads(columns []int) int {
	return max(1, slices.IndexFunc(columns, func(j int) bool { return g.Columns[j].Right }))
}

// spare returns by how much a column of this width can become narrower.
func (g *Grid) spare(j, width int) int {
	if g.Columns[j].Right {
		return width - leastNumber
	}
	return width - leastWidth
}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")))
	}
	return longest
}

// Wrap breaks lines of a text that are wider than a page between words; width 0 breaks none. The parts of an indented
// line have its indentation.
func Wrap(s string, width int) string {
	if width <= 0 {
		return s
	}
	var lines []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for text.StringWidthWithoutEscSequences(line) > width {
			at := lastBreak(line[len(indent):], width-len(indent))
			if at < 0 {
				break
			}
			at += len(indent)
			lines = append(lines, line[:at])
			line = indent + line[at+1:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// lastBreak returns the index of the last space with at most width columns before it, otherwise that of the first
// space, or -1 if there is none.
func lastBreak(line string, width int) int {
	at := -1
	for i, r := range line {
		if r != ' ' || i == 0 {
			continue
		}
		if at >= 0 && text.StringWidthWithoutEscSequences(line[:i]) > width {
			break
		}
		at = i
	}
	return at
}
