package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// blocks are the code blocks of a language in a document.
func blocks(page, language string) []string {
	var list []string
	for _, part := range strings.Split(page, "```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "```")
		list = append(list, code)
	}
	return list
}

var (
	viewSection = regexp.MustCompile(`(?m)^### (\w+)$`)
	columnRow   = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([a-z ]+) \\|")
)

// docs/sql.md lists the columns of the views as the catalog has them, its queries find rows, and its Python runs.
func TestDocumentOfSQL(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(inRoot("docs/sql.md"))
	expect.NoError(t, err)
	page := string(raw)
	p := newProgram(t)
	config := smallJob(t, 50)
	p.ok("train", config)
	p.ok("train", config, "--set", "seed=7")
	p.ok("train", config, "--set", "model=rotate")

	listed := map[string][]string{}
	sections := viewSection.FindAllStringSubmatchIndex(page, -1)
	for i, at := range sections {
		end := strings.Index(page, "## Questions")
		if i+1 < len(sections) {
			end = sections[i+1][0]
		}
		for _, column := range columnRow.FindAllStringSubmatch(page[at[1]:end], -1) {
			listed[page[at[2]:at[3]]] = append(listed[page[at[2]:at[3]]], column[1]+" "+column[2])
		}
	}
	// The reader's own catalog would do, but psql's users see this one too.
	var columns []struct{ View, Column string }
	p.json(&columns, "tracker", "sql", `select relname as view, attname || ' ' || format_type(atttypid, atttypmod) as column
		from pg_attribute a join pg_class c on c.oid = attrelid
		where relnamespace = 'spherelab'::regnamespace and relkind = 'v' and attnum > 0 order by relname, attnum`)
	have := map[string][]string{}
	for _, c := range columns {
		have[c.View] = append(have[c.View], c.Column)
	}
	if len(have) < 5 {
		t.Errorf("the catalog has only the views %v", have)
	}
	for view := range have {
		if !slices.Equal(listed[view], have[view]) {
			t.Errorf("docs/sql.md lists the columns of %s as\n%q, the catalog has\n%q", view, listed[view], have[view])
		}
	}
	for view := range listed {
		if have[view] == nil {
			t.Errorf("docs/sql.md lists the view %s, which does not exist", view)
		}
	}

	queries := blocks(page, "sql")
	if len(queries) < 12 {
		t.Errorf("docs/sql.md has only %d queries", len(queries))
	}
	for _, query := range queries {
		var rows []map[string]any
		p.json(&rows, "tracker", "sql", query)
		if len(rows) == 0 {
			t.Errorf("no rows:\n%s", query)
		}
	}

	code := blocks(page, "python")
	if len(code) != 1 {
		t.Fatalf("docs/sql.md has %d blocks of Python", len(code))
	}
	out, err := pythonCommand(t, []string{"SPHERELAB_URL=" + strings.TrimSpace(p.ok("tracker", "url"))}, "-c", code[0]).
		CombinedOutput()
	if err != nil || len(regexp.MustCompile(`sphere-2d +6\.0 +0\.\d`).FindAll(out, -1)) != 2 {
		t.Errorf("the Python of docs/sql.md: %v\n%s", err, out)
	}
}

// The views have every number of the final evaluation as `runs show` prints it.
func TestViewsEqualRunsShow(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.ok("train", smallJob(t, 25))
	var shown struct {
		RunID   string                 `json:"run_id"`
		Metrics map[string]json.Number `json:"metrics"`
		Params  map[string]string      `json:"params"`
	}
	p.json(&shown, "runs", "show", "last")
	var results []struct {
		RunID, Cut, Category, Metric string
		IsDefault                    bool `json:"is_default"`
		Value, Low, High             *json.Number
	}
	p.json(&results, "tracker", "sql", `select run_id as "RunID", cut, '' as category, metric, is_default, value, low, high from result
		union all select run_id, cut, category, metric, true, value, null, null from category`)
	seen := 0
	for _, r := range results {
		key := "test/"
		if !r.IsDefault && r.Cut != "" {
			key += r.Cut + "/"
		}
		if r.Category != "" {
			key += "category/" + r.Category + "/"
		}
		for end, value := range map[string]*json.Number{"": r.Value, "_lo": r.Low, "_hi": r.High} {
			if value == nil {
				continue
			}
			seen++
			if want := shown.Metrics[key+r.Metric+end]; r.RunID != shown.RunID || *value != want {
				t.Errorf("%s%s%s is %s, `runs show` has %s", key, r.Metric, end, *value, want)
			}
		}
	}
	want := 0
	for key := range shown.Metrics {
		if strings.HasPrefix(key, "test/") {
			want++
		}
	}
	if seen != want || want < 50 {
		t.Errorf("the views have %d numbers, `runs show` %d", seen, want)
	}
	var wide []map[string]any
	p.json(&wide, "tracker", "sql", "select head_f1 = "+shown.Metrics["test/head_f1"].String()+" as f1, loss = "+
		shown.Metrics["loss"].String()+" as loss, gamma = "+shown.Params["gamma"]+" as gamma, seed = "+shown.Params["seed"]+
		" as seed from run_wide")
	if len(wide) != 1 || wide[0]["f1"] != true || wide[0]["loss"] != true || wide[0]["gamma"] != true ||
		wide[0]["seed"] != true {
		t.Errorf("run_wide equals `runs show`: %v", wide)
	}
}

func TestSQLFromFilesAndItsErrors(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	file := filepath.Join(t.TempDir(), "q.sql")
	expect.NoError(t, os.WriteFile(file, []byte("\ufeffselect 1 as a,\n  bad;\n"), 0o644))
	_, stderr, code := p.run("tracker", "sql", "-f", file)
	if want := file + ": column \"bad\" does not exist (line 2, column 3)\n    bad;\n    ^\n"; code != exitFailed ||
		!strings.Contains(stderr, want) {
		t.Errorf("exit %d, %q does not contain %q", code, stderr, want)
	}
	_, stderr, code = p.run("tracker", "sql", "select 1,\n  bad")
	if want := "\n    bad\n    ^\n"; code != exitFailed || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %q does not contain %q", code, stderr, want)
	}
	for _, args := range [][]string{{"-"}, {"-f", "-"}} {
		cmd := p.command(append([]string{"tracker", "sql", "--format", "csv"}, args...)...)
		cmd.Stdin = strings.NewReader("select 2 as b -- comment\n;")
		if out, err := cmd.Output(); err != nil || string(out) != "b\n2\n" {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	p.fails(exitUsage, []string{"twice"}, "tracker", "sql", "select 1", "-f", file)
	p.fails(exitUsage, []string{"missing", "--file"}, "tracker", "sql")
	p.fails(exitUsage, []string{"no file"}, "tracker", "sql", "-f", file+"x")
	p.fails(exitUsage, []string{"--limit"}, "tracker", "sql", "select 1", "--limit", "1", "--format", "csv")
	p.fails(exitFailed, []string{"one statement at a time"}, "tracker", "sql", "select 1; select 2")
	const many = "select n from generate_series(1, 250) n"
	if got := p.ok("tracker", "sql", many); !strings.Contains(got, "\n200\n") || strings.Contains(got, "\n201\n") ||
		!strings.Contains(got, "(the first 200 of 250 rows; 50 are left out: --limit 0 shows all") {
		t.Errorf("text:\n%s", got)
	}
	if got := p.ok("tracker", "sql", many, "--limit", "0"); !strings.Contains(got, "\n250\n\n(250 rows)\n") {
		t.Errorf("text without a limit:\n%s", got)
	}
	var rows []struct{ N int }
	p.json(&rows, "tracker", "sql", many)
	if len(rows) != 250 || rows[249].N != 250 || len(p.csv("tracker", "sql", many)) < 250 {
		t.Errorf("%d rows in JSON", len(rows))
	}
	if got := p.ok("--version"); !strings.HasPrefix(p.ok("version"), got) || !strings.HasPrefix(got, "spherelab ") {
		t.Errorf("--version: %s", got)
	}
}
