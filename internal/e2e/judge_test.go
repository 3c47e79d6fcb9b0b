package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
)

// TestJudge writes the scores of a run to a file and judges them: the report is that of eval, byte for byte. Scores of
// test queries alone are measured without what is fitted.
func TestJudge(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	graph := runtest.CircleGraph(t, 60)
	p.ok("train", graph, "complex", "--set", "train.epochs=4", "--set", "eval.bootstrap=30")
	file := filepath.Join(t.TempDir(), "scores.tsv")
	want := p.ok("eval", "last", "--scores", file, "--format", "json")
	p.ok("eval", "last", "--scores", file+".gz")
	for _, name := range []string{file, file + ".gz"} {
		if got := p.ok("judge", name, "--graph", graph, "--bootstrap", "30", "--format", "json"); got != want {
			t.Errorf("judge says of %s\n%s\neval says\n%s", name, got, want)
		}
	}
	for _, name := range otherForms(t, file) {
		if got := p.ok("judge", name, "--graph", graph, "--bootstrap", "30", "--format", "json"); got != want {
			t.Errorf("judge says of %s\n%s\neval says\n%s", name, got, want)
		}
	}
	got := p.ok("judge", file, "--graph", graph, "--against", "last", "--cut", "fitted-f1", "--against-cut", "top-3")
	if !strings.Contains(got, "value: "+file+", cut fitted-f1") || !strings.Contains(got, "cut top-3") {
		t.Errorf("against a run:\n%s", got)
	}

	p.judgedRun(graph, file, want)

	facts, err := os.ReadFile(filepath.Join(graph, "test.txt"))
	expect.NoError(t, err)
	asked := map[string]bool{"side": true}
	for _, fact := range strings.Fields(strings.ReplaceAll(string(facts), "\t", ",")) {
		f := strings.Split(fact, ",")
		asked["tail "+f[0]+" "+f[1]], asked["head "+f[2]+" "+f[1]] = true, true
	}
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	tests := ""
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(line, "\t")
		if asked[f[0]] || asked["tail "+f[1]+" "+f[2]] && f[0] == "tail" || asked["head "+f[3]+" "+f[2]] && f[0] == "head" {
			tests += line
		}
	}
	expect.NoError(t, os.WriteFile(file, []byte(tests), 0o644))
	stdout, stderr, code := p.run("judge", file, "--graph", graph, "--format", "json")
	var report struct {
		Cuts    []struct{ Name string }
		Ranking struct{ Both struct{ MRR float64 } }
	}
	full := report
	expect.NoError(t, json.Unmarshal([]byte(want), &full))
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitOK ||
		!strings.Contains(stderr, "so nothing is fitted") || strings.Contains(stdout, "fitted-") ||
		report.Ranking != full.Ranking || len(report.Cuts) >= len(full.Cuts) {
		t.Errorf("test queries alone: exit %d, %v\n%s\n%s", code, err, stderr, stdout)
	}
	p.fails(exitFailed, []string{"scores no query of the validation facts", "top-10"}, "judge", file, "--graph", graph, "--cut",
		"fitted-f1")
}

// otherForms writes the scores of a text as a Parquet file and as a matrix, by the code of docs/python.md.
func otherForms(t *testing.T, file string) []string {
	t.Helper()
	type row struct {
		Score    float32 `parquet:"score"`
		Side     string  `parquet:"side"`
		Head     string  `parquet:"head"`
		Relation string  `parquet:"relation"`
		Tail     string  `parquet:"tail"`
	}
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	var rows []row
	for line := range strings.Lines(string(raw[bytes.IndexByte(raw, '\n')+1:])) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		score, err := strconv.ParseFloat(f[4], 32)
		expect.NoError(t, err)
		rows = append(rows, row{float32(score), f[0], f[1], f[2], f[3]})
	}
	folder := t.TempDir()
	table := filepath.Join(folder, "scores.parquet")
	expect.NoError(t, parquet.WriteFile(table, rows))
	script := runtest.DocumentedCode(t, "../../docs/python.md", "matrix") + `
import sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", newline=""), delimiter="\t"))
def query(row):
    return ("tail", row["head"], row["relation"], "") if row["side"] == "tail" else ("head", "", row["relation"], row["tail"])
queries = sorted({query(row) for row in rows})
entities = sorted({row[end] for row in rows for end in ("head", "tail")}, reverse=True)
scores = np.full((len(queries), len(entities)), np.nan)
at, column = {q: i for i, q in enumerate(queries)}, {e: i for i, e in enumerate(entities)}
for row in rows:
    scores[at[query(row)], column[row[row["side"]]]] = row["score"]
save_scores(sys.argv[2], queries, entities, scores)
`
	out, err := pythonCommand(t, nil, "-c", script, file, folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{table, folder, filepath.Join(folder, "scores.npy")}
}

// judgedRun logs scores as a run: it says what eval said of the run that wrote them, is compared without a difference,
// stands in the table of the graph, and is stacked. A query that the file does not score has no numbers.
func (p *program) judgedRun(graph, file, want string) {
	p.t.Helper()
	p.ok("train", graph, "transe", "--set", "train.epochs=3")
	p.fails(exitFailed, []string{"none.tsv: no such file"}, "judge", file, "--graph", graph, "--name", "theirs", "--negatives", "none.tsv")
	p.fails(exitFailed, []string{"there is no run"}, "judge", file, "--graph", graph, "--name", "theirs", "--against", "nobody")
	if got := p.ok("runs", "ls", "--format", "csv"); strings.Contains(got, "theirs") {
		p.t.Errorf("a run was logged before its negatives were read:\n%s", got)
	}
	if got := p.ok("judge", file, "--graph", graph, "--bootstrap", "30", "--format", "json", "--name", "theirs"); got != want {
		p.t.Errorf("judge --name says\n%s\neval says\n%s", got, want)
	}
	if got := p.ok("eval", "theirs", "--format", "json"); got != want {
		p.t.Errorf("eval of the logged scores says\n%s\nwant\n%s", got, want)
	}
	if _, status, history := p.shown("theirs"); status != "FINISHED" || history["test/mrr@1"] == "" {
		p.t.Errorf("status %s, %d values, no test/mrr", status, len(history))
	}
	for _, name := range []string{filepath.Base(graph), graph} {
		if got := p.ok("table", name); !strings.Contains(got, "Scores of scores.tsv") {
			p.t.Errorf("table:\n%s", got)
		}
	}
	list := filepath.Join(p.t.TempDir(), "list.csv")
	lines := "side,head,relation,tail,negatives\n"
	facts, err := os.ReadFile(filepath.Join(graph, "test.txt"))
	expect.NoError(p.t, err)
	for fact := range strings.Lines(strings.ReplaceAll(string(facts), "\t", ",")) {
		fact = strings.TrimSpace(fact)
		negatives := ""
		for _, name := range []string{"e03", "e27", "e41", "e58"} {
			if !strings.Contains(fact, name) {
				negatives += "," + name
			}
		}
		lines += "head," + fact + negatives + "\ntail," + fact + negatives + "\n"
	}
	expect.NoError(p.t, os.WriteFile(list, []byte(lines), 0o644))
	ranked := p.ok("judge", file, "--graph", graph, "--negatives", list, "--format", "csv")
	if other := p.ok("eval", "theirs", "--negatives", list, "--format", "csv"); other != ranked ||
		!strings.HasPrefix(ranked, "side,facts,negatives,mrr,") || strings.Count(ranked, "\n") != 4 {
		p.t.Errorf("judge --negatives says\n%s\neval says\n%s", ranked, other)
	}
	p.ok("stack", "theirs", filepath.Base(graph)+"-transe-clean")
	p.ok("eval", "last", "--against", "theirs")
	var answer struct {
		Set []struct{ Value, Slack *float64 }
	}
	p.json(&answer, "query", "theirs", "e00", "plus1", "?")
	p.fails(exitFailed, []string{"it has the scores of scores.tsv"}, "runs", "export-model", "theirs", p.t.TempDir())
	for _, v := range p.env {
		if home, ok := strings.CutPrefix(v, "SPHERELAB_HOME="); ok {
			kept, err := filepath.Glob(filepath.Join(home, "artifacts", "*", "*", "artifacts", "scores.tsv.gz"))
			if err != nil || len(kept) != 1 {
				p.t.Fatalf("kept scores: %q, %v", kept, err)
			}
			var other bytes.Buffer
			z := gzip.NewWriter(&other)
			text, err := os.ReadFile(file)
			expect.NoError(p.t, err)
			_, err = z.Write(text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1])
			expect.NoError(p.t, errors.Join(err, z.Close()))
			expect.NoError(p.t, os.WriteFile(kept[0], other.Bytes(), 0o644))
		}
	}
	p.fails(exitFailed, []string{"scores.tsv.gz has other scores", "judge the file again"}, "eval", "theirs")
}
