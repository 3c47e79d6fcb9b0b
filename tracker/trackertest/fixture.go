package trackertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
)

// StartRun begins a run of experiment "test".
func StartRun(t testing.TB, tr *postgres.Store, name string) *tracker.Run {
	t.Helper()
	run, err := tr.StartRun(context.Background(), tracker.RunSpec{Experiment: "test", Name: name})
	expect.NoError(t, err)
	return run
}

// Execute runs a statement, and ends the test where it fails.
func Execute(t testing.TB, db sqlx.Execer, query string, args ...any) {
	t.Helper()
	_, err := db.Exec(query, args...)
	expect.NoError(t, err)
}

// RowsOfTables counts the rows of each table.
func RowsOfTables(t testing.TB, db *sqlx.DB) map[string]int {
	t.Helper()
	var tables []string
	expect.NoError(t, db.Select(&tables, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname IN ('public', 'spherelab') ORDER BY 1`))
	counts := map[string]int{}
	for _, table := range tables {
		var n int
		expect.NoError(t, db.Get(&n, `SELECT count(*) FROM `+table))
		counts[table] = n
	}
	return counts
}

// FullRun is a finished run with rows in every table that runs have, and artifacts in two folders.
func FullRun(t testing.TB, tr *postgres.Store, name string) (id, folder string) {
	t.Helper()
	ctx := context.Background()
	run := expect.Must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Name: name, Params: map[string]string{"model": "m"},
		Inputs: []tracker.Dataset{{Name: "graph", Digest: "d", Source: "here", SourceType: "local"}}}))
	expect.NoError(t, run.LogResults(3, []tracker.EvaluationResult{{Split: "test", Metric: "head_f1", Value: 0.5}},
		map[string]float64{"loss": 1}))
	expect.NoError(t, run.LogRelations(ResultsOf(1)))
	folder = filepath.Dir(run.ArtifactDir())
	for _, dir := range []string{"artifacts", "artifacts-7"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(folder, dir, "model"), 0o755))
		expect.NoError(t, os.WriteFile(filepath.Join(folder, dir, "model", "file"), []byte("12345"), 0o644))
	}
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	return run.ID(), folder
}

// ResultsOf are results of a relation of their own for every step.
func ResultsOf(step int64) []tracker.RelationResult {
	var list []tracker.RelationResult
	for _, side := range []string{"head", "tail"} {
		list = append(list, tracker.RelationResult{Cut: "sphere", Relation: fmt.Sprintf("r%06d", step), Side: side,
			Category: "n-n", Triples: step, Queries: 1, F1: 1 / float64(step), Precision: 0.5, Recall: 0.25, RR: 0.1,
			Size: 3, QueryF1: 0.2, UnionF1: 0.3, NovelTriples: step - 1, NovelF1: float64(step-1) / 7})
	}
	return list
}

// UnlikePoints counts the rows by which the views differ from what the points say.
func UnlikePoints(t testing.TB, db *sqlx.DB) (n int) {
	t.Helper()
	expect.NoError(t, db.Get(&n, `SELECT
		(SELECT count(*) FROM (SELECT * FROM spherelab.run_wide EXCEPT ALL SELECT * FROM spherelab.run_wide_of_points()) a) +
		(SELECT count(*) FROM (SELECT * FROM spherelab.run_wide_of_points() EXCEPT ALL SELECT * FROM spherelab.run_wide) b) +
		(SELECT count(*) FROM (SELECT * FROM spherelab.epoch EXCEPT ALL SELECT * FROM spherelab.epoch_of_points()) c) +
		(SELECT count(*) FROM (SELECT * FROM spherelab.epoch_of_points() EXCEPT ALL SELECT * FROM spherelab.epoch) d)`))
	return n
}

// AllFiles returns the contents of the files below a folder.
func AllFiles(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	expect.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, root)] = string(text)
		return err
	}))
	return files
}

// Backup writes a backup of a tracker.
func Backup(t testing.TB, tr *postgres.Store) (file string, report backup.Report) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.tar")
	return file, expect.Must[backup.Report](t)(backup.Write(context.Background(), tr, file))
}
