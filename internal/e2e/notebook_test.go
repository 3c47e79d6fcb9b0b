package e2e

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// notebookFiles are the notebooks of the folder notebooks.
func notebookFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(inRoot("notebooks/*.ipynb"))
	expect.NoError(t, err)
	if len(files) < 8 {
		t.Fatalf("only %d notebooks: %q", len(files), files)
	}
	return files
}

// notebookName is that of a subtest.
func notebookName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ipynb") }

// newNotebookUser is a user with an empty home and no database, who has installed the kernel. The private server ends
// with the test.
func newNotebookUser(t *testing.T) *jupyter {
	t.Helper()
	j := newJupyter(t)
	j.python() // skips before anything is started
	j.env = slices.DeleteFunc(j.env, func(v string) bool { return strings.HasPrefix(v, "DATABASE_URL=") })
	home := t.TempDir() // removed after the server has ended
	j.env = slices.DeleteFunc(j.env, func(v string) bool { return strings.HasPrefix(v, "SPHERELAB_HOME=") })
	j.env = append(j.env, "SPHERELAB_HOME="+home)
	t.Cleanup(func() { stopPrivateServers(t, home) })
	j.ok("kernel", "install")
	return j
}

// execute runs a notebook in an empty folder and returns the path of the result.
func (j *jupyter) execute(path string, args ...string) string {
	j.t.Helper()
	return j.executeIn(j.t.TempDir(), path, args...)
}

func (j *jupyter) executeIn(dir, path string, args ...string) string {
	j.t.Helper()
	result := filepath.Join(j.t.TempDir(), filepath.Base(path))
	output(j.t, j.python(append([]string{abs(j.t, root, "_tool/python/execute_notebook.py"), abs(j.t, path), result,
		dir}, args...)...))
	return result
}

// of is the same user in a subtest.
func (j *jupyter) of(t *testing.T) *jupyter {
	return &jupyter{&program{t, j.env}, j.data}
}

// forgetSearches removes what searches for gamma have kept.
func forgetSearches(t *testing.T, j *jupyter) {
	t.Helper()
	for _, v := range j.env {
		if home, ok := strings.CutPrefix(v, "SPHERELAB_HOME="); ok {
			expect.NoError(t, os.RemoveAll(filepath.Join(home, "search")))
		}
	}
}

// findsRuns are the notebooks that find their runs by name or are resumed: a second run could find those of the first.
var findsRuns = regexp.MustCompile(`^0[1235]_`)

// TestNotebooks runs every notebook with nbclient, one after the other, for a new user, and then some of them again in
// the same folder with the same tracker. Both times they print what the file has. SPHERELAB_WRITE_NOTEBOOKS=1 writes
// the file again where the first run differs.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	j := newNotebookUser(t)
	dir, ran := t.TempDir(), map[string]shownRun{}
	for _, round := range []string{"first", "again"} {
		forgetSearches(t, j) // a kept search for gamma is silent
		for _, path := range notebookFiles(t) {
			if round == "again" && isLeftOut(findsRuns, path) {
				continue
			}
			t.Run(round+"/"+notebookName(path), func(t *testing.T) {
				j := j.of(t)
				want := readNotebook(t, path)
				if spec := want.Metadata.Kernelspec; spec["name"] != kernelName ||
					spec["display_name"] != kernelDisplayName || spec["language"] != "go" {
					t.Errorf("kernelspec %v", spec)
				}
				result := j.executeIn(dir, path)
				have := readNotebook(t, result)
				for _, c := range have.Cells {
					for _, o := range c.Outputs {
						if o.Type == "error" || o.Type == "stream" && o.Name == "stderr" {
							t.Errorf("cell %s: %s %s %s", c.ID, o.Error, o.Value, o.Text)
						}
						for format, text := range o.Data {
							if found := machinePath.FindString(string(text)); found != "" {
								t.Errorf("cell %s, %s: an output has a path of this machine: %q", c.ID, format, found)
							}
						}
					}
				}
				if err := sameOutputs(want, have); err != nil {
					if os.Getenv("SPHERELAB_WRITE_NOTEBOOKS") != "1" || round != "first" {
						t.Fatalf("%v\n`make notebooks` writes the notebooks again", err)
					}
					content, err := os.ReadFile(result)
					expect.NoError(t, err)
					expect.NoError(t, os.WriteFile(path, content, 0o644))
				}
				checkRunsOf(t, j.program, want)
				run := checkParams(t, j.program, notebookName(path))
				if before, ok := ran[path]; !ok {
					checkTrainedAgain(t, j.program, dir, "trained-again-"+notebookName(path), run)
				} else if before.ID == run.ID || before.Digest != run.Digest || !maps.Equal(before.Params, run.Params) {
					t.Errorf("the run of the first round is %v, that of the second %v", before, run)
				}
				ran[path] = run
			})
		}
	}
}

var givenName = regexp.MustCompile(`\.Name\("([^"]+)"\)`)

// checkRunsOf looks for the runs that a notebook names, as other programs do.
func checkRunsOf(t *testing.T, p *program, n ipynb) {
	t.Helper()
	list := p.ok("runs", "ls", "--format", "csv")
	table := p.ok("tracker", "sql", "select name, status from spherelab.run_wide", "--format", "csv")
	names := 0
	for _, c := range n.Cells {
		for _, m := range givenName.FindAllStringSubmatch(string(c.Source), -1) {
			if c.Type != "code" {
				continue
			}
			names++
			if !strings.Contains(list, ","+m[1]+",") {
				t.Errorf("`runs ls` does not list %s:\n%s", m[1], list)
			}
			if !strings.Contains(table, m[1]+",FINISHED\n") {
				t.Errorf("SQL does not find %s:\n%s", m[1], table)
			}
		}
	}
	if names == 0 {
		t.Error("the notebook names no run")
	}
}

// shownRun is what `runs show` prints of a run.
type shownRun struct {
	ID     string `json:"run_id"`
	Status string
	Digest string `json:"checkpoint_digest"`
	Params map[string]string
}

func (p *program) show(name string) shownRun {
	p.t.Helper()
	var r shownRun
	p.json(&r, "runs", "show", name)
	return r
}

// expectedRun has, by notebook, one run and the params that its cells set.
var expectedRun = map[string]struct {
	run    string
	params map[string]string
}{
	"01_quick_start": {"quick-start", map[string]string{"model": "sphere-2d", "data": "bundled", "dimension": "64",
		"train.epochs": "50"}},
	"02_your_own_graph": {"family", map[string]string{"model": "sphere-2d", "data": "family.csv", "dimension": "4",
		"train.epochs": "300", "gamma": "2",
		"train.learning_rate": "0.02"}},
	"03_train_watch_resume": {"broken", map[string]string{"model": "sphere-2d", "variant": "clean", "data": "bundled",
		"dimension": "32", "train.epochs": "60",
		"eval.every": "5"}},
	"04_ask_for_sets": {"plane", map[string]string{"model": "sphere-2d", "data": "advised.csv", "dimension": "1",
		"train.epochs": "600", "gamma": "0.05",
		"eval.criterion": "intersect", "train.learning_rate": "0.02", "eval.every": "0", "train.batch": "128",
		"train.negatives": "32", "train.temperature": "2"}},
	"05_compare_variants_with_sql": {"released", map[string]string{"model": "sphere-2d", "variant": "released",
		"data": "bundled", "dimension": "32",
		"train.epochs": "40"}},
	"06_some_hundred_facts": {"fair", map[string]string{"model": "sphere-2d", "data": "africa.csv",
		"split.leakless": "true", "split.seed": "0", "dimension": "64", "early_stop.metric": "valid/mrr",
		"eval.fit": "true"}},
	"07_the_papers_tables": {"again", map[string]string{"model": "sphere-2d", "variant": "clean", "data": "bundled",
		"dimension": "60", "train.epochs": "10", "train.steps": "60", "seed": "1"}},
	"08_what_a_radius_means": {"radius", map[string]string{"model": "sphere-2d", "variant": "clean",
		"data": "bundled", "dimension": "64", "train.epochs": "50"}},
}

// checkParams expects a run's logged params to be those of the notebook's cells, and returns the run. The notebook
// about interrupts ends with the bits of a training without one.
func checkParams(t *testing.T, p *program, notebook string) shownRun {
	t.Helper()
	said, ok := expectedRun[notebook]
	if !ok {
		t.Fatalf("nothing is known of a run of %s", notebook)
	}
	run := p.show(said.run)
	if notebook == "03_train_watch_resume" {
		if whole := p.show("whole"); whole.Digest == "" || whole.Digest != run.Digest {
			t.Errorf("without interrupt %q, with one %q", whole.Digest, run.Digest)
		}
	}
	for key, want := range said.params {
		if run.Params[key] != want {
			t.Errorf("logged is %s = %q, the cells say %s", key, run.Params[key], want)
		}
	}
	return run
}

// checkTrainedAgain trains from a run's logged params alone, in the notebook's folder: bits and params are the same.
func checkTrainedAgain(t *testing.T, p *program, dir, name string, run shownRun) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "empty.yaml")
	expect.NoError(t, os.WriteFile(config, []byte("data: bundled\n"), 0o644))
	args := []string{"train", config}
	for key, value := range run.Params {
		switch key {
		case "config_hash", "graph", "graph_digest", "numerics_version": // said of the run, not to it
		case "name":
			args = append(args, "--set", "name="+name)
		default:
			args = append(args, "--set", key+"="+value)
		}
	}
	cmd := p.command(args...)
	cmd.Dir = dir
	output(t, cmd)
	again := p.show(name)
	if again.Digest == "" || again.Digest != run.Digest {
		t.Errorf("trained again from the logged params: %s, in the notebook %s", again.Digest, run.Digest)
	}
	again.Params["name"] = run.Params["name"]
	if !maps.Equal(again.Params, run.Params) {
		t.Errorf("params %v, in the notebook %v", again.Params, run.Params)
	}
}

// TestNotebookBadCells: a mistake ends its cell with one error that says what to do; kernel and tracker continue.
func TestNotebookBadCells(t *testing.T) {
	t.Parallel()
	j := newNotebookUser(t)
	cells := []struct {
		code  string
		error string // its name; "" for a cell that works
		wants []string
	}{
		{`import "time"` + "\n" + `g := lab.Graph("bundled")` + "\n" +
			`m := lab.Model("sphere-2d").Dim(4).Epochs(3).Set("eval.bootstrap", 0)`, "", nil},
		{`lab.Graph("familly.csv")`, "UnknownGraph", []string{"there is no file familly.csv"}},
		{`lab.Train(lab.Graph("fb15k"), m)`, "UnknownGraph", []string{`"fb15k"`, "fb15k-237", "bundled"}},
		{`lab.Model("sphere-2d").Set("train.epoch", 3)`, "BadModel", []string{"train.epoch", "train.epochs"}},
		{`run := lab.Train(g, m.Name("small"))`, "", nil},
		{`run.Ask("Max Bron", "advised", "?")`, "UnknownEntity", []string{"Max Bron", "Max Born"}},
		{`run.Ask("Max Born", "advises", "?")`, "UnknownRelation", []string{"advises", "advised"}},
		{`run.Ask("Max Born", "advised", "Max Born")`, "BadQuestion", []string{`"?"`}},
		{"%%sql\nselct 1", "BadSQL", []string{"selct"}},
		{`lab.SQL("delete from runs")`, "BadSQL", nil},
		{"done := make(chan bool, 1)\ngo func() {\n\tlab.Train(g, m.Dim(64).Epochs(150).Name(\"first\"))\n\tdone <- true\n}()\n" +
			"for lab.Runs().Named(\"first\").Len() == 0 {\n\ttime.Sleep(20 * time.Millisecond)\n}", "", nil},
		{`lab.Train(g, m.Name("second"))`, "AlreadyTraining", []string{"first"}},
		{`lab.Resume("first")`, "AlreadyTraining", []string{"first"}},
		{"<-done\n6 * 7", "", []string{"42"}},
		{`lab.Resume("first")`, "RunNotFinished", []string{"first", "finished"}},
		{`run.Ask("Max Born", "advised", "?").Len() == lab.Run("small").Ask("Max Born", "advised", "?").Len()`, "",
			[]string{"true"}},
	}
	var codes []string
	for _, c := range cells {
		codes = append(codes, c.code)
	}
	ran := readNotebook(t, j.execute(notebook(t, t.TempDir(), kernelName, codes...), "--allow-errors"))
	for i, c := range cells {
		var name, message, rest string
		errors := 0
		for _, o := range ran.Cells[i].Outputs {
			if o.Type == "error" {
				errors++
				name, message = o.Error, o.Value
			}
			rest += string(o.Text + o.Data["text/plain"])
		}
		where := message
		if c.error == "" {
			where = rest
		}
		if name != c.error || errors > 1 || strings.Contains(message, "goroutine ") ||
			strings.Contains(message, ".go:") {
			t.Errorf("%s\nhas %d errors, the last is %s: %s; want %q", c.code, errors, name, message, c.error)
		}
		for _, want := range c.wants {
			if !strings.Contains(where, want) {
				t.Errorf("%s\ngives %s: %s\nwhich lacks %q", c.code, name, where, want)
			}
		}
	}
	if got, want := j.ok("tracker", "sql", "select name, status from spherelab.run_wide order by name", "--format",
		"csv"), "name,status\nfirst,FINISHED\nsmall,FINISHED\n"; got != want {
		t.Errorf("logged are\n%s\nwant\n%s", got, want)
	}
}

// TestNotebookPages makes web pages of the notebooks as they are in the repository and looks at them.
func TestNotebookPages(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "JUPYTER_CONFIG_DIR=" + t.TempDir(), "JUPYTER_DATA_DIR=" + t.TempDir(),
		"IPYTHONDIR=" + t.TempDir()}
	args := []string{"-m", "nbconvert", "--to", "html", "--HTMLExporter.mathjax_url=", "--HTMLExporter.require_js_url=",
		"--output-dir", dir}
	for _, path := range notebookFiles(t) {
		args = append(args, abs(t, path))
	}
	output(t, pythonCommand(t, env, args...))
	for _, path := range notebookFiles(t) {
		t.Run(notebookName(path), func(t *testing.T) {
			page := filepath.Join(dir, notebookName(path)+".html")
			content, err := os.ReadFile(page)
			expect.NoError(t, err)
			if bytes.Contains(content, []byte(`data-mime-type="application/vnd.jupyter.stderr"`)) {
				t.Error("the page shows an error")
			}
			lookAt(t, page)
		})
	}
}

// The targets of links between notebooks and to documents exist.
func TestNotebookLinks(t *testing.T) {
	t.Parallel()
	found := 0
	link := regexp.MustCompile(`\]\(([^)#\s]+)\)`)
	for _, path := range notebookFiles(t) {
		for _, c := range readNotebook(t, path).Cells {
			for _, m := range link.FindAllStringSubmatch(string(c.Source), -1) {
				if c.Type != "markdown" || strings.Contains(m[1], "://") {
					continue
				}
				found++
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d links", found)
	}
}
