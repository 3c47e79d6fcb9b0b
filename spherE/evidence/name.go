package evidence

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
)

// FactOf returns a triple with its labels.
func FactOf(g *kg.Graph, t kg.Triple) Fact {
	return Fact{Triple: t, Head: g.Label(t.Head), Relation: g.RelationLabel(t.Relation), Tail: g.Label(t.Tail)}
}

// String returns the fact as text: "Max Born advised Pascual Jordan".
func (f Fact) String() string { return f.Head + " " + f.Relation + " " + f.Tail }

// name sets the labels of the entities and of what is shared.
func (n *Similar) name(g *kg.Graph) {
	n.Name, n.To = g.Label(n.Entity), g.Label(n.Like)
	for i := range n.Shared {
		s := &n.Shared[i]
		s.Relation = g.RelationLabel(s.RelationID)
		s.Names = nil
		for _, e := range s.Rarest {
			s.Names = append(s.Names, g.Label(e))
		}
	}
}

// Name sets the text of the reasons, which support the fact of, and the labels in them.
func (e *Evidence) Name(g *kg.Graph, of kg.Triple) {
	fact := FactOf(g, of)
	for i := range e.Reasons {
		r := &e.Reasons[i]
		for j, f := range r.Facts {
			r.Facts[j] = FactOf(g, f.Triple)
		}
		if r.Neighbour != nil {
			r.Neighbour.name(g)
		}
		switch {
		case r.Kind == Neighbour:
			r.Text = r.neighbourText()
		case r.Kind == Path:
			r.Text = r.carriedText()
		case r.Premise == 1 && len(r.Facts) > 1: // a path of one step has no second one
			r.Text = r.caseText(fact)
		default:
			r.Text = r.pathText(fact)
		}
	}
}

// pathText words a rule with a path: "Max Born worked at Göttingen, Karl Herzfeld studied at Göttingen; 12 of 23 pairs
// linked like this have "advised"".
func (r *Reason) pathText(of Fact) string {
	var b strings.Builder
	b.WriteString(joined(r.Facts[:r.Premise]))
	if ways := len(r.Facts)/r.Premise - 1 + r.More; ways > 0 {
		fmt.Fprintf(&b, " (and %s like it)", quantity.Count(ways, "path"))
	}
	fmt.Fprintf(&b, "; %d of %s linked like this have %q", r.Support, quantity.Count(r.Cases, "pair"), of.Relation)
	return b.String()
}

// carriedText words a path that carried a score: "PROM1 causes Cone rod dystrophy, Cone rod dystrophy shows Night
// blindness (and 2 paths through the same entities)".
func (r *Reason) carriedText() string {
	text := joined(r.Facts[:r.Premise])
	switch more := len(r.Facts)/r.Premise - 1; {
	case more > 0 && r.Premise == 1:
		text += fmt.Sprintf(" (and %s about the two)", quantity.Count(more, "fact"))
	case more > 0:
		text += fmt.Sprintf(" (and %s through the same entities)", quantity.Count(more, "path"))
	}
	return text
}

// caseText words a rule without a path: "Max Born member of Royal Society; of 5 with that, 3 have "? advised Karl
// Herzfeld": James Franck, Niels Bohr and Arnold Sommerfeld".
func (r *Reason) caseText(of Fact) string {
	cases := r.Facts[r.Premise:]
	atHead := cases[0].Triple.Tail == of.Triple.Tail
	asked := "? " + of.Relation + " " + of.Tail
	if !atHead {
		asked = of.Head + " " + of.Relation + " ?"
	}
	var names []string
	for _, f := range cases[:min(listed, len(cases))] {
		if atHead {
			names = append(names, f.Head)
		} else {
			names = append(names, f.Tail)
		}
	}
	return fmt.Sprintf("%s; of %d with that, %d %s %q: %s", r.Facts[0], r.Cases, r.Support,
		verb(r.Support), asked, namesText(names, len(cases)-len(names)+r.More))
}

func verb(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// neighbourText words a neighbour: "PROM1 causes Cone rod dystrophy, which shares 11 of its 15 "has phenotype" with
// Stargardt disease".
func (r *Reason) neighbourText() string {
	n, fact := r.Neighbour, r.Facts[0]
	var b strings.Builder
	b.WriteString(fact.String())
	if fact.Triple.Tail == n.Entity {
		b.WriteString(", which")
	} else {
		b.WriteString("; " + n.Name)
	}
	var parts []string
	for _, s := range n.Shared[:min(listed, len(n.Shared))] {
		relation := fmt.Sprintf("%q", s.Relation)
		if s.AsTail {
			relation += " as tail"
		}
		parts = append(parts, fmt.Sprintf("%d of its %d %s (%s)", s.Count, s.Of, relation,
			namesText(s.Names, s.Count-len(s.Names))))
	}
	fmt.Fprintf(&b, " shares with %s %s", n.To, strings.Join(parts, ", "))
	return b.String()
}

// listed is how many names or relations a text has.
const listed = 3

// joined words several facts.
func joined(facts []Fact) string {
	var parts []string
	for _, f := range facts {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, ", ")
}

// namesText joins names: "A, B and C", or "A, B, C and 4 more".
func namesText(names []string, more int) string {
	if more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}
