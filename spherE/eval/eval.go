// Package eval measures how well a model answers set queries on a knowledge graph: F1, precision, recall and
// retrieve rate of the retrieved sets (section 4.1.3 of the SpherE paper), the same without what is already
// known, filtered ranking, and confidence intervals.
//
// Every distinct query of a split is answered once. What is kept of the answer are counts (set size, correct
// answers, correct known answers, answers of the split's own triples, ranks), and every metric is computed
// from those integers in a fixed order. So the numbers do not depend on the number of threads, on the order
// of lines in a file, or on the machine.
package eval

import (
	"context"
	"fmt"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Model is what an evaluation needs of a model; *sphere.Model is one.
type Model interface {
	// Entities and Relations are the model's numbers of them, equal to the graph's.
	Entities() int
	Relations() int
	// Distances fills dst, row-major len(queries) x Entities(). It is called from several goroutines.
	Distances(queries []kg.Query, dst []float32)
	// Values turns one row of distances into what criterion c compares with the returned cut: an entity is
	// retrieved if and only if its value <= cut.
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (cut float32)
}

// Settings say what is measured. The zero value measures the test split on all cores, with the model's own
// criterion, the paper's top-l rows and the ranking metrics, without intervals.
type Settings struct {
	Split kg.Split // kg.Test or kg.Valid; the zero value, kg.Train, means kg.Test

	// Truth are the splits whose triples are the ground truth and decide relation categories. Empty: all three, as
	// in the paper. A caller who selects a model or fits thresholds on kg.Valid may leave kg.Test out, so that
	// nothing of the test split enters the choice. It must contain the split and all splits that are known.
	Truth []kg.Split

	Primary sphere.Criterion   // criterion of the plain metric keys; "": the model's default
	Further []sphere.Criterion // more cuts, each reported under its own name

	TopL        []int // sizes of the top-l cuts; nil: 1, 3, 5, 10, 20, 100
	SkipTopL    bool  // no top-l cuts, whatever TopL says
	SkipRanking bool  // no ranks

	// Thresholds are further cuts, as Fit finds them, reported under their own names.
	Thresholds []sphere.Thresholds
	// TopMean adds the cut CutTopMean: the best l entities, l being the mean number of training answers of the query's
	// relation and side, rounded, at least 1.
	TopMean bool

	Resamples int    // bootstrap resamples for the intervals; 0: none
	Seed      uint64 // of the bootstrap

	Threads int // 0: all cores; never changes a number
	Block   int // queries per call of Distances; 0: 32. A worker holds (Block+1) x entities float32

	KeepRecords bool // keep the counts of every query in the report, for Compare

	// Progress is called on the goroutine that called Run with the number of distinct queries answered so
	// far, now and then and once at the end.
	Progress func(done, total int)
}

// DefaultTopL are the sizes of the paper's top-l rows.
func DefaultTopL() []int { return []int{1, 3, 5, 10, 20, 100} }

const defaultBlock = 32

// Run evaluates m on g. It returns ctx's error when ctx ends first. To evaluate several models on one graph,
// or one model after every epoch, New and Evaluator.Run save the preparation.
func Run(ctx context.Context, m Model, g *kg.Graph, s Settings) (*Report, error) {
	e, err := New(g, s)
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, m)
}

// Lookup reports only the rows that need no model: returning the known answers.
func Lookup(ctx context.Context, g *kg.Graph, s Settings) (*Report, error) {
	e, err := New(g, s)
	if err != nil {
		return nil, err
	}
	return e.report(ctx, e.records(nil, nil), "")
}

// Evaluator is a graph prepared for evaluation. It is safe for concurrent use; Run does not change it.
type Evaluator struct {
	graph     *kg.Graph
	settings  Settings
	topL      []int
	extra     extra
	questions []question // head queries, then tail queries; each by (relation, known entity)
	triples   int        // of the split
	category  []kg.Category
	lookups   []lookup
}

// lookup is a row that needs no model: the answers of an index.
type lookup struct {
	name    string
	answers *kg.Index
}

// New groups the split's triples by query and collects their answers.
func New(g *kg.Graph, s Settings) (*Evaluator, error) {
	s, err := s.resolve()
	if err != nil {
		return nil, err
	}
	split := g.Split(s.Split)
	if len(split) == 0 {
		return nil, fmt.Errorf("eval: graph %q has no %s triples to evaluate on", g.Name, s.Split)
	}
	truth := g.Index(s.Truth...)
	known := g.Index(s.known()...)
	e := &Evaluator{
		graph:    g,
		settings: s,
		triples:  len(split),
		category: truth.Categories(), // not of splits that the truth leaves out
		lookups:  []lookup{{"lookup", known}},
	}
	if s.Split == kg.Test {
		e.lookups = append(e.lookups, lookup{"lookup-train", g.Index(kg.Train)})
	}
	if !s.SkipTopL {
		e.topL = s.TopL
	}
	if e.extra, err = newExtra(g, s); err != nil {
		return nil, err
	}
	e.questions = questions(split, truth, known)
	return e, nil
}

// resolve fills in the defaults and refuses what cannot be measured.
func (s Settings) resolve() (Settings, error) {
	switch s.Split {
	case kg.Train:
		s.Split = kg.Test
	case kg.Valid, kg.Test:
	default:
		return s, fmt.Errorf("eval: split %v is neither valid nor test", s.Split)
	}
	if len(s.Truth) == 0 {
		s.Truth = []kg.Split{kg.Train, kg.Valid, kg.Test}
	}
	for _, need := range append(s.known(), s.Split) {
		if !slices.Contains(s.Truth, need) {
			return s, fmt.Errorf("eval: the ground truth of the %s split must contain the %s split", s.Split, need)
		}
	}
	for _, c := range append([]sphere.Criterion{s.Primary}, s.Further...) {
		if c != "" && !slices.Contains(sphere.Criteria(), c) {
			return s, fmt.Errorf("eval: there is no criterion %q; there are %q", c, sphere.Criteria())
		}
	}
	if s.TopL == nil {
		s.TopL = DefaultTopL()
	}
	top, err := sortedTopL(s.TopL)
	if err != nil {
		return s, err
	}
	s.TopL = top
	if s.Block == 0 {
		s.Block = defaultBlock
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"block", s.Block}, {"threads", s.Threads}, {"resamples", s.Resamples}} {
		if n.value < 0 {
			return s, fmt.Errorf("eval: %s must not be negative, got %d", n.name, n.value)
		}
	}
	return s, nil
}

// known are the splits whose answers count as known when s.Split is evaluated: what a user holds at that time.
func (s Settings) known() []kg.Split {
	if s.Split == kg.Valid {
		return []kg.Split{kg.Train}
	}
	return []kg.Split{kg.Train, kg.Valid}
}
