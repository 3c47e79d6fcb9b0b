package retrieve

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
)

// Words returns what supports the member, for people: "known (train)", "held out (test)", "inferred, itself".
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
	if m.LeftOut {
		words += ", left out"
	}
	if isUnscored(m.Value) {
		words += ", no score"
	}
	return words
}

// cutText names a cut, the slack that moves its threshold, and which entities may be new answers.
func cutText(cut string, slack float32, among Among) string {
	if slack != 0 {
		cut = fmt.Sprintf("%s with slack %g", cut, slack)
	}
	switch among {
	case AmongSeen:
		cut += " among the entities that training has there"
	case AmongType:
		cut += " among the entities of a type that training has there"
	}
	return cut
}

// QueryText returns the query as text: "Max Born advised ?".
func (a *Answer) QueryText() string { return a.Head + " " + a.Relation + " " + a.Tail }

// further returns the missed facts that are not near misses.
func (a *Answer) further() []Member {
	return slices.DeleteFunc(slices.Clone(a.Missed), func(m Member) bool {
		return slices.ContainsFunc(a.Near, func(near Member) bool { return near.Entity == m.Entity })
	})
}

// Text is what texts for people contain besides an answer, and how wide they are.
type Text struct {
	Model string // what the last line says about the model
	All   string // how to list the whole set, if a limit cut the list off
	Width int    // that lists are fitted into, 0: any; sentences stay one line each
}

// Words counts new and known answers separately: "3 new answers: 1 held out, 2 inferred; 9 known answers, 7 of them in
// the set of the cut".
func (a *Answer) Words() string {
	known := quantity.Count(a.Known, "known answer")
	if a.Known > 0 {
		known += fmt.Sprintf(", %d of them in the set of the cut", a.KnownInSet)
	}
	return a.NewWords() + "; " + known
}

// NewWords counts the new ones: "3 new answers: 1 held out, 2 inferred".
func (c Counts) NewWords() string {
	text := quantity.Count(c.HeldOut+c.Inferred, "new answer")
	if c.HeldOut > 0 {
		text += fmt.Sprintf(": %d held out, %d inferred", c.HeldOut, c.Inferred)
	}
	return text
}

// part is a part of a set, with its heading.
type part struct {
	title   string
	members []Member
	total   int
}

// parts are the new answers, then the known ones if there are any.
func (a *Answer) parts() []part {
	list := []part{{"new answers", nil, a.HeldOut + a.Inferred}, {"known answers", nil, a.Known}}
	for _, m := range a.Set {
		p := &list[0]
		if m.Known {
			p = &list[1]
		}
		p.members = append(p.members, m)
	}
	if a.Known == 0 {
		list = list[:1]
	}
	return list
}

// WriteText writes the answer for people.
func (a *Answer) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	b.WriteString(visible.Line(a.QueryText()) + "\n")
	b.WriteString(a.Words() + "\n")
	if a.Note != "" {
		b.WriteString("note: " + visible.Line(a.Note) + "\n")
	}
	further := a.further()
	c := columnsOf(a.Set, a.Near, further).within(t.Width, 2)
	for _, part := range a.parts() {
		b.WriteString("\n" + part.title + "\n")
		c.write(&b, "  ", part.members)
		if more := part.total - len(part.members); more > 0 {
			fmt.Fprintf(&b, "  ... and %d more; %s\n", more, t.All)
		}
		if part.total == 0 {
			b.WriteString("  (none)\n")
		}
	}
	if len(a.Near) > 0 {
		b.WriteString("\nnear misses\n")
		c.write(&b, "  ", a.Near)
	}
	if len(further) > 0 {
		b.WriteString("\nheld-out facts further outside\n")
		c.write(&b, "  ", further)
	}
	fmt.Fprintf(&b, "\n%s; cut %s: a new answer if value <= %.3f; slack is the threshold less the value\n", t.Model,
		cutText(a.Cut, a.CutSlack, a.Among), a.Threshold)
	_, err := io.WriteString(w, b.String())
	return err
}

var answerColumns = []string{"entity", "label", "in_set", "known", "splits", "distance", "value", "slack",
	"itself", "mark", "probability", "score", "note"}

// WriteCSV writes a line for each member of the set, then for the near misses, then for the other missed facts.
func (a *Answer) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{answerColumns}, a.lines()...))
}

// each calls do with the members, then with the near misses and the other missed facts.
func (a *Answer) each(do func(m Member, inSet bool)) {
	for i, list := range [][]Member{a.Set, a.Near, a.further()} {
		for _, m := range list {
			do(m, i == 0 && m.Slack >= 0)
		}
	}
}

// lines are the members as lines of CSV.
func (a *Answer) lines() (lines [][]string) {
	a.each(func(m Member, inSet bool) {
		lines = append(lines, fields(m.Name, m.Label, inSet, m.Known, strings.Join(m.Splits, " "),
			numberField(m.Distance), numberField(m.Value), slackField(m), m.Itself, m.Mark,
			probabilityField(m.Probability), numberField(m.Score), a.Note))
	})
	return lines
}

// slackField is the slack of a member in CSV, empty for one that is left out.
func slackField(m Member) any {
	if m.LeftOut || isUnscored(m.Value) {
		return ""
	}
	return m.Slack
}

// numberField is a number of a member in CSV, empty for one without a score.
func numberField(x float32) any {
	if isUnscored(x) {
		return ""
	}
	return x
}

// WriteText writes the explanation for people. Of the Text it takes the width.
func (x *Explanation) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", visible.Line(x.Head+" "+x.Relation+" "+x.Tail), x.Verdict)
	for _, note := range x.Notes {
		b.WriteString("note: " + visible.Line(note) + "\n")
	}
	b.WriteString("\n")
	if x.Evidence != nil {
		_ = x.Evidence.WriteText(&b) // a strings.Builder takes everything
		b.WriteString("\nwhat the model computes\n")
	}
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

// Numbers returns the entity's position as text: value, threshold, slack, rank, size of the set.
func (p Position) Numbers() string {
	if isUnscored(p.Value) {
		return fmt.Sprintf("no score; set of %d", p.SetSize)
	}
	return fmt.Sprintf("value %.3f, threshold %.3f, slack %+.3f; rank %d, set of %d",
		p.Value, p.Threshold, p.Slack, p.Before+1, p.SetSize)
}

// verdict returns sentences that explain the numbers. such is how many of 100 such facts are right, "" if unknown.
func (x *Explanation) verdict(such string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is ", fmt.Sprintf("%s %s %s", x.Head, x.Relation, x.Tail))
	switch x.Mark {
	case Known:
		fmt.Fprintf(&b, "a known fact (%s).", strings.Join(x.Splits, ", "))
	case HeldOut:
		b.WriteString("a held-out fact (test).")
	default:
		b.WriteString("not in the graph.")
	}
	if such != "" {
		fmt.Fprintf(&b, " %s of 100 such new answers are right (probability %.3f).", capital(such), *x.Probability)
	}
	isTail, isHead := x.AsTail.InSet, x.AsHead.InSet
	switch {
	case isTail && isHead:
		b.WriteString(" It is in the sets of both queries")
	case isTail:
		b.WriteString(" It is in the set of the tail query, but not of the head query")
	case isHead:
		b.WriteString(" It is in the set of the head query, but not of the tail query")
	default:
		b.WriteString(" It is in the set of neither query")
	}
	tail, head := x.AsTail.slackWords(), x.AsHead.slackWords()
	if !isUnscored(x.AsTail.Value) { // the word once
		head = strings.TrimPrefix(head, "slack ")
	}
	fmt.Fprintf(&b, " (%s as tail, %s as head)", tail, head)
	if x.Mark >= HeldOut && !isTail && !isHead {
		b.WriteString(": the model misses it")
	}
	return b.String() + "."
}

// slackWords is the slack as text.
func (p Position) slackWords() string {
	if isUnscored(p.Value) {
		return "no score"
	}
	return fmt.Sprintf("slack %.3f", p.Slack)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

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

// probabilityText returns a probability with its prefix, "" if there is none.
func probabilityText(before string, p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%sprobability %.3f", before, *p)
}

// write writes a line for each member: label, words, slack. If a label is longer, its words are on a line of their own.
func (c columns) write(b *strings.Builder, indent string, list []Member) {
	for _, m := range list {
		c.writeLabel(b, indent, m.Label)
		slack := fmt.Sprintf("slack %+.3f", m.Slack)
		if m.LeftOut || isUnscored(m.Value) { // no slack would bring it into the set
			slack = ""
		}
		text := fmt.Sprintf("  %-*s  %s%s", c.words, m.Words(), slack, probabilityText("  ", m.Probability))
		b.WriteString(strings.TrimRight(text, " ") + "\n")
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
