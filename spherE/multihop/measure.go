package multihop

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Report describes how well a model answers questions.
type Report struct {
	Types []Scores `json:"types"` // in the order of Types, then Other

	// Means over the types without a negation and over those with one. nil if there are none.
	Positive *Means `json:"positive,omitempty"`
	Negated  *Means `json:"negated,omitempty"`

	// Left counts the questions that no fact of any split answers, which measure nothing.
	Left int `json:"left_out"`
}

// Means are means over query types, each with the same weight.
type Means struct {
	MRR    float64 `json:"mrr"`
	F1     float64 `json:"f1"`
	JoinF1 float64 `json:"join_f1"`
}

// Scores are means over the questions of one type.
type Scores struct {
	Type      Type `json:"type"`
	Questions int  `json:"questions"`

	// Means over the questions that have hard answers: those that need a test fact. Ranks are filtered: only entities
	// that are not right count. The mean of a question is over its hard answers.
	HardQuestions int     `json:"hard_questions"`
	HardAnswers   int     `json:"hard_answers"`
	MRR           float64 `json:"mrr"`
	Hits10        float64 `json:"hits_10"`
	HardFound     float64 `json:"hard_found"` // the share of hard answers that is in the answer set

	F1         float64       `json:"f1"`         // of the answer sets, against all right answers
	JoinF1     float64       `json:"join_f1"`    // of the join of known facts
	Difference eval.Interval `json:"difference"` // 95 %, of F1 - JoinF1, paired over questions
}

// Other is the type of questions for which the literature has no name.
const Other Type = "other"

// Settings are how questions are measured. The zero value can be used.
type Settings struct {
	Threads   int // 0: all cores; never changes a number
	Resamples int // for the intervals; 0: 1,000
	Seed      uint64
	Progress  func(done, total int) // nil: none
}

// measured has the numbers of one question.
type measured struct {
	kind                      Type
	right, hard               int
	reciprocal, hits10, found float64
	f1, join                  float64
	err                       error
}

// Measure answers questions and compares the answers with the facts of all splits. Questions have one unknown: HEAD ?
// TAIL is an error. Other errors are those of Retriever.Evaluate and ctx.
func Measure(
	ctx context.Context, by *retrieve.Retriever, g *kg.Graph, questions []retrieve.Question, s Settings,
) (*Report, error) {
	if s.Resamples == 0 {
		s.Resamples = 1000
	}
	expressions := make([]*retrieve.Expression, len(questions))
	for k, q := range questions {
		x, err := q.AsExpression()
		if err != nil {
			return nil, fmt.Errorf("question %d: %w", k+1, err)
		}
		expressions[k] = x
	}
	splits := kg.Splits()
	all, known := g.Index(splits[:]...), g.Index(kg.Train, kg.Valid)
	list, left := make(map[Type][]measured), 0
	var failed error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err := parallel.Ordered(ctx, parallel.Threads(s.Threads), len(questions), func() func(int) measured {
		return func(k int) measured { return measure(ctx, by, g, expressions[k], all, known) }
	}, func(k int, m measured) {
		switch {
		case m.err != nil && failed == nil:
			failed = fmt.Errorf("%s: %w", questions[k], m.err)
			stop()
		case m.right == 0:
			left++
		default:
			list[m.kind] = append(list[m.kind], m)
		}
		if s.Progress != nil {
			s.Progress(k+1, len(questions))
		}
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Left: left}
	for _, t := range append(Types(), Other) {
		if len(list[t]) > 0 {
			r.Types = append(r.Types, summary(t, list[t], s))
		}
	}
	r.Positive, r.Negated = r.means(false), r.means(true)
	return r, nil
}

// measure answers one question.
func measure(ctx context.Context, by *retrieve.Retriever, g *kg.Graph, x *retrieve.Expression, all, known *kg.Index,
) (m measured) {
	m.kind = Other
	if t := Type(x.Shape()); t != "" {
		m.kind = t
	}
	var right, easy []bool
	if right, m.err = x.Join(g, all); m.err != nil {
		return m
	}
	if easy, m.err = x.Join(g, known); m.err != nil {
		return m
	}
	var hard []int32
	joined, joinedRight := 0, 0
	for e, is := range right {
		if easy[e] {
			joined++
		}
		switch {
		case is && easy[e]:
			joinedRight++
		case is:
			hard = append(hard, int32(e))
		}
	}
	m.right, m.hard = joinedRight+len(hard), len(hard)
	if m.right == 0 {
		return m
	}
	set, err := by.Evaluate(ctx, x)
	if err != nil {
		m.err = err
		return m
	}
	n, found := float64(len(hard)), 0
	for _, rank := range set.Ranks(hard, right) {
		m.reciprocal += 1 / rank / n
		if rank <= 10 {
			m.hits10 += 1 / n
		}
	}
	for _, e := range hard {
		if set.In[e] {
			m.found += 1 / n
		}
	}
	for _, e := range set.Members {
		if right[e] {
			found++
		}
	}
	m.f1, m.join = f1(found, len(set.Members), m.right), f1(joinedRight, joined, m.right)
	return m
}

// f1 returns the F1 of a set of members entities, found of which are among the right answers.
func f1(found, members, right int) float64 { return 2 * float64(found) / float64(members+right) }

// summary returns the means of one type's questions.
func summary(t Type, list []measured, s Settings) Scores {
	r := Scores{Type: t, Questions: len(list)}
	differences := make([]float64, len(list))
	for k, m := range list {
		r.HardAnswers += m.hard
		r.MRR += m.reciprocal
		r.Hits10 += m.hits10
		r.HardFound += m.found
		r.F1 += m.f1
		r.JoinF1 += m.join
		differences[k] = m.f1 - m.join
		if m.hard > 0 {
			r.HardQuestions++
		}
	}
	if hard := float64(r.HardQuestions); hard > 0 {
		r.MRR, r.Hits10, r.HardFound = r.MRR/hard, r.Hits10/hard, r.HardFound/hard
	}
	r.F1, r.JoinF1 = r.F1/float64(len(list)), r.JoinF1/float64(len(list))
	r.Difference = eval.MeanInterval(differences, s.Resamples, s.Seed)
	return r
}

// means returns the means over the types with a negation, or over those without; Other is left out. It returns nil if
// there are none.
func (r *Report) means(negated bool) *Means {
	var m Means
	n := 0.0
	for _, t := range r.Types {
		if t.Type != Other && t.Type.Negated() == negated {
			m.MRR, m.F1, m.JoinF1 = m.MRR+t.MRR, m.F1+t.F1, m.JoinF1+t.JoinF1
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &Means{m.MRR / n, m.F1 / n, m.JoinF1 / n}
}
