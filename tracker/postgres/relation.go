package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
)

// relationColumns are the columns of spherelab.relation_result after run_uuid. They are the keys of RelationResult in
// JSON.
const relationColumns = `cut, relation, side, category, triples, queries, f1, precision, recall, rr, size, query_f1,
	union_f1, novel_triples, novel_f1`

// relationRows is the relation u of the results that a statement gets as JSON.
const relationRows = `json_to_recordset($2::json) AS u (cut text, relation text, side text, category text,
	triples bigint, queries bigint, f1 double precision, "precision" double precision, recall double precision,
	rr double precision, size double precision, query_f1 double precision, union_f1 double precision,
	novel_triples bigint, novel_f1 double precision)`

func insertRelations(ctx context.Context, tx *sqlx.Tx, run string, results []tracker.RelationResult) error {
	for chunk := range slices.Chunk(results, tracker.MaxRows) {
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
			return tracker.RelationConflict(tracker.RelationKey{Cut: bad.Cut, Relation: bad.Relation, Side: bad.Side})
		}
		if !isNoRows(err) {
			return err
		}
	}
	return nil
}

const selectRelations = `SELECT ` + relationColumns + ` FROM spherelab.relation_result WHERE run_uuid = $1
	ORDER BY cut COLLATE "C", relation COLLATE "C", side`

// Relations returns a run's results per relation, by cut, relation (bytewise) and side.
func (d database) Relations(ctx context.Context, run string) (list []tracker.RelationResult, err error) {
	err = d.t.db.SelectContext(ctx, &list, selectRelations, run)
	return list, fault(err)
}
