package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notebookFiles are the notebooks of the folder notebooks.
func notebookFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("only %d notebooks: %q", len(files), files)
	}
	return files
}

// notebookName is that of a subtest.
func notebookName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ipynb") }

// ipynb is what these tests read of a notebook.
type ipynb struct {
	Cells []struct {
		Type    string `json:"cell_type"`
		ID      string
		Source  lines
		Outputs []notebookOutput
	}
	Metadata struct {
		Kernelspec map[string]string
		Language   map[string]any `json:"language_info"`
	}
}

type notebookOutput struct {
	Type  string `json:"output_type"`
	Name  string // of a stream
	Text  lines
	Data  map[string]lines
	Error string `json:"ename"`
	Value string `json:"evalue"`
}

// lines is a text that a notebook keeps as one string or as a list of lines.
type lines string

func (l *lines) UnmarshalJSON(raw []byte) error {
	var list []string
	if err := json.Unmarshal(raw, &list); err == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(raw, (*string)(l))
}

func readNotebook(t *testing.T, path string) ipynb {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n ipynb
	if err := json.Unmarshal(raw, &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

// newNotebookUser is somebody with an empty home and no database of his own, who has installed the kernel. His private server ends with the test.
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

// stopPrivateServers ends the servers whose data are below a folder; by themselves they end a while after their last user.
func stopPrivateServers(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "postmaster.pid" {
			return nil //nolint:nilerr // files come and go while the server works
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // it has just ended
		}
		first, _, _ := strings.Cut(string(content), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		_ = syscall.Kill(pid, syscall.SIGINT) // PostgreSQL's fast shutdown
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat(path); err != nil {
				return nil
			}
		}
		return fmt.Errorf("the server of %s does not end", path)
	})
	if err != nil {
		t.Error(err)
	}
}

// execute runs a notebook in an empty folder and returns the path of the result.
func (j *jupyter) execute(path string, args ...string) string {
	j.t.Helper()
	return j.executeIn(j.t.TempDir(), path, args...)
}

func (j *jupyter) executeIn(dir, path string, args ...string) string {
	j.t.Helper()
	result := filepath.Join(j.t.TempDir(), filepath.Base(path))
	output(j.t, j.python(append([]string{abs(j.t, "_test_python/execute_notebook.py"), abs(j.t, path), result, dir}, args...)...))
	return result
}

// of is the same user in a subtest.
func (j *jupyter) of(t *testing.T) *jupyter {
	return &jupyter{&program{t, j.env}, j.data}
}

// differing is what differs from run to run in the outputs of notebooks, by what it is. Everything else has to be equal, digit for digit.
var differing = []struct {
	what    string
	pattern *regexp.Regexp
	instead string
}{
	{"run id after the word", regexp.MustCompile(`\brun [0-9a-f]{8}\b`), "run ID"},
	{"run id before its name", regexp.MustCompile(`\b[0-9a-f]{8} \(`), "ID ("},
	{"length of a training", regexp.MustCompile(`finished in [0-9.hm]+ ?s`), "finished in TIME"},
	{"length of trainings and evaluations", regexp.MustCompile(`(\d epochs in|final evaluation|together) [0-9.hm]+ ?s\b`), "$1 TIME"},
	{"start of a run", regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d, took [0-9.hmµ]+s`), "START, took TIME"},
	{"metrics of the machine", regexp.MustCompile(`(>system/\w+</td>)(<td[^>]*>[^<]*</td>)+`), "$1"},
}

// masked replaces what differs from run to run.
func masked(text string) string {
	for _, d := range differing {
		text = d.pattern.ReplaceAllString(text, d.instead)
	}
	return text
}

func TestMasksKeepNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"run 9ab251db (quick-start): epoch 40 of 40 · loss 0.1500 · finished in 0.8 s · test: head F1 0.579": "run ID (quick-start): epoch 40 of 40 · loss 0.1500 · finished in TIME · test: head F1 0.579",
		"runs: d74fd2ba (rotate), 7367454a (clean)":                                                          "runs: ID (rotate), ID (clean)",
		"runs: SpherE-2D: d57e475e (paper, seed 42), 40 epochs in 0.4 s, final evaluation 0.1 s":             "runs: SpherE-2D: ID (paper, seed 42), 40 epochs in TIME, final evaluation TIME",
		"runs: 2, together 1h0m9s of training":                                                               "runs: 2, together TIME of training",
		"started   2026-11-21 14:21, took 700ms":                                                             "started   START, took TIME",
		"finished in 1m3s · test":                                                                            "finished in TIME · test",
		`<td>system/rss_bytes</td><td style="x">6.5e+07</td></tr><tr><td>loss</td><td>0.17</td>`:             `<td>system/rss_bytes</td></tr><tr><td>loss</td><td>0.17</td>`,
		"test/head_f1 0.53771 12345678 0.57912":                                                              "test/head_f1 0.53771 12345678 0.57912",
		"digest 732a66af64f77ee7":                                                                            "digest 732a66af64f77ee7",
	} {
		if got := masked(text); got != want {
			t.Errorf("%q is masked as %q, want %q", text, got, want)
		}
	}
}

// sameOutputs says where two runs of one notebook differ.
func sameOutputs(want, have ipynb) error {
	for i, c := range want.Cells {
		other := have.Cells[i]
		if len(c.Outputs) != len(other.Outputs) {
			return fmt.Errorf("cell %s has %d outputs, and %d in the file", c.ID, len(other.Outputs), len(c.Outputs))
		}
		for k, o := range c.Outputs {
			p := other.Outputs[k]
			if o.Type != p.Type || o.Name != p.Name || !slices.Equal(slices.Sorted(maps.Keys(o.Data)), slices.Sorted(maps.Keys(p.Data))) {
				return fmt.Errorf("cell %s: output %d is another kind of thing than in the file", c.ID, k)
			}
			texts := map[string][2]lines{"text": {o.Text, p.Text}}
			for format := range o.Data {
				texts[format] = [2]lines{o.Data[format], p.Data[format]}
			}
			for format, pair := range texts {
				w, h := masked(string(pair[0])), masked(string(pair[1]))
				if w != h {
					at := 0
					for at < min(len(w), len(h)) && w[at] == h[at] {
						at++
					}
					from := max(0, at-60)
					return fmt.Errorf("cell %s, %s: the run has\n  %q\nthe file has\n  %q", c.ID, format, h[from:min(len(h), at+60)], w[from:min(len(w), at+60)])
				}
			}
		}
	}
	return nil
}

func TestSameOutputsFindsADigit(t *testing.T) {
	a, b := readNotebook(t, "notebooks/01_quick_start.ipynb"), readNotebook(t, "notebooks/01_quick_start.ipynb")
	if err := sameOutputs(a, b); err != nil {
		t.Error(err)
	}
	changed := 0
	for i := range b.Cells {
		for k, o := range b.Cells[i].Outputs {
			if text, ok := o.Data["text/plain"]; ok && strings.Contains(string(text), "0.") && changed == 0 {
				b.Cells[i].Outputs[k].Data["text/plain"] = lines(strings.Replace(string(text), "0.", "1.", 1))
				changed++
			}
		}
	}
	if err := sameOutputs(a, b); changed != 1 || err == nil {
		t.Errorf("%d digits changed: %v", changed, err)
	}
}

// machinePath is the beginning of an absolute path: a place on some machine, which no notebook should show.
var machinePath = regexp.MustCompile(`(^|[\s"\\>'(=])(file://|/[\w.-]+/[\w.-])`)

func TestMachinePath(t *testing.T) {
	for text, want := range map[string]bool{
		`"read from /some/where/family.csv"`: true, `<td>/some/where</td>`: true, `(/some/where)`: true, `\"file:///x\"`: true,
		`read from family.csv`: false, `sub/family.csv`: false, `head / tail`: false, `<td>.831 / .401</td></tr>`: false, `of 40/50 epochs`: false,
	} {
		if found := machinePath.MatchString(text); found != want {
			t.Errorf("%s: found is %v", text, found)
		}
	}
}

// TestNotebooks runs every notebook with nbclient, for a user who has nothing yet, one after the other, and then all of them again in the same folder and
// with the same tracker. Both times they print what the file has. SPHERELAB_WRITE_NOTEBOOKS=1 writes the file again where the first run differs.
func TestNotebooks(t *testing.T) {
	j := newNotebookUser(t)
	dir := t.TempDir()
	for _, round := range []string{"first", "again"} {
		for _, path := range notebookFiles(t) {
			t.Run(round+"/"+notebookName(path), func(t *testing.T) {
				j := j.of(t)
				want := readNotebook(t, path)
				if spec := want.Metadata.Kernelspec; spec["name"] != kernelName || spec["display_name"] != kernelDisplayName || spec["language"] != "go" {
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
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, content, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				checkRunsOf(t, j.program, want)
				checkTrainedAgain(t, j.program, dir, notebookName(path), round)
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
	Status string
	Digest string `json:"checkpoint_digest"`
	Params map[string]string
}

func (p *program) show(name string) shownRun {
	p.t.Helper()
	var r shownRun
	if err := json.Unmarshal([]byte(p.ok("runs", "show", name, "--format", "json")), &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// told is, by notebook, one run and what its cells say of it.
var told = map[string]struct {
	run    string
	params map[string]string
}{
	"01_quick_start": {"quick-start", map[string]string{"model": "sphere-2d", "data": "bundled", "dimension": "64", "train.epochs": "50"}},
	"02_your_own_graph": {"family", map[string]string{"model": "sphere-2d", "data": "family.csv", "dimension": "4", "train.epochs": "300", "gamma": "2",
		"train.learning_rate": "0.02"}},
	"03_train_watch_resume": {"broken", map[string]string{"model": "sphere-2d", "variant": "clean", "data": "bundled", "dimension": "32", "train.epochs": "60",
		"eval.every": "5"}},
	"04_ask_for_sets": {"plane", map[string]string{"model": "sphere-2d", "data": "advised.csv", "dimension": "1", "train.epochs": "600", "gamma": "0.05",
		"eval.criterion": "intersect", "train.learning_rate": "0.02", "eval.every": "0", "train.batch": "128", "train.negatives": "32", "train.temperature": "2"}},
	"05_compare_variants_with_sql": {"released", map[string]string{"model": "sphere-2d", "variant": "released", "data": "bundled", "dimension": "32",
		"train.epochs": "40"}},
}

// checkTrainedAgain: what was logged of a run is what the cells said. A training from nothing but the logged params, in the notebook's folder, has the
// same bits and params again. The notebook about interrupts ends with the bits of a training without one.
func checkTrainedAgain(t *testing.T, p *program, dir, notebook, round string) {
	t.Helper()
	said, ok := told[notebook]
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
	name := "trained-again-" + round + "-" + notebook
	config := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(config, []byte("data: bundled\n"), 0o644); err != nil {
		t.Fatal(err)
	}
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
	delete(again.Params, "name")
	delete(run.Params, "name")
	if !reflect.DeepEqual(again.Params, run.Params) {
		t.Errorf("params %v, in the notebook %v", again.Params, run.Params)
	}
}

// TestNotebookBadCells: a mistake ends its cell with one error that says what to do; kernel and tracker go on.
func TestNotebookBadCells(t *testing.T) {
	j := newNotebookUser(t)
	cells := []struct {
		code  string
		error string // its name; "" for a cell that works
		wants []string
	}{
		{`import "time"` + "\n" + `g := lab.Graph("bundled")` + "\n" + `m := lab.Model("sphere-2d").Dim(4).Epochs(3).Set("eval.bootstrap", 0)`, "", nil},
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
		{`run.Ask("Max Born", "advised", "?").Len() == lab.Run("small").Ask("Max Born", "advised", "?").Len()`, "", []string{"true"}},
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
		if name != c.error || errors > 1 || strings.Contains(message, "goroutine ") || strings.Contains(message, ".go:") {
			t.Errorf("%s\nhas %d errors, the last is %s: %s; want %q", c.code, errors, name, message, c.error)
		}
		for _, want := range c.wants {
			if !strings.Contains(where, want) {
				t.Errorf("%s\ngives %s: %s\nwhich lacks %q", c.code, name, where, want)
			}
		}
	}
	if got, want := j.ok("tracker", "sql", "select name, status from spherelab.run_wide order by name", "--format", "csv"), "name,status\nfirst,FINISHED\nsmall,FINISHED\n"; got != want {
		t.Errorf("logged are\n%s\nwant\n%s", got, want)
	}
}

// TestNotebookPages makes web pages of the notebooks as they are in the repository and looks at them.
func TestNotebookPages(t *testing.T) {
	findBrowser(t)
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "JUPYTER_CONFIG_DIR=" + t.TempDir(), "JUPYTER_DATA_DIR=" + t.TempDir(), "IPYTHONDIR=" + t.TempDir()}
	args := []string{"-m", "nbconvert", "--to", "html", "--HTMLExporter.mathjax_url=", "--HTMLExporter.require_js_url=", "--output-dir", dir}
	for _, path := range notebookFiles(t) {
		args = append(args, abs(t, path))
	}
	output(t, pythonCommand(t, env, args...))
	for _, path := range notebookFiles(t) {
		t.Run(notebookName(path), func(t *testing.T) {
			page := filepath.Join(dir, notebookName(path)+".html")
			content, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(content, []byte(`data-mime-type="application/vnd.jupyter.stderr"`)) {
				t.Error("the page shows an error")
			}
			lookAt(t, page)
		})
	}
}

// The links between notebooks and to documents lead somewhere.
func TestNotebookLinks(t *testing.T) {
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
