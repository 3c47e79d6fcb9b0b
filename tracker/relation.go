package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
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

// relationKey is what a run has one result of.
type relationKey struct{ cut, relation, side string }

func (r RelationResult) key() relationKey { return relationKey{r.Cut, r.Relation, r.Side} }

func checkRelations(results []RelationResult) error {
	seen := make(map[relationKey]bool, len(results))
	for _, r := range results {
		for _, text := range []struct{ kind, value string }{{"cut", r.Cut}, {"relation", r.Relation},
			{"category", r.Category}} {
			if err := checkEncoding("the name of "+text.kind, text.value, text.value); err != nil {
				return err
			}
		}
		if r.Cut == "" || r.Relation == "" || r.Side != "head" && r.Side != "tail" {
			return errorf(CodeInvalid, nil,
				"a result per relation needs a cut, a relation and side head or tail, not %.40q, %.40q and %.40q",
				r.Cut, r.Relation, r.Side)
		}
		if n := utf8.RuneCountInString(r.Cut); n > maxKey {
			return errorf(CodeInvalid, nil, "the name of cut %.40q... has %d characters; at most %d fit", r.Cut, n, maxKey)
		}
		if seen[r.key()] {
			return errorf(CodeInvalid, nil, "relation %.100q, side %s, has two results at cut %s", r.Relation, r.Side, r.Cut)
		}
		seen[r.key()] = true
		if n := min(r.Triples, r.Queries, r.NovelTriples); n < 0 {
			return errorf(CodeInvalid, nil, "the result of relation %.100q at cut %s has the count %d", r.Relation, r.Cut, n)
		}
		for _, v := range []float64{r.F1, r.Precision, r.Recall, r.RR, r.Size, r.QueryF1, r.UnionF1, r.NovelF1} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errorf(CodeInvalid, nil, "the result of relation %.100q at cut %s has the number %v", r.Relation,
					r.Cut, v)
			}
		}
	}
	return nil
}

// LogRelations records results per relation, as LogMetrics records metrics. A result that the run has already is
// skipped if it is the same, and an Error with CodeConflict if it is not.
func (r *Run) LogRelations(results []RelationResult) error {
	if err := checkRelations(results); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []RelationResult
	for _, result := range results {
		old, ok := r.relations[result.key()]
		if ok && old != result {
			return relationConflict(result.key())
		}
		if !ok {
			fresh = append(fresh, result)
		}
	}
	for chunk := range slices.Chunk(fresh, rowsPerStatement) {
		if err := r.record(entry{Kind: "relations", Relations: chunk}); err != nil {
			return err
		}
		for _, result := range chunk {
			r.relations[result.key()] = result
		}
	}
	if len(fresh) == 0 {
		return r.checkOpen()
	}
	return nil
}

func relationConflict(k relationKey) error {
	return errorf(CodeConflict, nil, "this run has another result of relation %.100q, side %s, at cut %s: "+
		"the resumed run does not repeat the first one", k.relation, k.side, k.cut)
}

// relationColumns are the columns of spherelab.relation_result behind run_uuid, which are the keys of RelationResult
// in JSON.
const relationColumns = `cut, relation, side, category, triples, queries, f1, precision, recall, rr, size, query_f1,
	union_f1, novel_triples, novel_f1`

// relationRows is the relation u of the results that a statement gets as JSON.
const relationRows = `json_to_recordset($2::json) AS u (cut text, relation text, side text, category text,
	triples bigint, queries bigint, f1 double precision, "precision" double precision, recall double precision,
	rr double precision, size double precision, query_f1 double precision, union_f1 double precision,
	novel_triples bigint, novel_f1 double precision)`

func insertRelations(ctx context.Context, tx *sqlx.Tx, run string, results []RelationResult) error {
	for chunk := range slices.Chunk(results, rowsPerStatement) {
		rows, err := json.Marshal(chunk)
		if err != nil {
			return fmt.Errorf("results per relation: %w", err)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO spherelab.relation_result (run_uuid, `+relationColumns+`)
			SELECT $1, u.* FROM `+relationRows+` ON CONFLICT DO NOTHING`, run, string(rows))
		if err != nil {
			return err
		}
		var bad struct{ Cut, Relation, Side string }
		err = tx.GetContext(ctx, &bad, `SELECT u.cut, u.relation, u.side FROM `+relationRows+`
			JOIN spherelab.relation_result s
				ON s.run_uuid = $1 AND s.cut = u.cut AND md5(s.relation) = md5(u.relation) AND s.side = u.side
			WHERE (s.relation, s.category, s.triples, s.queries, s.f1, s.precision, s.recall, s.rr, s.size, s.query_f1,
				s.union_f1, s.novel_triples, s.novel_f1)
				<> (u.relation, u.category, u.triples, u.queries, u.f1, u.precision, u.recall, u.rr, u.size, u.query_f1,
				u.union_f1, u.novel_triples, u.novel_f1)
			LIMIT 1`, run, string(rows))
		if err == nil {
			return relationConflict(relationKey{bad.Cut, bad.Relation, bad.Side})
		}
		if !isNoRows(err) {
			return err
		}
	}
	return nil
}

const selectRelations = `SELECT ` + relationColumns + ` FROM spherelab.relation_result WHERE run_uuid = $1
	ORDER BY cut COLLATE "C", relation COLLATE "C", side`

// Relations returns a run's results per relation, by cut, relation (bytewise) and side. Runs of earlier versions have
// none.
func (t *Tracker) Relations(ctx context.Context, runID string) ([]RelationResult, error) {
	var results []RelationResult
	err := t.retry(ctx, "reading the results per relation of run "+runID, func(ctx context.Context) error {
		results = nil
		if t.remote != nil {
			var err error
			results, err = t.remote.relations.read(ctx, t.remote, runID)
			return err
		}
		return t.db.SelectContext(ctx, &results, selectRelations, runID)
	})
	return results, err
}
