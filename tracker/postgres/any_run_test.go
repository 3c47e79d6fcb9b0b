package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// plannedRun is a run that our tracker and Python's client log alike.
type plannedRun struct {
	Experiment string            `json:"experiment"`
	Name       string            `json:"name"`
	Params     map[string]string `json:"params"`
	Tags       map[string]string `json:"tags"`
	Points     []plannedPoint    `json:"points"`
	Status     tracker.Status    `json:"status"`
	Deleted    string            `json:"deleted"` // "run", "experiment" or ""
}

// plannedPoint has its value as a word, as JSON has no NaN.
type plannedPoint struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Step  int64  `json:"step"`
}

// plannedRuns differ in everything that the questions ask. Some are deleted: they would be the best ones.
func plannedRuns() []plannedRun {
	run := func(experiment, name, gamma, seed, mrr string, status tracker.Status, losses ...string) plannedRun {
		r := plannedRun{Experiment: experiment, Name: name, Status: status, Tags: map[string]string{"colour": name + "!"},
			Params: map[string]string{"gamma": gamma, "seed": seed, "optimiser": "adam"}}
		for i, loss := range losses {
			r.Points = append(r.Points, plannedPoint{"loss", loss, int64(i + 1)})
		}
		if mrr != "" {
			r.Points = append(r.Points, plannedPoint{"test/mrr", mrr, int64(len(losses))})
		}
		return r
	}
	runs := []plannedRun{
		run("old", "a", "6", "1", "0.25", tracker.Finished, "4", "2", "1"),
		run("new", "b", "6", "1", "0.5", tracker.Finished, "8", "4", "6", "2", "2", "5"),
		run("new", "c", "6", "2", "0.75", tracker.Finished, "NaN", "0.5", "3"),
		run("new", "d", "9", "1", "NaN", tracker.Failed, "1", "inf", "NaN"),
		run("new", "e", "no number", "1", "", tracker.Killed, "-inf"),
		run("new", "deleted", "99", "1", "0.99", tracker.Finished, "0.001"),
		run("gone", "in a deleted experiment", "99", "1", "0.99", tracker.Finished, "0.001"),
	}
	late := runs[1].Points
	late[4], late[5] = late[5], late[4] // step 5 comes after step 6, whose value stays the latest
	runs[5].Deleted, runs[6].Deleted = "run", "experiment"
	return runs
}

// logPlanned logs runs as programs of ours do.
func logPlanned(t *testing.T, tr *postgres.Store, runs []plannedRun) {
	t.Helper()
	ctx := context.Background()
	for _, plan := range runs {
		run := must[*tracker.Run](t)(tr.StartRun(ctx, tracker.RunSpec{Experiment: plan.Experiment, Name: plan.Name,
			Params: plan.Params, Tags: plan.Tags}))
		for _, p := range plan.Points {
			value := must[float64](t)(strconv.ParseFloat(p.Value, 64))
			noError(t, run.LogMetrics(p.Step, map[string]float64{p.Key: value}))
		}
		noError(t, run.Finish(ctx, plan.Status))
		switch plan.Deleted {
		case "run":
			noError(t, tr.Delete(ctx, run.ID()))
		case "experiment":
			execute(t, connect(t, tr.URL()),
				"UPDATE public.experiments SET lifecycle_stage = 'deleted' WHERE name = '"+plan.Experiment+"'")
		}
	}
}

// logFromPython logs them by Python's client.
func logFromPython(t *testing.T, uri string, runs []plannedRun) {
	t.Helper()
	text := must[[]byte](t)(json.Marshal(runs))
	cmd := exec.Command(python(t), must[string](t)(filepath.Abs(filepath.Join("testdata", "mlflow_log.py"))), uri)
	cmd.Dir = t.TempDir()
	cmd.Stdin = bytes.NewReader(text)
	cmd.Env = append(os.Environ(), "MLFLOW_TRACKING_URI=", "PYTHONWARNINGS=ignore", "GIT_PYTHON_REFRESH=quiet")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mlflow_log.py: %v\n%s", err, out)
	}
}

// own are columns whose values differ between two loggings of the same runs.
var own = []string{"run_id", "at", "seconds", "user_name"}

// answerOf is a question's answer without the columns that are the logging's own.
func answerOf(t *testing.T, tr *postgres.Store, query string) string {
	t.Helper()
	table := must[*tracker.Table](t)(tr.SQL(context.Background(), query))
	var text strings.Builder
	for _, row := range table.Texts(time.RFC3339) {
		for i, cell := range row {
			if slices.Contains(own, table.Columns[i]) {
				if cell == "" {
					cell = "nothing"
				} else {
					cell = table.Columns[i]
				}
			}
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(cell)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// answers are the right ones of some questions about plannedRuns; the others are compared between the kinds of runs.
var answers = map[string][]string{
	"Which_runs_are_best": {"c 0.75 run_id", "b 0.5 run_id", "a 0.25 run_id"},
	"How_far_is_each_run_from_the_best_one_of_its_experiment": {"new c 0.75 0", "new b 0.5 -0.25", "old a 0.25 0"},
	"Where_does_each_run_end":                                 {"e -Inf 1", "a 1 3", "c 3 3", "b 5 6", "d NaN 3"},
	"When_was_each_run_of_the_newest_experiment_at_its_best":  {"b 4 2", "c 2 0.5", "d 1 1", "e 1 -Inf"},
	"Which_params_differ_in_the_newest_experiment":            {"gamma 3 6 no number 4", "seed 2 1 2 4"},
	"How_does_a_param_act_on_a_metric":                        {"6 3 0.5 0.75"},
	"What_are_mean_and_deviation_over_the_seeds":              {"a 3 0.5 0.25"},
	"Which_metrics_does_each_experiment_log": {"new loss 4 6", "new test/mrr 3 6", "old loss 1 3",
		"old test/mrr 1 3"},
	"Which_metrics_end_as_no_finite_number": {"loss 5 2", "test/mrr 4 1"},
	"How_did_the_runs_end":                  {`FAILED 1 ["d"]`, `FINISHED 3 ["a", "b", "c"]`, `KILLED 1 ["e"]`},
	"How_far_is_each_run,_and_since_when": {"a FINISHED 3 at", "b FINISHED 6 at", "c FINISHED 3 at",
		"d FAILED 3 at", "e KILLED 1 at"},
	"Who_ran_what,_by_a_tag": {"user_name 5 2"},
}

// TestQuestionsAboutAnyRun asks the questions of docs/sql.md about runs of ours and about the same runs as Python's
// MLflow logs them.
func TestQuestionsAboutAnyRun(t *testing.T) {
	t.Parallel()
	python(t)
	runs := plannedRuns()
	ours, uri := trackertest.Store(t), trackertest.Database(t)
	trackertest.StoreWith(t, uri, tracker.Options{}).Close() // makes the tables
	logPlanned(t, ours, runs)
	logFromPython(t, uri, runs)
	theirs := trackertest.StoreWith(t, uri, tracker.Options{})
	list := questions(t, "Questions about any run")
	if len(list) < 16 {
		t.Errorf("docs/sql.md has %d questions about any run", len(list))
	}
	asked := 0
	for _, q := range list {
		a, b := answerOf(t, ours, q.query), answerOf(t, theirs, q.query)
		if a == "" || strings.Contains(a, "deleted") {
			t.Errorf("%s\nhas the answer\n%s", q.query, a)
		}
		if strings.Contains(q.query, "order by seconds") { // whose order is the logging's own too
			a, b = sorted(a), sorted(b)
		}
		if a != b {
			t.Errorf("%s\nhas for runs of ours the answer\n%sand for Python's\n%s", q.query, a, b)
		}
		if right, ok := answers[q.title]; ok {
			asked++
			want(t, a, strings.Join(right, "\n")+"\n")
		}
	}
	if asked != len(answers) {
		t.Errorf("%d of %d answers were asked for; the questions are %+v", asked, len(answers), list)
	}
	// The views have every row, and the params that are numbers as numbers.
	for query, right := range map[string]string{
		`SELECT number FROM param WHERE key = 'gamma' ORDER BY run_name`:                    "[6]\n[6]\n[6]\n[9]\n[]\n",
		`SELECT run_name, value FROM tag WHERE key = 'colour' ORDER BY 1`:                   "[a a!]\n[b b!]\n[c c!]\n[d d!]\n[e e!]\n",
		`SELECT step, value FROM point WHERE key = 'loss' AND run_name = 'd' ORDER BY step`: "[1 1]\n[2 +Inf]\n[3 NaN]\n",
	} {
		want(t, rowsOf(t, ours, "%s", query), right)
		want(t, rowsOf(t, theirs, "%s", query), right)
	}
}

func sorted(lines string) string {
	list := strings.SplitAfter(lines, "\n")
	slices.Sort(list)
	return strings.Join(list, "")
}
