package postgres

import (
	"context"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Summaries are rows that the views would have to compute from every param, tag and point of a run that has ended.
// Migration 00009 defines when one holds. Without them the views return the same rows, slowly.

const (
	runsPerSummary = 100 // runs that are summarised in one transaction
	// summaryLock is the first key of the advisory locks of runs whose summary is made or removed: any constant.
	summaryLock = 0x73756d
	// staleHorizon is how many transactions ago the summaries may have been compared. PostgreSQL's 32-bit numbers of
	// transactions order transactions that are up to two billion apart.
	staleHorizon = 1_000_000_000
)

// forgetSummary removes the summaries of runs that the transaction is about to change. No program makes another one
// until the transaction has ended. It must come before the transaction locks the rows of a run: writers that take the
// two locks in different orders would wait for each other.
func forgetSummary(ctx context.Context, tx *sqlx.Tx, runs ...string) error {
	ids := pq.Array(runs)
	if err := lockSummaries(ctx, tx, ids); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM spherelab.run_summary WHERE run_uuid = ANY ($1)`, ids)
	return err
}

// lockSummaries is a separate statement, so the next statements see the commits that it waited for.
func lockSummaries(ctx context.Context, tx *sqlx.Tx, ids any) error {
	_, err := tx.ExecContext(ctx, `SELECT count(pg_advisory_xact_lock($1, key)) FROM
		(SELECT DISTINCT hashtext(id) AS key FROM unnest($2::text[]) AS id ORDER BY key) k`, summaryLock, ids)
	return err
}

// Summarise brings the summaries up to date: it drops those of runs that another program has changed since the last
// call, and makes those that are missing. Open calls it.
func (t *Store) Summarise(ctx context.Context) error {
	return t.retry(ctx, "summarising runs", func(ctx context.Context) error {
		var now struct {
			From, To string // no transaction before From is running, none has the number To
			Last     string
			// The summaries were compared too long ago to decide, or in another cluster, of which this is a copy. The
			// row was written by the transaction before the one that it names, or by a later one.
			Far bool
		}
		if err := t.db.GetContext(ctx, &now, `SELECT pg_snapshot_xmin(s)::text AS from, pg_snapshot_xmax(s)::text AS to,
				coalesce(h.transaction::text, '') AS last,
				pg_snapshot_xmin(s)::text::numeric - coalesce(h.transaction::text::numeric, 0) > $1
					OR coalesce(h.transaction > pg_snapshot_xmax(s), false)
					OR coalesce(age(h.xmin) > age(h.transaction::xid) + 1, false) AS far
			FROM pg_current_snapshot() s LEFT JOIN spherelab.summary_horizon h ON true`, staleHorizon); err != nil {
			return err
		}
		if now.To == now.Last {
			return nil
		}
		if err := t.dropChanged(ctx, now.Last, now.Last == "" || now.Far); err != nil {
			return err
		}
		done, err := t.summariseMissing(ctx)
		if err != nil || !done {
			return err
		}
		// The transaction that records this need not be checked.
		_, err = t.db.ExecContext(ctx, `INSERT INTO spherelab.summary_horizon (transaction)
			SELECT CASE WHEN pg_current_xact_id()::text = $1 THEN (($1::numeric + 1)::text)::xid8 ELSE $1::xid8 END
			ON CONFLICT (only_row) DO UPDATE SET transaction = excluded.transaction`, now.From)
		return err
	})
}

// dropChanged removes the summaries of runs that were changed by transactions from this number on, or all summaries.
// MLflow leaves a trace also when it logs a point that is not the newest of its metric: it locks the newest.
func (t *Store) dropChanged(ctx context.Context, since string, all bool) error {
	if all {
		_, err := t.db.ExecContext(ctx, `DELETE FROM spherelab.run_summary`)
		return err
	}
	_, err := t.db.ExecContext(ctx, `WITH h AS (SELECT age($1::xid8::xid) AS age)
		DELETE FROM spherelab.run_summary s WHERE s.run_uuid IN (
			SELECT run_uuid FROM public.latest_metrics, h WHERE age(latest_metrics.xmin) <= h.age
				OR age(latest_metrics.xmax) <= h.age
			UNION SELECT run_uuid FROM public.params, h WHERE age(params.xmin) <= h.age
			UNION SELECT run_uuid FROM public.tags, h WHERE age(tags.xmin) <= h.age
			UNION SELECT s.run_uuid FROM spherelab.run_summary s LEFT JOIN
				(SELECT run_uuid, count(*) AS n FROM public.tags GROUP BY run_uuid) c ON c.run_uuid = s.run_uuid
				WHERE s.tag_count <> coalesce(c.n, 0))`, since)
	return err
}

// summariseMissing reports whether no summary is missing. Another program's work may prevent that.
func (t *Store) summariseMissing(ctx context.Context) (done bool, err error) {
	var ids []string
	if err := t.db.SelectContext(ctx, &ids, `SELECT r.run_uuid FROM public.runs r
		JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
		WHERE r.lifecycle_stage = 'active' AND r.status IN ('FINISHED', 'FAILED', 'KILLED') AND r.end_time IS NOT NULL
			AND NOT EXISTS (SELECT FROM spherelab.run_summary s WHERE s.run_uuid = r.run_uuid AND s.status = r.status
				AND s.end_time = r.end_time) AND `+notGroup+`
		ORDER BY r.run_uuid`); err != nil {
		return false, err
	}
	many := len(ids) >= 10*runsPerSummary
	if many {
		t.say("summarising %d runs for questions in SQL", len(ids))
	}
	for chunk := range slices.Chunk(ids, runsPerSummary) {
		alone := false
		err := t.InTx(ctx, func(tx *sqlx.Tx) error {
			err := tx.GetContext(ctx, &alone, `SELECT pg_try_advisory_xact_lock($1)`, int64(summaryLock))
			if err != nil || !alone {
				return err
			}
			return summarise(ctx, tx, chunk)
		})
		if err != nil || !alone {
			return false, err
		}
	}
	if many { // otherwise the planner takes the tables for empty until PostgreSQL analyses them
		_, err = t.db.ExecContext(ctx, `VACUUM (ANALYZE) spherelab.run_summary, spherelab.epoch_summary`)
	}
	return true, err
}

// summarise makes the summaries of those of the runs that have ended.
func summarise(ctx context.Context, tx *sqlx.Tx, ids []string) error {
	runs := pq.Array(ids)
	if err := lockSummaries(ctx, tx, runs); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM spherelab.run_summary WHERE run_uuid = ANY ($1)`,
		`DELETE FROM spherelab.epoch_summary WHERE run_uuid = ANY ($1)`,
		`INSERT INTO spherelab.run_summary (run_uuid, status, end_time, tag_count, results_in_metrics,
				` + summaryColumns + `)
			SELECT r.run_uuid, r.status, r.end_time, (SELECT count(*) FROM public.tags g WHERE g.run_uuid = r.run_uuid),
				EXISTS (SELECT FROM public.latest_metrics l WHERE l.run_uuid = r.run_uuid AND l.key LIKE 'test/%')
					AND NOT EXISTS (SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = r.run_uuid
						AND x.split = 'test'),
				` + summaryColumns + `
			FROM spherelab.run_wide_of_points() p JOIN public.runs r ON r.run_uuid = p.run_id
			WHERE r.run_uuid = ANY ($1) AND r.status IN ('FINISHED', 'FAILED', 'KILLED') AND r.end_time IS NOT NULL`,
		`INSERT INTO spherelab.epoch_summary (run_uuid, ` + epochColumns + `)
			SELECT run_id, ` + epochColumns + ` FROM spherelab.epoch_of_points() WHERE run_id = ANY ($1)`,
	} {
		if _, err := tx.ExecContext(ctx, statement, runs); err != nil {
			return err
		}
	}
	return nil
}

// summaryColumns are the columns that run_wide computes from the params, tags and metrics of a run.
const summaryColumns = `config_key, config_hash, seed, model, variant, dataset, graph, graph_digest,
	dimension, gamma, epsilon, tau, alpha, beta, epochs, steps, batch, negatives, sampling, temperature,
	learning_rate, beta1, beta2, adam_epsilon, last_epoch, best_epoch, evaluated_epoch, loss, valid_head_f1,
	valid_tail_f1, valid_mrr, cut, head_f1, tail_f1, head_rr, tail_rr, nn_f1, head_precision, head_recall,
	tail_precision, tail_recall, head_novel_f1, tail_novel_f1, head_union_f1, tail_union_f1, mrr, mr, hits_1, hits_3,
	hits_10, checkpoint_digest, numerics_version, git_head, params`

// epochColumns are the columns of view epoch that depend on the epoch.
const epochColumns = `epoch, at, loss, learning_rate, epoch_seconds, valid_head_f1, valid_tail_f1,
	valid_head_rr, valid_tail_rr, valid_nn_f1, valid_mrr`
