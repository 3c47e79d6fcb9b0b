package tracker

import (
	"math"
	"unicode/utf8"
)

// RelationResult is what an evaluation found about one relation and side at one cut. MLflow has no place for it: a
// relation's name may be longer than a metric's key, and has other characters.
type RelationResult struct {
	Cut      string `json:"cut"`
	Relation string `json:"relation"`
	Side     string `json:"side"` // of the queries: "head" or "tail"
	Category string `json:"category"`

	Triples   int64   `json:"triples"` // of the split, over which the numbers below are averages
	Queries   int64   `json:"queries"` // distinct
	F1        float64 `json:"f1"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	RR        float64 `json:"rr"`
	Size      float64 `json:"size"`
	QueryF1   float64 `json:"query_f1" db:"query_f1"`
	UnionF1   float64 `json:"union_f1" db:"union_f1"`

	NovelTriples int64   `json:"novel_triples" db:"novel_triples"` // over which NovelF1 is the average
	NovelF1      float64 `json:"novel_f1" db:"novel_f1"`           // not defined, and 0, without such triples
}

// RelationKey is what a run has one result of.
type RelationKey struct{ Cut, Relation, Side string }

func (r RelationResult) Key() RelationKey { return RelationKey{r.Cut, r.Relation, r.Side} }

func CheckRelations(results []RelationResult) error {
	seen := make(map[RelationKey]bool, len(results))
	for _, r := range results {
		for _, text := range []struct{ kind, value string }{{"cut", r.Cut}, {"relation", r.Relation},
			{"category", r.Category}} {
			if err := CheckEncoding("the name of "+text.kind, text.value, text.value); err != nil {
				return err
			}
		}
		if r.Cut == "" || r.Relation == "" || r.Side != "head" && r.Side != "tail" {
			return Errorf(CodeInvalid, nil,
				"a result per relation needs a cut, a relation and side head or tail, not %.40q, %.40q and %.40q",
				r.Cut, r.Relation, r.Side)
		}
		if n := utf8.RuneCountInString(r.Cut); n > maxKey {
			return Errorf(CodeInvalid, nil, "the name of cut %.40q... has %d characters; at most %d fit", r.Cut, n, maxKey)
		}
		if seen[r.Key()] {
			return Errorf(CodeInvalid, nil, "relation %.100q, side %s, has two results at cut %s", r.Relation, r.Side, r.Cut)
		}
		seen[r.Key()] = true
		if n := min(r.Triples, r.Queries, r.NovelTriples); n < 0 {
			return Errorf(CodeInvalid, nil, "the result of relation %.100q at cut %s has the count %d", r.Relation, r.Cut, n)
		}
		for _, v := range []float64{r.F1, r.Precision, r.Recall, r.RR, r.Size, r.QueryF1, r.UnionF1, r.NovelF1} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return Errorf(CodeInvalid, nil, "the result of relation %.100q at cut %s has the number %v", r.Relation,
					r.Cut, v)
			}
		}
	}
	return nil
}

func RelationConflict(k RelationKey) error {
	return Errorf(CodeConflict, nil, "this run has another result of relation %.100q, side %s, at cut %s: "+
		"the resumed run does not repeat the first one", k.Relation, k.Side, k.Cut)
}
