package eval

import (
	"cmp"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Cut is a way to turn the distances of a query into a set of entities. A kind of cut is a type in a file of its own,
// cut_*.go, with a constant below and its parser in kinds. Cuts can be compared with ==.
type Cut interface {
	// Name is the cut's name in reports and metric keys: "margin", "top-10", "fitted-f1". ParseCut reads it.
	Name() string
	Kind() Kind
	// Rank orders the cuts of one kind.
	Rank() int

	// prepare checks the cut against the plan's graph and returns how its sets are counted.
	prepare(p *plan) (prepared, error)
}

// Kind is a kind of cut. Kinds are in the order of the paper's tables: fixed sizes, then thresholds.
type Kind int

const (
	KindTop       Kind = iota // Top: "top-10"
	KindTopMean               // TopMean: "top-mean"
	KindCriterion             // Criterion: "margin", "sphere" and the other sphere.Criteria
	KindFitted                // Fitted: "fitted-f1", "fitted-side-f1", ...
	KindExpected              // Expected: "expected-f1", "expected-novel", "expected-union"
	KindPromised              // Promised: "precision-0.8", "recall-0.5"
	KindCovering              // Covering: "coverage-0.9"
	KindLookup                // "lookup", "lookup-train": known answers, which need no model
	KindReleased              // Released: "released-top-10", "released-blocks"
	KindTie                   // Tie: "tie-top-10", "tie-blocks"
)

// kinds read a cut's name, each for its kind.
var kinds = [...]func(name string) (Cut, bool){
	KindTop:       parseTop,
	KindTopMean:   parseTopMean,
	KindCriterion: parseCriterion,
	KindFitted:    parseFitted,
	KindExpected:  parseExpected,
	KindPromised:  parsePromised,
	KindCovering:  parseCovering,
	KindLookup:    parseLookup,
	KindReleased:  parseReleased,
	KindTie:       parseTie,
}

// CutNames returns the names of the cuts that need no true answers. "top-10" stands for every size, "precision-0.8",
// "recall-0.5" and "coverage-0.9" for every share.
func CutNames() []string {
	names := append(FittedNames(), ExpectedNames()...)
	for _, c := range sphere.Criteria() {
		names = append(names, string(c))
	}
	return append(names, TopMean{}.Name(), Top(10).Name(), "precision-0.8", "recall-0.5", "coverage-0.9")
}

// ParseCut returns the cut of that name. A fitted cut is returned without its thresholds.
func ParseCut(name string) (Cut, bool) {
	for _, parse := range kinds {
		if c, ok := parse(name); ok {
			return c, true
		}
	}
	return nil, false
}

// CompareCuts orders cuts by kind, then by rank.
func CompareCuts(a, b Cut) int {
	return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Rank(), b.Rank()))
}

// prepared is a cut that is ready to count its sets. It is read by all workers at once.
type prepared struct {
	name string
	// criterion is the criterion whose values the row holds when count is called: noValues for none, modelCriterion for
	// that of the evaluated model.
	criterion sphere.Criterion
	count     func(r *row) count
	// perTriple: the sets of a query's triples differ, see CutRecord. grows is CutRecord.Grows; tied: the record has
	// CutRecord.Tied2.
	perTriple, grows, isTied bool
}

const (
	noValues       sphere.Criterion = "none"
	modelCriterion sphere.Criterion = ""
)

// plan is a list of cuts prepared for a graph.
type plan struct {
	graph *kg.Graph
	known []kg.Split // whose answers are known
	cuts  []prepared
	top   int // the largest fixed size of a cut: this many entities are ranked once, for all cuts
}

// newPlan prepares cuts. A cut that is listed twice is measured once.
func newPlan(g *kg.Graph, known []kg.Split, cuts []Cut) (plan, error) {
	p := plan{graph: g, known: known}
	for _, c := range cuts {
		ready, err := c.prepare(&p)
		if err != nil {
			return p, err
		}
		if !p.has(ready.name) {
			p.cuts = append(p.cuts, ready)
		}
	}
	return p, nil
}

func (p *plan) has(name string) bool {
	return slices.ContainsFunc(p.cuts, func(c prepared) bool { return c.name == name })
}

// of returns the plan for a model. The model's own criterion gets its name, or is left out if the model has none.
func (p plan) of(m Model) plan {
	own, cuts := m.DefaultCriterion(), p.cuts
	p.cuts = nil
	for _, c := range cuts {
		if c.criterion == modelCriterion {
			if own == "" {
				continue
			}
			c.name, c.criterion = string(own), own
		}
		if !p.has(c.name) {
			p.cuts = append(p.cuts, c)
		}
	}
	return p
}
