package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// many is a generated database: runs of 20 graphs and 100 experiments, five seeds to a config, each with about 1,000
// points and 340 results.
type many struct {
	tr   *postgres.Store
	db   *sqlx.DB
	runs int
}

// runsOfBench is 500, or what SPHERELAB_BENCH_RUNS says; 10,000 runs have 10 million points and take minutes.
func runsOfBench(b *testing.B) int {
	text := os.Getenv("SPHERELAB_BENCH_RUNS")
	if text == "" {
		return 500
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 20 {
		b.Fatalf("SPHERELAB_BENCH_RUNS is %q; it must be a number of runs, at least 20", text)
	}
	return n
}

// manyRuns makes the database, or takes that of SPHERELAB_BENCH_DATABASE, where an earlier benchmark has left it.
func manyRuns(b *testing.B) many {
	b.Helper()
	n := runsOfBench(b)
	uri := os.Getenv("SPHERELAB_BENCH_DATABASE")
	if uri == "" {
		uri = trackertest.Database(b)
	}
	tr := trackertest.StoreWith(b, uri, tracker.Options{})
	db, err := sqlx.Open("postgres", uri)
	expect.NoError(b, err)
	b.Cleanup(func() { db.Close() })
	var there int
	expect.NoError(b, db.Get(&there, `SELECT count(*) FROM public.runs`))
	if there > 0 && there != n {
		b.Fatalf("the database has %d runs and not %d", there, n)
	}
	if there == 0 {
		for _, statement := range manyStatements(n) {
			if _, err := db.Exec(statement); err != nil {
				b.Fatalf("%v\n%s", err, statement)
			}
		}
	}
	b.ResetTimer()
	return many{tr, db, n}
}

// Run i of the generated database has this id. As with real ids, their order says nothing of where their rows lie.
const manyID = `md5(i::text)`

// manyStatements make a database of n runs. The numbers are functions of the places.
func manyStatements(n int) []string {
	const epochs = 110
	runs := fmt.Sprintf("generate_series(1, %d) i", n)
	const noise = `((i::bigint * 7919 + s * 104729) %% 10007) / 10007.0` // for Sprintf
	return []string{
		`INSERT INTO public.experiments (experiment_id, name, lifecycle_stage, artifact_location)
			SELECT 100 + i, 'experiment-' || i, 'active', 'file:///none' FROM generate_series(0, 99) i`,
		`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage, artifact_uri,
			experiment_id, source_type) SELECT ` + manyID + `, 'run-' || i / 5, 'FINISHED', 'me', 1700000000000 + i * 1000,
			1700000000000 + i * 1000 + 900, 'active', 'file:///none', 100 + i / 5 % 100, 'LOCAL' FROM ` + runs,
		`INSERT INTO public.params (run_uuid, key, value) SELECT ` + manyID + `, p.key, p.value FROM ` + runs + `,
			LATERAL (VALUES ('model', (ARRAY['sphere-2d', 'rotate', 'rotate3d', 'sphere-3d'])[1 + i / 5 % 4]),
			('variant', 'clean'), ('graph', CASE WHEN i / 5 % 20 = 0 THEN 'circle' ELSE 'graph-' || i / 5 % 20 END),
			('data', 'circle'), ('graph_digest', md5((i / 5 % 20)::text)), ('seed', (i % 5)::text),
			('gamma', (i / 5)::text), ('dimension', '200'), ('epsilon', '2'), ('tau', '1'), ('alpha', '0'), ('beta', '.1'),
			('train.epochs', '110'), ('train.steps', '100'), ('train.batch', '1024'), ('train.negatives', '64'),
			('train.learning_rate', '.001'), ('train.temperature', '1'), ('train.sampling', 'both'), ('eval.every', '10'),
			('train.beta1', '.9'), ('train.beta2', '.999'), ('train.adam_epsilon', '1e-8'), ('numerics_version', '1'),
			('config_hash', md5(i::text)), ('name', 'run-' || i / 5), ('threads', '2'), ('eval.fit', 'true'),
			('eval.top_l', '[1, 3, 10]'), ('train.save_every', '10')) p (key, value)`,
		`INSERT INTO public.tags (run_uuid, key, value) SELECT ` + manyID + `, p.key, p.value FROM ` + runs + `,
			LATERAL (VALUES ('mlflow.runName', 'run-' || i / 5), ('mlflow.user', 'me'), ('criterion', 'margin'),
			('checkpoint_digest', md5(i::text))) p (key, value)`,
		fmt.Sprintf(`INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
			SELECT `+manyID+`, k, `+noise+` + 1.0 / s, 1700000000000 + i * 1000 + s, s, false FROM `+runs+`,
			generate_series(1, %[1]d) s, unnest(ARRAY['loss', 'learning_rate', 'system/epoch_seconds', 'system/cpu_seconds',
			'system/steps_per_second', 'system/rss_bytes', 'system/rss_peak_bytes', 'system/more']) k
			UNION ALL SELECT `+manyID+`, 'valid/' || k, `+noise+`, 1700000000000 + i * 1000 + s, s, false FROM `+runs+`,
			generate_series(10, %[1]d, 10) s, unnest(ARRAY['head_f1', 'tail_f1', 'head_rr', 'tail_rr', 'nn_f1', 'mrr', 'mr',
			'hits_1', 'hits_3', 'hits_10']) k
			UNION ALL SELECT `+manyID+`, 'test/' || k, `+noise+`, 1700000000000 + i * 1000 + s, s, false FROM `+runs+`,
			generate_series(%[1]d, %[1]d) s, unnest(ARRAY['head_f1', 'tail_f1', 'head_rr', 'tail_rr', 'nn_f1', 'mrr', 'mr',
			'hits_1', 'hits_3', 'hits_10', 'head_precision', 'tail_precision', 'head_recall', 'tail_recall', 'head_novel_f1',
			'tail_novel_f1', 'head_union_f1', 'tail_union_f1']) k`, epochs),
		fmt.Sprintf(`INSERT INTO public.latest_metrics (run_uuid, key, value, timestamp, step, is_nan)
			SELECT run_uuid, key, value, timestamp, step, is_nan FROM public.metrics WHERE step = %d`, epochs),
		fmt.Sprintf(`INSERT INTO spherelab.evaluation_result (run_uuid, split, cut, category, metric, step, value, low, high, at)
			SELECT `+manyID+`, 'test', c, '', side || m, s, `+noise+`, CASE WHEN m IN ('f1', 'rr') THEN 0.25 END,
				CASE WHEN m IN ('f1', 'rr') THEN 0.75 END, 1700000000000 + i * 1000 + s
			FROM `+runs+`, generate_series(%[1]d, %[1]d) s, unnest(ARRAY['', 'intersect', 'top-1', 'top-3', 'top-5', 'top-10',
				'top-20', 'top-100', 'fitted-f1', 'fitted-novel', 'fitted-union', 'top-mean', 'lookup', 'lookup-train']) c,
				unnest(ARRAY['head_', 'tail_']) side,
				unnest(ARRAY['f1', 'rr', 'precision', 'recall', 'novel_f1', 'union_f1', 'query_f1', 'size']) m
			UNION ALL SELECT `+manyID+`, 'test', '', c, side || m, s, `+noise+`, NULL, NULL, 1700000000000 + i * 1000 + s
			FROM `+runs+`, generate_series(%[1]d, %[1]d) s, unnest(ARRAY['1-1', '1-n', 'n-1', 'n-n']) c,
				unnest(ARRAY['head_', 'tail_']) side, unnest(ARRAY['f1', 'rr']) m
			UNION ALL SELECT `+manyID+`, 'valid', c, '', side || m, s, `+noise+`, NULL, NULL, 1700000000000 + i * 1000 + s
			FROM `+runs+`, generate_series(22, %[1]d, 22) s, unnest(ARRAY['', 'lookup']) c,
				unnest(ARRAY['head_', 'tail_']) side, unnest(ARRAY['f1', 'rr', 'union_f1', 'size', 'query_f1']) m
			ON CONFLICT DO NOTHING`, epochs),
		`UPDATE spherelab.evaluation_result SET latest = false WHERE split = 'valid' AND step < 110`,
		`INSERT INTO spherelab.relation_result SELECT ` + manyID + `, c, 'relation-' || k, side, 'n-n', 10, 5, k / 20.0, .5, .5,
			.5, 3, .5, .5, 5, .25 FROM ` + runs + `, unnest(ARRAY['margin', 'lookup']) c, generate_series(1, 10) k,
			unnest(ARRAY['head', 'tail']) side`,
		`VACUUM ANALYZE`,
	}
}

// question is one of docs/sql.md.
type question struct{ title, query string }

// questions are those below a heading that starts with Questions.
func questions(t testing.TB, heading string) []question {
	t.Helper()
	raw, err := os.ReadFile("../../docs/sql.md")
	expect.NoError(t, err)
	_, text, _ := strings.Cut(string(raw), "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var list []question
	for {
		before, rest, found := strings.Cut(text, "```sql\n")
		if !found {
			break
		}
		query, after, _ := strings.Cut(rest, "```")
		lines := strings.Split(strings.TrimSpace(before), "\n")
		title := strings.Trim(strings.ReplaceAll(lines[len(lines)-1], " ", "_"), "?_")
		list = append(list, question{title, query})
		text = after
	}
	if len(list) < 10 {
		t.Fatalf("docs/sql.md has %d %s", len(list), heading)
	}
	return list
}

// BenchmarkQuestions asks the questions of docs/sql.md a generated database, as the login that can only read.
func BenchmarkQuestions(b *testing.B) {
	m := manyRuns(b)
	for _, q := range append(questions(b, "Questions about any run"), questions(b, "Questions about trainings")...) {
		b.Run(fmt.Sprintf("runs=%d/%s", m.runs, q.title), func(b *testing.B) {
			rows := 0
			for b.Loop() {
				rows = 0
				err := m.tr.StreamSQL(context.Background(), q.query, func(*tracker.Table) error { return nil },
					func([]any) error { rows++; return nil })
				expect.NoError(b, err)
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}
