package results

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
)

// rankedRun is a stored run with ranks.
func rankedRun(id, model, criterion string, base float64) tracker.RunInfo {
	run := storedRun(id, model, criterion, base)
	for i, m := range rankMetrics {
		run.Metrics["test/"+m.String()] = base + float64(i)/10
	}
	return run
}

func onPage(t *testing.T, g *Grid, p Page) string {
	t.Helper()
	var b strings.Builder
	expect.NoError(t, g.WriteText(&b, p))
	for line := range strings.Lines(b.String()) {
		if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")); p.Width > 0 && n > p.Width {
			t.Errorf("a line has %d columns on a page of %d: %s", n, p.Width, line)
		}
	}
	return b.String()
}

// table cuts the notes off.
func tablePart(s string) string {
	before, _, _ := strings.Cut(s, "\nlookup returns")
	return before
}

// TestResultTableOnPages: at 120 columns a model is a line; at 80 the ranks stand below.
func TestResultTableOnPages(t *testing.T) {
	t.Parallel()
	runs := storedRuns{rankedRun("aa", "sphere-2d", "sphere", .1), rankedRun("cc", "rotate", "margin", .2)}
	table, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{})
	expect.NoError(t, err)
	const wide = `Set retrieval on the graph bundled (10 entities, 2 relations), test triples, variant clean

                   head  tail  head  tail   n-n   head   tail   head   tail
model      cut       F1    F1    RR    RR    F1  novel  novel  union  union   MRR   H@1   H@3  H@10
───────────────────────────────────────────────────────────────────────────────────────────────────
lookup     known   .240  .241  .242  .243  .244   .245      -      -      -     -     -     -     -
───────────────────────────────────────────────────────────────────────────────────────────────────
RotatE     margin  .200  .201  .202  .203  .204   .205      -      -      -  .200  .400  .500  .600
SpherE-2D  sphere  .100  .101  .102  .103  .104   .105      -      -      -  .100  .300  .400  .500
`
	if got := tablePart(onPage(t, table.Grid("text"), Page{Width: 120})); got != wide {
		t.Errorf("at 120 columns\n%s\nwant\n%s", got, wide)
	}
	const narrow = `Set retrieval on the graph bundled (10 entities, 2 relations), test triples,
variant clean

                   head  tail  head  tail   n-n   head   tail   head   tail
model      cut       F1    F1    RR    RR    F1  novel  novel  union  union
───────────────────────────────────────────────────────────────────────────
lookup     known   .240  .241  .242  .243  .244   .245      -      -      -
───────────────────────────────────────────────────────────────────────────
RotatE     margin  .200  .201  .202  .203  .204   .205      -      -      -
SpherE-2D  sphere  .100  .101  .102  .103  .104   .105      -      -      -

model      cut      MRR   H@1   H@3  H@10
─────────────────────────────────────────
lookup     known      -     -     -     -
─────────────────────────────────────────
RotatE     margin  .200  .400  .500  .600
SpherE-2D  sphere  .100  .300  .400  .500
`
	if got := tablePart(onPage(t, table.Grid("text"), Page{Width: 80})); got != narrow {
		t.Errorf("at 80 columns\n%s\nwant\n%s", got, narrow)
	}
	best := onPage(t, table.Grid("text"), Page{Width: 120, Color: true})
	if !strings.Contains(best, "\x1b[34mlookup\x1b[0m") ||
		strings.Contains(tablePart(onPage(t, table.Grid("text"), Page{})), "\x1b") {
		t.Errorf("colours: %q", best)
	}
	full, err := BuildResultTable(context.Background(), "bundled", Sources{Runs: runs}, Options{Full: true})
	expect.NoError(t, err)
	for _, width := range []int{80, 120} {
		if got := onPage(t, full.Grid("text"), Page{Width: width}); !strings.Contains(got, "top-10") ||
			!strings.Contains(got, "±.020") {
			t.Errorf("--full at %d columns:\n%s", width, got)
		}
	}
}

// TestNewColumnsAreTheLast: MRR, hits and CPU seconds in JSON and CSV stand behind what was there before them.
func TestNewColumnsAreTheLast(t *testing.T) {
	t.Parallel()
	table, err := BuildResultTable(context.Background(), "bundled",
		Sources{Runs: storedRuns{rankedRun("aa", "sphere-2d", "sphere", .1)}}, Options{})
	expect.NoError(t, err)
	header, _, _ := strings.Cut(tableText(t, table, "csv"), "\n")
	if !strings.HasSuffix(header, ",start_to_end_seconds,mrr,mr,hits_1,hits_3,hits_10,"+
		"training_cpu_seconds,evaluation_cpu_seconds") {
		t.Errorf("CSV has the columns %s", header)
	}
	var rows []map[string]any
	expect.NoError(t, json.Unmarshal([]byte(tableText(t, table, "json")), &rows))
	for i, row := range rows {
		if ranked := row["mrr"] == .1 && row["hits_10"] == .5; ranked != (i > 0) {
			t.Errorf("row %v has mrr %v and hits_10 %v", row["cut"], row["mrr"], row["hits_10"])
		}
	}
}

// TestRunGridOnPages: a list leaves columns out, and says which.
func TestRunGridOnPages(t *testing.T) {
	t.Parallel()
	run := rankedRun(strings.Repeat("a", 32), "sphere-2d", "sphere", .1)
	run.Name, run.Experiment = "bundled-sphere-2d-clean", "bundled"
	g := func() *Grid { return RunGrid([]Run{Read(run)}, "text", "") }
	const narrow = `run       name                     status    started  time  head f1  tail f1  mrr
`
	if got := onPage(t, g(), Page{Width: 84}); !strings.HasPrefix(got, narrow) ||
		!strings.Contains(got, "left out at 84 columns: experiment, variant, model, loss, seed\n") {
		t.Errorf("at 84 columns\n%s", got)
	}
	if got := onPage(t, g(), Page{}); !strings.Contains(got, "experiment") || strings.Contains(got, "left out") {
		t.Errorf("without a terminal\n%s", got)
	}
}

// TestCellsWrapAndTablesContinue: long cells are wrapped first; then the table continues below.
func TestCellsWrapAndTablesContinue(t *testing.T) {
	t.Parallel()
	g := &Grid{Columns: []Column{{Key: "name"}, {Key: "text"}, {Key: "x", Right: true}},
		Rows: [][]string{{"a", "one two three four five six seven", "1"}}}
	const wrappedCells = `name  text            x
───────────────────────
a     one two three   1
      four five six
      seven
`
	if got := onPage(t, g, Page{Width: 23}); got != wrappedCells {
		t.Errorf("wrapped:\n%s\nwant\n%s", got, wrappedCells)
	}
	g = &Grid{Columns: []Column{{Key: "name"}}, Rows: [][]string{{"a"}, {"b"}}}
	for _, key := range strings.Fields("first second third fourth") {
		g.Columns = append(g.Columns, Column{Key: key, Right: true})
		g.Rows[0] = append(g.Rows[0], key[:1])
		g.Rows[1] = append(g.Rows[1], "")
	}
	g.Rows[1][1] = "9"
	const continued = `name  first  second
───────────────────
a         f       s
b         9

name  third  fourth
───────────────────
a         t       f
`
	if got := onPage(t, g, Page{Width: 20}); got != continued {
		t.Errorf("continued:\n%s\nwant\n%s", got, continued)
	}
}

// TestWrapped breaks notes between words only.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"aa bb cc", "aa bb\ncc"}, {"aaaaaaaa bb cc", "aaaaaaaa\nbb cc"}, {"aa", "aa"}, {"x\ny", "x\ny"},
		{"é é é é", "é é é\né"},
	} {
		if got := Wrap(c.in, 5); got != c.want {
			t.Errorf("%q is wrapped as %q, want %q", c.in, got, c.want)
		}
	}
}

// TestCompareHasDifferences: two runs have a column of differences, and the headlines only, unless everything is
// wanted.
func TestCompareHasDifferences(t *testing.T) {
	t.Parallel()
	a, b := Read(rankedRun("aa", "rotate", "margin", .25)), Read(rankedRun("bb", "sphere-2d", "sphere", .5))
	g := CompareGrid([]Run{a, b}, "text", Headlines)
	i := slices.IndexFunc(g.Rows, func(r []string) bool { return r[1] == "test/head_f1@margin" })
	if i < 0 || !slices.Equal(g.Rows[i], []string{"metric", "test/head_f1@margin", "0.25", "0.53", "+0.28"}) {
		t.Errorf("rows %v", g.Rows)
	}
	if full := CompareGrid([]Run{a, b}, "text", Everything); len(g.Rows) > 20 || len(full.Rows) <= len(g.Rows) {
		t.Errorf("%d rows, with everything %d", len(g.Rows), len(full.Rows))
	}
	if three := CompareGrid([]Run{a, b, a}, "text", Headlines); len(three.Columns) != 5 {
		t.Errorf("three runs have the columns %v", three.Columns)
	}
	onPage(t, g, Page{Width: 80})
	onPage(t, CompareGrid([]Run{a, b, a, b, a, b, a, b}, "text", Headlines), Page{Width: 80})
}

// TestShowFitsAScreen: a run is shown in 24 lines of 80 columns; everything is there on request.
func TestShowFitsAScreen(t *testing.T) {
	t.Parallel()
	run := Read(rankedRun(strings.Repeat("a", 32), "sphere-2d", "sphere", .5))
	var screen, whole strings.Builder
	hidden, err := WriteRun(&screen, run, Headlines)
	if err != nil || hidden == 0 || strings.Count(screen.String(), "\n") > 24 ||
		!strings.Contains(screen.String(), "test/head_f1        0.5 ±0.02") ||
		!strings.Contains(screen.String(), "those of sets are at cut sphere") ||
		strings.Contains(screen.String(), "test/top-10/") {
		t.Errorf("%d hidden, %v:\n%s", hidden, err, screen.String())
	}
	hidden, err = WriteRun(&whole, run, Everything)
	if err != nil || hidden != 0 || !strings.Contains(whole.String(), "test/top-10/head_f1") {
		t.Errorf("%d hidden, %v:\n%s", hidden, err, whole.String())
	}
}

// TestExtraRunKeepsTheRow: on a graph without embedded configs, a later run with other settings takes the row only when
// its config has more seeds.
func TestExtraRunKeepsTheRow(t *testing.T) {
	t.Parallel()
	run := func(id, seed, epochs string) tracker.RunInfo {
		r := storedRun(id, "rotate", "margin", .3)
		r.Params["graph"], r.Params["seed"], r.Params["train.epochs"] = "europe", seed, epochs
		return r
	}
	own, extra, second := run("aa", "1", "50"), run("bb", "1", "2"), run("cc", "2", "2")
	ids := func(runs ...tracker.RunInfo) string {
		table, err := BuildResultTable(context.Background(), "europe", Sources{Runs: storedRuns(runs)}, Options{})
		expect.NoError(t, err)
		if text := tableText(t, table, "text"); len(runs) == 2 &&
			!strings.Contains(text, "Newer, but with other settings than the config, and therefore not shown: bb (name-bb: train.epochs 2)") {
			t.Errorf("notes:\n%s", text)
		}
		return strings.Join(findRow(t, table.Rows, "RotatE", "margin", "clean").RunIDs, " ")
	}
	if got := ids(extra, own); got != "aa" {
		t.Errorf("the row is of %s, want aa", got)
	}
	if got := ids(second, extra, own); got != "cc bb" {
		t.Errorf("the row is of %s, want the config with two seeds", got)
	}
}

// TestIntersectionIsNotFirst: the criterion of variant paper retrieves almost nothing; it is not the row that people
// see.
func TestIntersectionIsNotFirst(t *testing.T) {
	t.Parallel()
	table, err := BuildResultTable(context.Background(), "bundled",
		Sources{Runs: storedRuns{storedRun("aa", "sphere-2d", "intersect", .1)}}, Options{})
	expect.NoError(t, err)
	if first := table.Rows[1].CutName(); first != "margin" {
		t.Errorf("the first row is %s", first)
	}
	if shown := table.Short[1].CutName(); shown != "margin" {
		t.Errorf("the row for people is %s", shown)
	}
}

// TestWideTextContinues: a table of many wide texts, such as the answer to a SQL query, stays on the page.
func TestWideTextContinues(t *testing.T) {
	t.Parallel()
	g := &Grid{}
	var cells []string
	for _, key := range strings.Fields("id name experiment status start_time end_time model checkpoint_digest artifact_uri") {
		g.Columns = append(g.Columns, Column{Key: key})
		cells = append(cells, strings.Repeat(key[:1], 32))
	}
	cells[8] = "file:///" + strings.Repeat("long/", 30)
	g.Columns, cells = append(g.Columns, Column{Key: "loss", Right: true}), append(cells, "0.25")
	g.Rows = [][]string{cells}
	for _, width := range []int{40, 80, 120} {
		got := onPage(t, g, Page{Width: width})
		if !strings.Contains(got, "0.25") || !strings.Contains(got, "checkpoint") {
			t.Errorf("at %d columns:\n%s", width, got)
		}
	}
}
