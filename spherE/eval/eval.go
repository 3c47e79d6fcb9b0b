// Package eval measures how well a model answers set queries on a knowledge graph: F1, precision, recall and retrieve
// rate of the retrieved sets (section 4.1.3 of the SpherE paper), the same without known answers, filtered ranking, and
// confidence intervals.
//
// Every distinct query of a split is answered once. Only counts are kept (set size, right answers, known answers,
// answers of the split's own triples, ranks), and every metric is computed from these integers in a fixed order. So the
// numbers do not depend on the number of threads, on the order of lines in a file, or on the machine.
package eval

import (
	"context"
	"fmt"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Model is what an evaluation needs of a model; *sphere.Model is one.
type Model interface {
	// Entities and Relations are how many the model has; they must equal the graph's.
	Entities() int
	Relations() int
	DefaultCriterion() sphere.Criterion
	// Distances fills dst, row-major len(queries) x Entities(). It is called from several goroutines.
	Distances(queries []kg.Query, dst []float32)
	// DistancesAt fills dst, by entity, with the distances of the listed entities to q, the same bits as Distances. The
	// other elements of dst are not used. It is called from several goroutines.
	DistancesAt(q kg.Query, entities []int32, dst []float32)
	// Values turns one row of distances into what criterion c compares with the returned threshold: an entity is
	// retrieved if and only if its value <= threshold. dst may be dist.
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (threshold float32)
}

// Settings are what is measured. The zero value measures cuts and ranks on the test split with all cores, without
// intervals.
type Settings struct {
	Split kg.Split // kg.Test or kg.Valid; the zero value, kg.Train, means kg.Test

	// Truth are the splits whose triples are the ground truth and decide relation categories. Empty: all three, as
	// in the paper. To select a model on kg.Valid, leave kg.Test out: then nothing of the test split enters the choice.
	// Truth must contain the split and all known splits.
	Truth []kg.Split

	// Cuts are measured in this order. The first one is the primary cut: its metrics have plain keys. Empty: the
	// model's own criterion and the paper's top-l cuts. The lookup cuts are always added: "lookup", and for the test
	// split "lookup-train".
	Cuts []Cut

	SkipRanking bool

	// Sample is the number of distinct queries of each side that are answered, drawn evenly. 0, or more than there are,
	// means all. The draw depends on the graph alone, so models are compared on the same queries. A mean over triples
	// is then a mean over the triples of these queries, and its interval covers the draw.
	Sample int

	Resamples int    // bootstrap resamples for the intervals; 0: none
	Seed      uint64 // of the bootstrap

	Threads int // 0: all cores; never changes a number
	Block   int // queries per call of Distances; 0: 32. A worker holds (Block+1) x entities float32

	KeepRecords bool // keep the counts of every query in the report, for Compare

	// Progress is called on the goroutine that called Run, with the number of distinct queries answered so far, after
	// every block.
	Progress func(done, total int)
}

// defaultCuts are the model's own criterion and the paper's top-l rows.
func defaultCuts() []Cut {
	return append([]Cut{Criterion(modelCriterion)}, Tops(1, 3, 5, 10, 20, 100)...)
}

const defaultBlock = 32

// Run evaluates m on g. It returns ctx's error when ctx ends first. To evaluate several models on one graph, or one
// model after every epoch, prepare the graph once with New and call Evaluator.Run.
func Run(ctx context.Context, m Model, g *kg.Graph, s Settings) (*Report, error) {
	e, err := New(g, s)
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, m)
}

// Evaluator is a graph prepared for evaluation. It is safe for concurrent use; Run does not change it.
type Evaluator struct {
	graph    *kg.Graph
	settings Settings
	plan     plan
	queries  []query // head queries, then tail queries; each by (relation, known entity)
	of       [2]int  // head and tail queries of the split, of which queries may be a sample
	triples  int     // of the split
	// distractors are the queries whose answers are the graph's distractors. They belong to the test split only.
	distractors []query
	category    []kg.Category
	counts      *simd.Counts

	probability func(q kg.Query, values []float32) Sigmoid // nil: not judged
}

// New groups the split's triples by query and looks up their answers.
func New(g *kg.Graph, s Settings) (*Evaluator, error) {
	s, err := s.resolve()
	if err != nil {
		return nil, err
	}
	split := g.Split(s.Split)
	if len(split) == 0 {
		return nil, fmt.Errorf("eval: graph %q has no %s triples to evaluate on", g.Name, s.Split)
	}
	counts, err := kernels()
	if err != nil {
		return nil, err
	}
	truth := g.Index(s.Truth...)
	queries := distinct(split, truth, g.Index(s.known()...))
	e := &Evaluator{
		graph:    g,
		settings: s,
		queries:  sample(queries, s.Sample),
		of:       countSides(queries),
		triples:  len(split),
		category: truth.Categories(), // not of splits that are not part of the truth
		counts:   counts,
	}
	if s.Split == kg.Test {
		e.distractors = distinct(g.Distractors, truth, g.Index(s.known()...))
	}
	return e.With()
}

// kernels returns the inner loops over values, on the path that models use.
func kernels() (*simd.Counts, error) {
	path, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	k, err := simd.Select(path)
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	return &k.Counts, nil
}

// With returns an evaluator that also measures the given cuts. It shares the preparation of e.
func (e *Evaluator) With(cuts ...Cut) (*Evaluator, error) {
	with := *e
	with.settings.Cuts = slices.Concat(e.settings.Cuts, cuts)
	all := append(slices.Clip(with.settings.Cuts), lookupKnown)
	if e.settings.Split == kg.Test {
		all = append(all, lookupTrain)
	}
	var err error
	with.plan, err = newPlan(e.graph, e.settings.known(), all)
	return &with, err
}

// Judging returns an evaluator that also measures how reliable the probabilities of new answers are. It shares the
// preparation of e.
func (e *Evaluator) Judging(by *Calibrated) (*Evaluator, error) {
	judging := *e
	var err error
	judging.probability, err = by.New.Sigmoids(e.graph)
	return &judging, err
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
	if len(s.Cuts) == 0 {
		s.Cuts = defaultCuts()
	}
	if s.Block == 0 {
		s.Block = defaultBlock
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"block", s.Block}, {"threads", s.Threads}, {"resamples", s.Resamples},
		{"sample", s.Sample}} {
		if n.value < 0 {
			return s, fmt.Errorf("eval: %s must not be negative, got %d", n.name, n.value)
		}
	}
	return s, nil
}

// known are the splits whose answers are known when s.Split is evaluated.
func (s Settings) known() []kg.Split {
	if s.Split == kg.Valid {
		return []kg.Split{kg.Train}
	}
	return []kg.Split{kg.Train, kg.Valid}
}
