package retrieve

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/visible"
)

// Combination is the answer to an Expression. Its scores can be compared with those of other expressions of as many
// queries.
type Combination struct {
	Query    string  `json:"query"`
	Cut      string  `json:"cut_name"`
	CutSlack float32 `json:"cut_slack,omitempty"`
	Among    Among   `json:"among,omitempty"` // Options.AmongName

	Notes []string `json:"notes,omitempty"` // of its first steps, see Retriever.Note

	Set    []CombinedMember `json:"set"` // best score first; at most Options.Limit
	Counts                  // of the set, whatever the limit

	ofOneQuery bool // of one query: probabilities are those of facts, as everywhere
	ofSets     bool // each step asked about the set before it
}

// CombinedMember is a member of a Combination.
type CombinedMember struct {
	Entity int32  `json:"entity"`
	Name   string `json:"name"`
	Label  string `json:"label"`

	// Probability that the answer is right: of one query see Facts, of a combination Steps. Score where there are none.
	// Both are nil for known answers.
	Probability *float64 `json:"probability,omitempty"`
	Score       *float64 `json:"score,omitempty"`

	Mark   Mark `json:"mark"`
	Known  bool `json:"known"`
	Itself bool `json:"itself,omitempty"`

	// Bindings are the facts on the best way to the answer; nil for the answer to one query.
	Bindings []Binding `json:"bindings,omitempty"`
}

// Combination returns s with names. The answer to one query has the probabilities of its facts, the same as elsewhere,
// and is in their order. Combination returns the errors of Estimates and ScoredSet.Comparable.
func (r *Retriever) Combination(ctx context.Context, s *ScoredSet) (*Combination, error) {
	one, err := s.byFacts(ctx)
	if err != nil {
		return nil, err
	}
	if s = one; s.Probabilities == nil {
		if s, err = s.Comparable(ctx); err != nil {
			return nil, err
		}
	}
	c := &Combination{Query: s.Query, Cut: r.CutName(), CutSlack: r.options.Slack, Among: r.options.AmongName,
		Notes:  s.Notes,
		Counts: s.Counts(), ofOneQuery: s.Probabilities != nil, ofSets: s.retriever.sets != nil}
	shown := s.Members
	if limit := r.options.Limit; limit > 0 && len(shown) > limit {
		shown = shown[:limit]
	}
	c.Set = make([]CombinedMember, len(shown))
	for i, e := range shown {
		m := s.Mark(e)
		c.Set[i] = CombinedMember{Entity: e, Name: r.graph.Entities.Name(e), Label: r.graph.Label(e),
			Mark: m, Known: m == Known, Itself: e == s.Itself}
		if !s.OfOneQuery() {
			c.Set[i].Bindings = s.Bindings(e)
		}
		switch x := s.Scores[e]; {
		case m == Known:
		case c.ofOneQuery:
			c.Set[i].Probability = &s.Probabilities[e]
		case s.Scale == OfProbability:
			c.Set[i].Probability = &x
		default:
			c.Set[i].Score = &x
		}
	}
	return c, nil
}

// Number returns the comparable number of a member, after its name; "" for a known one.
func (m CombinedMember) Number() string {
	switch {
	case m.Probability != nil:
		return probabilityText("", m.Probability)
	case m.Score != nil:
		return fmt.Sprintf("score %+.3f", *m.Score)
	}
	return ""
}

// WriteText writes the combination for people.
func (c *Combination) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s; %d known\n", visible.Line(c.Query), c.NewWords(), c.Known)
	for _, note := range c.Notes {
		b.WriteString("note: " + visible.Line(note) + "\n")
	}
	b.WriteString("\n")
	list := make([]Member, len(c.Set))
	for i, m := range c.Set {
		list[i] = Member{Label: m.Label, Mark: m.Mark, Itself: m.Itself}
	}
	columns := columnsOf(list).within(t.Width, 2)
	for i, m := range c.Set {
		columns.writeLabel(&b, "  ", m.Label)
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s  %s", columns.words, list[i].Words(), m.Number()), " ") + "\n")
		if len(m.Bindings) > 0 {
			b.WriteString("    by " + visible.Line(bindingWords(m.Bindings)) + "\n")
		}
	}
	if more := c.Total - len(c.Set); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more; %s\n", more, t.All)
	}
	if c.Total == 0 {
		b.WriteString("  (none)\n")
	}
	fmt.Fprintf(&b, "\n%s; cut %s; %s\n", t.Model, cutText(c.Cut, c.CutSlack, c.Among), c.meaning())
	_, err := io.WriteString(w, b.String())
	return err
}

// meaning returns what the numbers of members mean.
func (c *Combination) meaning() string {
	if slices.ContainsFunc(c.Set, func(m CombinedMember) bool { return m.Score != nil }) {
		return "score is that of the weakest step"
	}
	if c.ofOneQuery {
		return "probability that a new answer is right, where there is one"
	}
	if c.ofSets {
		return "probability of the last step, asked from the set before it; a question of it may have no new answer"
	}
	return "probability is the product along a path; a question of it may have no new answer"
}

// WriteCSV writes a line for each member.
func (c *Combination) WriteCSV(w io.Writer) error {
	lines := [][]string{{"query", "entity", "label", "known", "score", "itself", "mark", "probability",
		"bindings"}}
	for _, m := range c.Set {
		lines = append(lines, fields(c.Query, m.Name, m.Label, m.Known, probabilityField(m.Score), m.Itself, m.Mark,
			probabilityField(m.Probability), bindingWords(m.Bindings)))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// WriteText writes the relations for people.
func (x *Relations) WriteText(w io.Writer, t Text) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", visible.Line(x.Head+" "+x.Relation+" "+x.Tail))
	writeFacts(&b, x.Facts, t, true)
	if more := x.Total - len(x.Facts); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more; %s\n", more, t.All)
	}
	fmt.Fprintf(&b, "\n%s; cut %s: in or outside the set of either query\n", t.Model, cutText(x.Cut, x.CutSlack, ""))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes a line for each relation.
func (x *Relations) WriteCSV(w io.Writer) error { return WriteFactsCSV(w, x.Facts) }

// scoreWidth is how wide the score of a fact is.
const scoreWidth = len("  score +00.000")

// WriteFacts writes facts for people. Of the Text it takes the width.
func WriteFacts(w io.Writer, facts []Fact, t Text) error {
	var b strings.Builder
	writeFacts(&b, facts, t, false)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFacts writes facts. With ofSets, it adds whether each is in the set of a query.
func writeFacts(b *strings.Builder, facts []Fact, t Text, ofSets bool) {
	var c columns
	texts := make([][2]string, len(facts))
	for i, f := range facts {
		mark := Member{Mark: f.Mark, Splits: f.Splits}.Words()
		texts[i] = [2]string{visible.Line(f.Head + " " + f.Relation + " " + f.Tail), mark}
		c.label, c.words = max(c.label, utf8.RuneCountInString(texts[i][0])), max(c.words,
			utf8.RuneCountInString(mark))
	}
	c = c.within(t.Width, 2+scoreWidth)
	for i, f := range facts {
		c.writeLabel(b, "  ", texts[i][0])
		fmt.Fprintf(b, "  %-*s  score %+.3f%s", c.words, texts[i][1], f.Score, probabilityText("  ", f.Probability))
		switch {
		case ofSets && f.InSet:
			b.WriteString("  in the set")
		case ofSets:
			b.WriteString("  outside the set")
		}
		b.WriteString("\n")
	}
	if len(facts) == 0 {
		b.WriteString("  (none)\n")
	}
}

// WriteFactsCSV writes a line for each fact.
func WriteFactsCSV(w io.Writer, facts []Fact) error {
	lines := [][]string{{"head", "relation", "tail", "score", "in_set", "side", "known", "splits", "mark",
		"probability"}}
	for _, f := range facts {
		lines = append(lines, fields(f.Head, f.Relation, f.Tail, f.Score, f.InSet, f.Side, f.Known,
			strings.Join(f.Splits, " "), f.Mark, probabilityField(f.Probability)))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// probabilityField returns a probability for CSV, empty if there is none.
func probabilityField(p *float64) any {
	if p == nil {
		return ""
	}
	return *p
}

// fields are values as text.
func fields(values ...any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return list
}
