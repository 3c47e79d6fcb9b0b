package experiments

import (
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// relationResults returns the results per relation that a run logs: those of its own cut, of the fitted ones and of
// lookup. The artifact has all cuts. In the database, with a row for each relation and side, all cuts would be most of
// what a run logs.
func relationResults(r *eval.Report) []tracker.RelationResult {
	var list []tracker.RelationResult
	for _, cut := range r.Cuts {
		if !logsRelations(cut.Name, r.Primary) {
			continue
		}
		for _, g := range cut.Relations {
			for _, side := range []struct {
				name string
				of   eval.Scores
			}{{"head", g.Head}, {"tail", g.Tail}} {
				s := side.of
				if s.Triples == 0 { // the sample has none of its queries
					continue
				}
				list = append(list, tracker.RelationResult{Cut: cut.Name, Relation: g.Name, Side: side.name,
					Category: g.Category, Triples: int64(s.Triples), Queries: int64(s.Queries), F1: s.F1,
					Precision: s.Precision, Recall: s.Recall, RR: s.RR, Size: s.Size, QueryF1: s.QueryF1,
					UnionF1: s.UnionF1, NovelTriples: int64(s.NovelTriples), NovelF1: s.NovelF1})
			}
		}
	}
	return list
}

func logsRelations(cut, primary string) bool {
	if cut == primary || cut == eval.LookupName {
		return true
	}
	parsed, ok := eval.ParseCut(cut)
	return ok && parsed.Kind() == eval.KindFitted
}
