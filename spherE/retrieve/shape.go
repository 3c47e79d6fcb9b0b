package retrieve

import (
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// shapes are the names of query types in the literature (Ren et al., ICLR 2020; Ren and Leskovec, NeurIPS 2020), by
// their canonical forms: e is an entity, p(x) a hop from x, i( ) an intersection, u( ) a union, n(x) what is not in x.
var shapes = map[string]string{
	"p(e)":                 "1p",
	"p(p(e))":              "2p",
	"p(p(p(e)))":           "3p",
	"i(p(e),p(e))":         "2i",
	"i(p(e),p(e),p(e))":    "3i",
	"i(p(e),p(p(e)))":      "pi",
	"p(i(p(e),p(e)))":      "ip",
	"u(p(e),p(e))":         "2u",
	"p(u(p(e),p(e)))":      "up",
	"i(n(p(e)),p(e))":      "2in",
	"i(n(p(e)),p(e),p(e))": "3in",
	"p(i(n(p(e)),p(e)))":   "inp",
	"i(n(p(e)),p(p(e)))":   "pin",
	"i(n(p(p(e))),p(e))":   "pni",
}

// Shape is the expression's query type, such as "2p" or "pin"; "" where the literature has no name for it. The order of
// the parts of "and" and "or" does not matter.
func (x *Expression) Shape() string { return shapes[x.form()] }

// form is the canonical form of the expression.
func (x *Expression) form() string {
	switch x.kind {
	case leaf:
		return "e"
	case hopTail, hopHead:
		return "p(" + x.left.form() + ")"
	case or:
		return "u(" + sortedForms(x.parts(or)) + ")"
	}
	return "i(" + sortedForms(x.parts(and)) + ")"
}

// parts are the forms of what the operator k joins, through brackets; a part that "minus" takes away is negated.
func (x *Expression) parts(k kind) []string {
	switch {
	case x.kind == k:
		return append(x.left.parts(k), x.right.parts(k)...)
	case x.kind == minus && k == and:
		return append(x.left.parts(k), "n("+x.right.form()+")")
	}
	return []string{x.form()}
}

func sortedForms(parts []string) string {
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// Join answers the expression by facts alone: entities that are answers have true, by entity. Errors are those of
// Check.
func (x *Expression) Join(g *kg.Graph, facts *kg.Index) ([]bool, error) {
	if err := x.Check(g); err != nil {
		return nil, err
	}
	return x.join(g, facts), nil
}

// join is Join of an expression whose names are checked.
func (x *Expression) join(g *kg.Graph, facts *kg.Index) []bool {
	in := make([]bool, g.Entities.Len())
	switch x.kind {
	case leaf:
		e, _ := g.FindEntity(x.name)
		in[e] = true
	case hopTail, hopHead:
		q := kg.Query{Side: kg.TailSide}
		if x.kind == hopHead {
			q.Side = kg.HeadSide
		}
		q.Relation, _ = g.FindRelation(x.name)
		for e, from := range x.left.join(g, facts) {
			if q.Known = int32(e); from {
				for _, to := range facts.Answers(q) {
					in[to] = true
				}
			}
		}
	default:
		a, b := x.left.join(g, facts), x.right.join(g, facts)
		for e := range in {
			switch x.kind {
			case and:
				in[e] = a[e] && b[e]
			case or:
				in[e] = a[e] || b[e]
			default:
				in[e] = a[e] && !b[e]
			}
		}
	}
	return in
}

// Quote writes a name so that an expression reads it as one, whatever is in it.
func Quote(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
