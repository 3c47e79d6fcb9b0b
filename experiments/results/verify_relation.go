package results

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/tracker"
)

// relationAt identifies a result of a run.
type relationAt struct{ cut, relation, side string }

func (at relationAt) String() string {
	return fmt.Sprintf("relation %.100q, side %s, at cut %s", at.relation, at.side, at.cut)
}

// relationNumbers returns the numbers of a result, by their names in SQL.
func relationNumbers(r tracker.RelationResult) []namedNumber {
	return []namedNumber{{"triples", float64(r.Triples)}, {"queries", float64(r.Queries)}, {"f1", r.F1},
		{"precision", r.Precision}, {"recall", r.Recall}, {"rr", r.RR}, {"size", r.Size}, {"query_f1", r.QueryF1},
		{"union_f1", r.UnionF1}, {"novel_triples", float64(r.NovelTriples)}, {"novel_f1", r.NovelF1}}
}

type namedNumber struct {
	name  string
	value float64
}

func byRelation(list []tracker.RelationResult) map[relationAt]tracker.RelationResult {
	all := make(map[relationAt]tracker.RelationResult, len(list))
	for _, r := range list {
		all[relationAt{r.Cut, r.Relation, r.Side}] = r
	}
	return all
}

// relations compares results per relation, unless a run has none because an earlier version logged it.
func (v *Verification) relations(a, b []tracker.RelationResult) {
	if len(a) == 0 || len(b) == 0 {
		for _, side := range []struct {
			name        string
			mine, other int
		}{{"the first", len(a), len(b)}, {"the second", len(b), len(a)}} {
			if side.mine == 0 && side.other > 0 {
				v.Unlogged = append(v.Unlogged, side.name+" has not logged results per relation; they are not compared")
			}
		}
		return
	}
	differ := func(format string, args ...any) { v.Differences = append(v.Differences, fmt.Sprintf(format, args...)) }
	theirs := byRelation(b)
	for _, x := range a {
		at := relationAt{x.Cut, x.Relation, x.Side}
		y, ok := theirs[at]
		if !ok {
			differ("%s: only in the first", at)
			continue
		}
		delete(theirs, at)
		if x.Category != y.Category {
			differ("%s: category %s and %s", at, x.Category, y.Category)
		}
		numbers := relationNumbers(y)
		for i, n := range relationNumbers(x) {
			if math.Float64bits(n.value) != math.Float64bits(numbers[i].value) {
				differ("%s: %s %v and %v", at, n.name, n.value, numbers[i].value)
			} else {
				v.Equal++
			}
		}
	}
	for _, y := range b {
		at := relationAt{y.Cut, y.Relation, y.Side}
		if _, left := theirs[at]; left {
			differ("%s: only in the second", at)
		}
	}
}

// relationDifference describes the first result in which two archives of a run differ, "" if they agree.
func relationDifference(a, b []tracker.RelationResult, inA, inB string) string {
	mine, theirs := byRelation(a), byRelation(b)
	for _, x := range a {
		at := relationAt{x.Cut, x.Relation, x.Side}
		if y, ok := theirs[at]; !ok {
			return fmt.Sprintf("the result of %s is only in %s", at, inA)
		} else if x != y {
			return fmt.Sprintf("the result of %s is %+v in %s and %+v in %s", at, x, inA, y, inB)
		}
	}
	for _, y := range b {
		at := relationAt{y.Cut, y.Relation, y.Side}
		if _, ok := mine[at]; !ok {
			return fmt.Sprintf("the result of %s is only in %s", at, inB)
		}
	}
	return ""
}
