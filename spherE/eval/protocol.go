package eval

import "strings"

// The protocols of cuts. They differ in how they treat the other true answers of a triple's query.
const (
	ProtocolClean    = "clean"    // ranked and cut like any entity
	ProtocolReleased = "released" // see Released
	ProtocolTie      = "tie"      // see Tie
)

// ProtocolOf returns the protocol of a cut, and the cut without it.
func ProtocolOf(c Cut) (protocol string, of Cut) {
	switch c := c.(type) {
	case Released:
		return ProtocolReleased, c.Of
	case Tie:
		return ProtocolTie, c.Of
	}
	return ProtocolClean, c
}

// parseInner reads the name of a cut under a protocol of its own: a prefix and a top-l cut or a criterion.
func parseInner(name, prefix string) (Cut, bool) {
	inner, found := strings.CutPrefix(name, prefix)
	if !found {
		return nil, false
	}
	for _, parse := range []func(string) (Cut, bool){parseTop, parseCriterion} {
		if c, ok := parse(inner); ok {
			return c, true
		}
	}
	return nil, false
}
