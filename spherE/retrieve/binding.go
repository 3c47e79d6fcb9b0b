package retrieve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Binding is a fact on the best way to an answer of several steps. The ends of the facts are the entities that stand
// for the variables of the question.
type Binding struct {
	Triple   kg.Triple `json:"-"`
	Head     string    `json:"head"` // labels
	Relation string    `json:"relation"`
	Tail     string    `json:"tail"`

	Probability *float64 `json:"probability,omitempty"` // as in the answer's, see Steps; nil for known facts
	Score       *float64 `json:"score,omitempty"`       // where there are no probabilities

	Mark  Mark `json:"mark"`
	Known bool `json:"known"` // Mark is Known
}

// origin is how the score of each entity of a set came about.
type origin struct {
	kind   kind       // leaf: facts of a query; hopTail, hopHead: a hop; and, or; minus: left alone
	of     kg.Query   // of a leaf; of a hop without Known
	left   *ScoredSet // nil for a leaf
	right  *ScoredSet // nil but of and, or
	via    []int32    // of a hop, by entity: where the last step of the best path begins; -1: no path
	scores []float64  // by entity: of the fact, or of the last step; nil of an answer to one query before Comparable
}

// newOrigin is the origin of a hop along a query's relation, before any path is found.
func newOrigin(of kg.Query, from *ScoredSet, n int) *origin {
	o := &origin{kind: hopTail, of: of, left: from, via: slices.Repeat([]int32{-1}, n), scores: make([]float64, n)}
	if of.Side == kg.HeadSide {
		o.kind = hopHead
	}
	return o
}

// step makes an entity's best path lead through x.
func (o *origin) step(e, x int32, score float64) { o.via[e], o.scores[e] = x, score }

// Bindings returns the facts on the best way to an entity, in the order of the question; each fact once. Of the parts
// of "or" it is the one of greater score, and of "minus" the first. It returns nil if nothing leads to the entity, or
// if a model found it from a fuzzy set, where no path is the best.
func (s *ScoredSet) Bindings(e int32) []Binding {
	var list []Binding
	s.bind(e, &list)
	return list
}

func (s *ScoredSet) bind(e int32, list *[]Binding) {
	o := s.origin
	switch o.kind {
	case leaf:
		s.addBinding(o.of.Triple(e), e, list)
	case hopTail, hopHead:
		if o.via[e] < 0 {
			return
		}
		o.left.bind(o.via[e], list)
		q := o.of
		q.Known = o.via[e]
		s.addBinding(q.Triple(e), e, list)
	case and:
		o.left.bind(e, list)
		o.right.bind(e, list)
	case or:
		if o.right.Scores[e] > o.left.Scores[e] {
			o.right.bind(e, list)
			return
		}
		o.left.bind(e, list)
	default:
		o.left.bind(e, list)
	}
}

func (s *ScoredSet) addBinding(t kg.Triple, e int32, list *[]Binding) {
	if slices.ContainsFunc(*list, func(b Binding) bool { return b.Triple == t }) {
		return
	}
	g := s.retriever.graph
	b := Binding{Triple: t, Head: g.Label(t.Head), Relation: g.RelationLabel(t.Relation), Tail: g.Label(t.Tail),
		Mark: s.retriever.member(t, true)}
	b.Known = b.Mark == Known
	if scores := s.origin.scores; !b.Known && scores != nil {
		if x := scores[e]; s.Scale == OfProbability {
			b.Probability = &x
		} else {
			b.Score = &x
		}
	}
	*list = append(*list, b)
}

// String returns the fact and what supports it: "Max Born advised Pascual Jordan (known)", "... (probability 0.310)".
func (b Binding) String() string {
	support := b.Mark.String()
	switch {
	case b.Probability != nil:
		support = probabilityText("", b.Probability)
	case b.Score != nil:
		support = fmt.Sprintf("score %+.3f", *b.Score)
	}
	return fmt.Sprintf("%s %s %s (%s)", b.Head, b.Relation, b.Tail, support)
}

// bindingWords returns the facts as one line, "" without any.
func bindingWords(list []Binding) string {
	words := make([]string, len(list))
	for i, b := range list {
		words[i] = b.String()
	}
	return strings.Join(words, ", ")
}

// OfOneQuery reports whether the set answers one query, so that a member is bound to nothing else.
func (s *ScoredSet) OfOneQuery() bool { return s.origin.kind == leaf }
