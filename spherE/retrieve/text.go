package retrieve

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/visible"
)

// Words says in words what supports the member: "known (train)", "held out (test)", "inferred, itself".
func (m Member) Words() string {
	words := m.Mark.String()
	switch {
	case m.Mark == HeldOut:
		words += " (test)"
	case len(m.Splits) > 0:
		words += " (" + strings.Join(m.Splits, ", ") + ")"
	}
	if m.Itself {
		words += ", itself"
	}
	return words
}

// cutText names a cut and the slack that moves its threshold.
func cutText(cut string, slack float32) string {
	if slack == 0 {
		return cut
	}
	return fmt.Sprintf("%s with slack %g", cut, slack)
}

// QueryText is the query: "Max Born advised ?".
func (a *Answer) QueryText() string { return a.Head + " " + a.Relation + " " + a.Tail }

// further are the missed facts that are not near.
func (a *Answer) further() []Member {
	return slices.DeleteFunc(slices.Clone(a.Missed), func(m Member) bool {
		return slices.ContainsFunc(a.Near, func(near Member) bool { return near.Entity == m.Entity })
	})
}

// Text is what texts for people say besides an answer, and how wide they are.
type Text struct {
	Model string // what the last line says of the model
	All   string // how to list the whole set where a limit cut the list off
	Width int    // that lists are fitted into, 0: any; sentences stay one line each
}

// WriteText writes the answer for people.
func (a *Answer) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	b.WriteString(visible.Line(a.QueryText()) + "\n")
	fmt.Fprintf(&b, "%s: %s; the graph has %s\n\n", answers(a.Total), a.Counts.Words(),
		answers(a.AllKnown+a.AllHeldOut))
	further := a.further()
	c := columnsOf(a.Set, a.Near, further).within(t.Width, 2)
	c.write(&b, "  ", a.Set)
	if more := a.Total - len(a.Set); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more; %s\n", more, t.All)
	}
	if a.Total == 0 {
		b.WriteString("  (none)\n")
	}
	if len(a.Near) > 0 {
		b.WriteString("\nnear misses\n")
		c.write(&b, "  ", a.Near)
	}
	if len(further) > 0 {
		b.WriteString("\nfacts of the graph further outside\n")
		c.write(&b, "  ", further)
	}
	fmt.Fprintf(&b, "\n%s; cut %s: in the set if value <= %.3f; slack is how much is left\n", t.Model,
		cutText(a.Cut, a.CutSlack), a.Threshold)
	_, err := io.WriteString(w, b.String())
	return err
}

var answerColumns = []string{"entity", "label", "in_set", "known", "splits", "distance", "value", "slack",
	"itself", "mark", "probability"}

// WriteCSV writes a line for each member of the set, then for the near misses, then for the other missed facts.
func (a *Answer) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{answerColumns}, a.lines()...))
}

// lines are the members as lines of CSV.
func (a *Answer) lines() (lines [][]string) {
	for i, list := range [][]Member{a.Set, a.Near, a.further()} {
		for _, m := range list {
			lines = append(lines, fields(m.Name, m.Label, i == 0, m.Known, strings.Join(m.Splits, " "), m.Distance,
				m.Value,
				m.Slack, m.Itself, m.Mark, probabilityField(m.Probability)))
		}
	}
	return lines
}

// WriteText writes the explanation for people. Of the Text it takes the width.
func (x *Explanation) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", visible.Line(x.Head+" "+x.Relation+" "+x.Tail), x.Verdict)
	for _, n := range x.Numbers() {
		fmt.Fprintf(&b, "  %-23s  %s\n", n[0], n[1])
	}
	side := func(query string, p Position) {
		fmt.Fprintf(&b, "\n%s\n  %s: %s\n", visible.Line(query), p.state(), p.Numbers())
		c := columnsOf(p.Nearest, p.Similar).within(t.Width, 4)
		if len(p.Nearest) > 0 {
			b.WriteString("  nearest facts of the graph\n")
			c.write(&b, "    ", p.Nearest)
			b.WriteString("  facts of the graph at a similar distance\n")
			c.write(&b, "    ", p.Similar)
		}
	}
	side(fmt.Sprintf("%s %s ?", x.Head, x.Relation), x.AsTail)
	side(fmt.Sprintf("? %s %s", x.Relation, x.Tail), x.AsHead)
	_, err := io.WriteString(w, b.String())
	return err
}

func (p Position) state() string {
	if p.InSet {
		return "in the set"
	}
	return "outside the set"
}

// Numbers says where the entity stands: value, threshold, slack, rank, size of the set.
func (p Position) Numbers() string {
	return fmt.Sprintf("value %.3f, threshold %.3f, slack %+.3f%s; rank %d, set of %d",
		p.Value, p.Threshold, p.Slack, probabilityText(", ", p.Probability), p.Before+1, p.SetSize)
}

// verdict says in two sentences what the numbers mean.
func (x *Explanation) verdict() string {
	var b strings.Builder
	fact := fmt.Sprintf("%s %s %s", x.Head, x.Relation, x.Tail)
	tail, head := x.AsTail.InSet, x.AsHead.InSet
	switch {
	case tail && head:
		fmt.Fprintf(&b, "The model holds %q true by both queries", fact)
	case tail:
		fmt.Fprintf(&b, "The model holds %q true by the tail query, but not by the head query", fact)
	case head:
		fmt.Fprintf(&b, "The model holds %q true by the head query, but not by the tail query", fact)
	default:
		fmt.Fprintf(&b, "The model does not hold %q true by either query", fact)
	}
	fmt.Fprintf(&b, " (slack %.3f as tail, %.3f as head). ", x.AsTail.Slack, x.AsHead.Slack)
	switch x.Mark {
	case Known:
		fmt.Fprintf(&b, "It is a known fact (%s)", strings.Join(x.Splits, ", "))
	case HeldOut:
		b.WriteString("It is a held-out fact (test)")
	default:
		b.WriteString("It is not in the graph")
	}
	switch {
	case x.Mark != Known && (tail || head):
		b.WriteString(": the model infers it.")
	case x.Mark >= HeldOut && !tail && !head:
		b.WriteString(": the model misses it.")
	default:
		b.WriteString(".")
	}
	return b.String()
}

// columns are the widths of labels and words in characters, which aligns names in Latin script.
type columns struct{ label, words int }

func columnsOf(lists ...[]Member) (c columns) {
	for _, m := range slices.Concat(lists...) {
		c.label = max(c.label, utf8.RuneCountInString(visible.Line(m.Label)))
		c.words = max(c.words, utf8.RuneCountInString(m.Words()))
	}
	return c
}

// slackWidth is how wide the columns behind the words are.
const slackWidth = len("  slack +00.000")

// within narrows the labels so that lines fit into a width; 0 narrows nothing.
func (c columns) within(width, indent int) columns {
	if room := width - indent - len("  ") - c.words - slackWidth; width > 0 {
		c.label = min(c.label, max(room, 12))
	}
	return c
}

// probabilityText is a probability with what stands before it, "" where there is none.
func probabilityText(before string, p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%sprobability %.3f", before, *p)
}

// write writes a line for each member: label, words, slack. The words of a longer label stand on a line of their own.
func (c columns) write(b *strings.Builder, indent string, list []Member) {
	for _, m := range list {
		c.writeLabel(b, indent, m.Label)
		fmt.Fprintf(b, "  %-*s  slack %+.3f%s\n", c.words, m.Words(), m.Slack, probabilityText("  ", m.Probability))
	}
}

func (c columns) writeLabel(b *strings.Builder, indent, label string) {
	label = visible.Line(label)
	if utf8.RuneCountInString(label) > c.label {
		fmt.Fprintf(b, "%s%s\n", indent, label)
		label = ""
	}
	fmt.Fprintf(b, "%s%-*s", indent, c.label, label)
}
