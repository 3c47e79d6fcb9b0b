// Package multihop draws questions of several steps by the published query types. It measures how well a model answers
// them: the answers that no join of known facts finds, and the whole sets.
//
// The types are those of Ren et al. (ICLR 2020) and, with negation, Ren and Leskovec (NeurIPS 2020). p is a hop, i an
// intersection, u a union, n a negation: "pi" intersects a path of two hops with a hop.
package multihop

import (
	"fmt"
	"strings"
)

// Type is a query type, such as "2p".
type Type string

// types are the query types with their structure. The names are in the order of published tables.
var types = []struct {
	name Type
	node node
}{
	{"1p", p(e)},
	{"2p", p(p(e))},
	{"3p", p(p(p(e)))},
	{"2i", i(p(e), p(e))},
	{"3i", i(i(p(e), p(e)), p(e))},
	{"pi", i(p(p(e)), p(e))},
	{"ip", p(i(p(e), p(e)))},
	{"2u", u(p(e), p(e))},
	{"up", p(u(p(e), p(e)))},
	{"2in", n(p(e), p(e))},
	{"3in", n(i(p(e), p(e)), p(e))},
	{"inp", p(n(p(e), p(e)))},
	{"pin", n(p(p(e)), p(e))},
	{"pni", n(p(e), p(p(e)))},
}

// node is a part of a type: an entity, a hop from left, or two parts joined by an operator of expressions.
type node struct {
	operator    string // "": an entity; "hop"; "and", "or", "minus"
	left, right *node
}

const hop = "hop"

var e node

func p(x node) node    { return node{hop, &x, nil} }
func i(x, y node) node { return node{"and", &x, &y} }
func u(x, y node) node { return node{"or", &x, &y} }
func n(x, y node) node { return node{"minus", &x, &y} } // what is in x and not in y

// Types returns all query types, in the order of published tables.
func Types() []Type {
	list := make([]Type, len(types))
	for k, t := range types {
		list[k] = t.name
	}
	return list
}

// ParseType returns the type with a name.
func ParseType(name string) (Type, error) {
	if at := place(Type(name)); at < 0 {
		return "", fmt.Errorf("query type %q is not known; the types are %s", name, strings.Trim(fmt.Sprint(Types()), "[]"))
	}
	return Type(name), nil
}

// Negated reports whether the type has a negation.
func (t Type) Negated() bool { return strings.Contains(string(t), "n") }

// place returns the type's place in types, or -1 if it is not in types.
func place(t Type) int {
	for k := range types {
		if types[k].name == t {
			return k
		}
	}
	return -1
}
