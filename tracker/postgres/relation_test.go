package postgres_test

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// CheckRelations fails unless the results of steps 1 to last are stored, once each, and perhaps of some more.
func checkRelations(t *testing.T, tr *postgres.Store, run string, last int64) {
	t.Helper()
	stored := must[[]tracker.RelationResult](t)(tr.Relations(context.Background(), run))
	var want []tracker.RelationResult
	for step := int64(1); len(want) < len(stored) || step <= last; step++ {
		want = append(want, resultsOf(step)...)
	}
	if len(want) > len(stored) || !slices.Equal(stored, want) {
		t.Fatalf("%d results are stored, want %d: %+v", len(stored), len(want), stored)
	}
}

func TestRelationView(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: "views", Name: "run",
		Tags: map[string]string{"criterion": "sphere"}}))
	iri := "http://example.org/" + strings.Repeat("é", 4000) // more than an index takes
	results := append(resultsOf(1), resultsOf(2)[1], tracker.RelationResult{Cut: "lookup", Relation: iri, Side: "head",
		Category: "1-1", Triples: 1, Queries: 1})
	noError(t, run.LogRelations(results))
	noError(t, run.Finish(ctx, tracker.Finished))
	const query = `SELECT run_name, experiment, cut, is_default, left(relation, 7), length(relation), side, category, triples,
		queries, f1, precision, recall, rr, size, query_f1, union_f1, novel_triples, novel_f1 FROM relation
		ORDER BY cut, relation, side`
	want(t, rowsOf(t, tr, query), "[run views lookup false http:// 4019 head 1-1 1 1 0 0 0 0 0 0 0 0 ]\n"+
		"[run views sphere true r000001 7 head n-n 1 1 1 0.5 0.25 0.1 3 0.2 0.3 0 ]\n"+
		"[run views sphere true r000001 7 tail n-n 1 1 1 0.5 0.25 0.1 3 0.2 0.3 0 ]\n"+
		"[run views sphere true r000002 7 tail n-n 2 1 0.5 0.5 0.25 0.1 3 0.2 0.3 1 0.14285714285714285]\n")
	noError(t, tr.Delete(ctx, run.ID()))
	want(t, rowsOf(t, tr, query), "")
}

// The view reads the rows of the runs that a query asks for, by the index, and no others.
func TestRelationViewUsesItsIndex(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	db := connect(t, tr.URL())
	for _, query := range []string{`SELECT * FROM relation WHERE run_id = 'x'`,
		`SELECT * FROM relation WHERE run_id = 'x' AND cut = 'margin'`,
		`SELECT * FROM run_wide JOIN relation USING (run_id) WHERE run_id = 'x'`} {
		tx, err := db.Beginx()
		noError(t, err)
		execute(t, tx, `SET LOCAL enable_seqscan = off`) // else a table without rows is read as a whole
		var plan []string
		noError(t, tx.Select(&plan, `EXPLAIN `+query))
		noError(t, tx.Rollback())
		text := strings.Join(plan, "\n")
		if !strings.Contains(text, "relation_result_key") || strings.Contains(text, "Seq Scan on relation_result") ||
			strings.Contains(text, "Function Scan on relation") || strings.Contains(text, "Function Scan on run_wide") {
			t.Errorf("%s:\n%s", query, text)
		}
	}
}

func TestRelationsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	run := startRun(t, tr, "once")
	noError(t, run.LogRelations(nil))
	noError(t, run.LogRelations(resultsOf(1)))
	noError(t, run.LogRelations(append(resultsOf(1), resultsOf(2)...)))
	other := resultsOf(2)
	other[1].F1 = 0.75
	wantCode(t, run.LogRelations(other), tracker.CodeConflict, "r000002", "side tail")
	noError(t, run.Finish(ctx, tracker.Killed))
	checkRelations(t, tr, run.ID(), 2)

	run = must[*tracker.Run](t)(tr.ResumeRun(ctx, run.ID()))
	wantCode(t, run.LogRelations(other), tracker.CodeConflict, "r000002", "side tail")
	noError(t, run.LogRelations(append(resultsOf(2), resultsOf(3)...)))
	noError(t, run.Finish(ctx, tracker.Finished))
	wantCode(t, run.LogRelations(resultsOf(3)), tracker.CodeInvalid, "is finished")
	wantCode(t, run.LogRelations(resultsOf(4)), tracker.CodeInvalid, "is finished")
	checkRelations(t, tr, run.ID(), 3)

	// The database refuses what the program did not know of.
	late := startRun(t, tr, "late")
	execute(t, connect(t, uri), `INSERT INTO spherelab.relation_result
		SELECT $1, cut, relation, side, category, triples, queries, f1, precision, recall, rr, size, query_f1, union_f1,
			novel_triples, 0.5 FROM spherelab.relation_result WHERE run_uuid = $2`, late.ID(), run.ID())
	noError(t, late.LogRelations(resultsOf(1)))
	wantCode(t, late.Flush(ctx), tracker.CodeConflict, "r000001")
}

func TestRelationsAreChecked(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "odd")
	for want, change := range map[string]func(*tracker.RelationResult){
		"side head or tail": func(r *tracker.RelationResult) { r.Side = "left" },
		"needs a cut":       func(r *tracker.RelationResult) { r.Cut = "" },
		"zero byte":         func(r *tracker.RelationResult) { r.Relation = "a\x00" },
		"not valid UTF-8":   func(r *tracker.RelationResult) { r.Relation = "a\xff" },
		"the number NaN":    func(r *tracker.RelationResult) { r.Recall = math.NaN() },
		"the count -1":      func(r *tracker.RelationResult) { r.NovelTriples = -1 },
		"has two results":   func(r *tracker.RelationResult) { r.Side = "head" },
		"at most 250 fit":   func(r *tracker.RelationResult) { r.Cut = strings.Repeat("é", 251) },
	} {
		results := resultsOf(1)
		change(&results[1])
		wantCode(t, run.LogRelations(results), tracker.CodeInvalid, want)
	}
	noError(t, run.Finish(context.Background(), tracker.Finished))
	checkRelations(t, tr, run.ID(), 0)
}

// TestOddNamesOfRelations: any name that a graph may have is stored as it is.
func TestOddNamesOfRelations(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "odd")
	var results []tracker.RelationResult
	for _, name := range []string{"\x01\x1b[31m", "\t", "\n", " ", `"quoted" 'so'`, "$1", "a\u2028b", "größe", "关系",
		"\U0010ffff", "<&>", `\u0000`, `\`, strings.Repeat("long ", 20_000)} {
		results = append(results, tracker.RelationResult{Cut: "margin", Relation: name, Side: "tail", Category: "1-1"})
	}
	noError(t, run.LogRelations(results))
	noError(t, run.Finish(ctx, tracker.Finished))
	stored := must[[]tracker.RelationResult](t)(tr.Relations(ctx, run.ID()))
	slices.SortFunc(results, func(a, b tracker.RelationResult) int { return strings.Compare(a.Relation, b.Relation) })
	if !slices.Equal(stored, results) {
		t.Errorf("stored %d results, want %d: %+v", len(stored), len(results), stored)
	}
}

func TestKilledProgramLosesNoRelations(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	for _, steps := range []int{1, 100, 1500} { // the last takes several flushes
		p := startLogging(t, "relations", dir, uri)
		for range steps {
			p.next(t, "step")
		}
		last := p.kill(t)
		path := spools(t, dir)
		if len(path) != 1 {
			t.Fatalf("spools: %v", path)
		}
		whole, err := os.ReadFile(path[0])
		noError(t, err)
		tr := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
		checkRelations(t, tr, p.run, max(last, int64(steps)))
		before := must[[]tracker.RelationResult](t)(tr.Relations(ctx, p.run))
		// A replay that is repeated, as after a crash before the spool was removed, stores nothing twice.
		noError(t, os.WriteFile(path[0], whole, 0o600))
		must[[]tracker.Replay](t)(tr.ReplaySpools(ctx))
		if again := must[[]tracker.RelationResult](t)(tr.Relations(ctx, p.run)); !slices.Equal(again, before) {
			t.Errorf("%d results, after the second replay %d", len(before), len(again))
		}
		if left := spools(t, dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestRelationsOfAnOutage(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	uri, dir := trackertest.Database(t), t.TempDir()
	way := newProxy(t, uri)
	tr, err := postgres.Open(ctx, way.uri, tracker.Options{DataDir: dir, RetryFor: 1, Say: func(s string) { t.Log(s) }})
	noError(t, err)
	run := startRun(t, tr, "cut off")
	noError(t, run.LogRelations(resultsOf(1)))
	noError(t, run.Flush(ctx))
	way.cut()
	var many []tracker.RelationResult
	for step := int64(2); step <= 1500; step++ { // more than one record
		many = append(many, resultsOf(step)...)
	}
	noError(t, run.LogRelations(many))
	wantCode(t, run.Finish(ctx, tracker.Finished), tracker.CodeSpooled, "next start")
	_ = tr.Close() // says again that the database is away
	again := trackertest.StoreWith(t, uri, tracker.Options{DataDir: dir})
	checkRelations(t, again, run.ID(), 1500)
	if left := spools(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestImportedRelations(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	info, points := importable()
	bad := resultsOf(1)
	bad[0].Side = ""
	wantCode(t, tr.ImportRun(ctx, info, points, bad, nil), tracker.CodeInvalid, "side head or tail")
	noError(t, tr.ImportRun(ctx, info, points, append(resultsOf(1), resultsOf(2)...), nil))
	checkRelations(t, tr, info.ID, 2)
	// MLflow removes runs permanently and does not know our table.
	db := connect(t, tr.URL())
	for _, table := range []string{"metrics", "latest_metrics", "params", "tags", "runs"} {
		execute(t, db, `DELETE FROM public.`+table+` WHERE run_uuid = $1`, info.ID)
	}
	noError(t, tr.ImportRun(ctx, info, points, resultsOf(3), nil))
	if stored := must[[]tracker.RelationResult](t)(tr.Relations(ctx, info.ID)); !slices.Equal(stored, resultsOf(3)) {
		t.Errorf("after the second import: %+v", stored)
	}
}
