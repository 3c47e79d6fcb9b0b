package present

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// A graph that is gone, or was changed, is named with what to do; what is in its files is not.
func TestTroubleWithAGraph(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := NewReader(nil, Options{Log: &log})
	info := tracker.RunInfo{ID: "0123456789", Params: map[string]string{config.ParamHash: "x",
		answer.ParamGraph: "umls"}, Tags: map[string]string{answer.TagSource: "/data/umls"}}
	_, missing := kg.Load(filepath.Join(t.TempDir(), "gone"))
	for _, err := range []error{missing, &kg.FileError{File: "/etc/file.csv", Line: 3, Message: `"secret" is not a triple`}} {
		log.Reset()
		shown := r.graphTrouble(info, err)
		if text := shown.Error(); !strings.Contains(text, "umls") || !strings.Contains(text, "put it back at /data/umls") ||
			strings.Contains(text, "secret") {
			t.Errorf("%v is shown as %q", err, text)
		}
		if !strings.Contains(log.String(), err.Error()) {
			t.Errorf("the log has %q", log.String())
		}
		if words := Hints(hint.Of(shown), "spherelab"); !strings.Contains(words, "data get umls") {
			t.Errorf("the remedies are %q", words)
		}
	}
}

// Relations between two entities have probabilities where the run has fitted some.
func TestRelationsHaveProbabilities(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	p := 0.25
	facts := []retrieve.Fact{{Triple: g.Train[5], Relation: "advised", InSet: true, Probability: &p}, {Relation: "knows"}}
	page := answerPage(&retrieve.Reply{Relations: &retrieve.Relations{Facts: facts, Total: 2}}, wordsOf(g))
	table := page.Tables[0]
	first := table.Facts[0]
	if fact, err := retrieve.ParseTriple(g, first.Head, first.Relation, first.Tail); err != nil ||
		fact != g.Train[5] || len(table.Facts) != 2 {
		t.Errorf("the rows are of the facts %+v, %v", table.Facts, err)
	}
	last := len(table.Columns) - 1
	if table.Columns[last].Heading != "probability" || table.Rows[0][last] != "0.250" || table.Rows[1][last] != "" {
		t.Errorf("the table is %+v", table)
	}
	if slices.Contains(page.Notes, probabilityNote) {
		t.Errorf("answers with probabilities say how to see them: %q", page.Notes)
	}
	page = answerPage(&retrieve.Reply{Relations: &retrieve.Relations{Facts: facts[1:], Total: 1}}, wordsOf(g))
	if !slices.Contains(page.Notes, probabilityNote) {
		t.Errorf("answers without probabilities do not say how to see them: %q", page.Notes)
	}
	if n := len(page.Tables[0].Columns); n != last || len(page.Tables[0].Rows[0]) != last {
		t.Errorf("without probabilities there are %d columns", n)
	}
}

// A server at all addresses of the machine is found by its name.
func TestPageAddress(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	if err != nil {
		t.Skip("this machine has no name: ", err)
	}
	for listening, want := range map[string]string{"127.0.0.1:80": "http://127.0.0.1:80/", "[::1]:80": "http://[::1]:80/",
		"[::]:8779": "http://" + name + ":8779/", "0.0.0.0:8779": "http://" + name + ":8779/"} {
		if got := Address(listening); got != want {
			t.Errorf("%s is %s, want %s", listening, got, want)
		}
	}
}

// A shell reads a quoted word as the word.
func TestQuoteShell(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"/home/a/config.yaml", "/home/a b/it's.yaml", "", "$(id)", "a;b", "ä"} {
		out, err := exec.Command("sh", "-c", "printf %s "+QuoteShell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q becomes %q, %v", word, out, err)
		}
	}
	if quoted := QuoteShell("/home/a/config.yaml"); strings.Contains(quoted, "'") {
		t.Errorf("a plain path becomes %s", quoted)
	}
}

// A stopped run with a saved state is interrupted, and the command that finishes it comes first.
func TestInterruptedRunInPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := NewReader(nil, Options{})
	info := tracker.RunInfo{ID: "0123456789abcdef0123456789abcdef", Status: string(tracker.Killed),
		ArtifactURI: "file://" + dir, Tags: map[string]string{},
		Params: map[string]string{answer.ParamNumerics: strconv.Itoa(sphere.NumericsVersion)}}
	write := func(name string) {
		expect.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644))
	}
	write("config.yaml")
	if state, command := r.State(info), r.Command(info); state != "" || strings.Contains(command, "--resume") {
		t.Errorf("without a saved state the run is %q, %q", state, command)
	}
	write("state.safetensors")
	if state, command := r.State(info), r.Command(info); state != "interrupted" ||
		!strings.HasPrefix(command, Program()+" train --resume 01234567") ||
		!strings.Contains(command, Program()+" train --finish 01234567") {
		t.Errorf("with a saved state the run is %q, %q", state, command)
	}
	ended := info
	ended.Status, ended.Tags = string(tracker.Finished), map[string]string{answer.TagEnded: "3"}
	if command := r.Command(ended); command != Program()+" reproduce 01234567" {
		t.Errorf("a run that was ended early is repeated by %q", command)
	}
	info.Status = string(tracker.Failed) // its program died
	if state, command := r.State(info), r.Command(info); state != "" || !strings.Contains(command, "train --resume 01234567") {
		t.Errorf("a failed run with a saved state is %q, %q", state, command)
	}
	info.Tags[answer.TagDiverged] = "true"
	if command := r.Command(info); command == "" || strings.Contains(command, "--resume") {
		t.Errorf("a run that would fail again has the command %q", command)
	}
	delete(info.Tags, answer.TagDiverged)
	info.Params[answer.ParamNumerics] = strconv.Itoa(sphere.NumericsVersion + 1)
	if command := r.Command(info); command == "" || strings.Contains(command, "--resume") {
		t.Errorf("a run of another version has the command %q", command)
	}
	info.Status = string(tracker.Finished)
	if state, command := r.State(info), r.Command(info); state != "" || strings.Contains(command, "--resume") {
		t.Errorf("a finished run is %q, %q", state, command)
	}
}

// A run of a file, which has no config on this machine, is trained again by what the tracker has of it; one of another
// program is not.
func TestCommandOfAnImportedRun(t *testing.T) {
	t.Parallel()
	r := NewReader(nil, Options{})
	embedded, err := results.EmbeddedResults()
	expect.NoError(t, err)
	info := embedded[0].Info
	info.Tags[tracker.TagImported] = "1"
	if command := r.Command(info); command != Program()+" reproduce "+tracker.ShortID(info.ID) {
		t.Errorf("the command of run %s is %q", info.ID, command)
	}
	if command := r.Command(tracker.RunInfo{ID: info.ID, Status: info.Status}); command != "" {
		t.Errorf("the command of a run of another program is %q", command)
	}
}

// A run says where it comes from: its sweep, with a search for the others, the runs of a stack, and how often it was
// resumed.
func TestLineageOfARun(t *testing.T) {
	t.Parallel()
	r := NewReader(nil, Options{})
	info := tracker.RunInfo{Tags: map[string]string{answer.TagSweep: "forty", answer.TagResumed: "2"}}
	var lines []string
	for _, origin := range r.Lineage(info) {
		lines = append(lines, origin.Text+"|"+origin.Search)
	}
	if got := strings.Join(lines, "\n"); got != "from the sweep forty|tags.sweep = 'forty'\n"+
		"resumed 2 times from its last saved state|" {
		t.Errorf("the lineage is\n%s", got)
	}
	info.Tags[answer.TagDiverged] = "true"
	if text := r.Lineage(info)[1].Text; !strings.Contains(text, "NaN") || !strings.Contains(text, "train.learning_rate") {
		t.Errorf("a run that diverged says %q", text)
	}
	delete(info.Tags, answer.TagDiverged)
	info.Status, info.Params = string(tracker.Finished), map[string]string{config.ParamHash: "0"}
	info.Metrics = map[string]float64{"loss": 40798}
	if text := r.Lineage(info)[1].Text; !strings.Contains(text, "warning: the training ended with a loss of 40798") {
		t.Errorf("a run whose loss is above that of chance says %q", text)
	}
	info.Metrics["loss"] = .1
	info.Tags[answer.TagSweep] = "it's" // the filter's language cannot write it
	if got := r.Lineage(info); len(got) != 1 {
		t.Errorf("the lineage of an odd sweep is %+v", got)
	}
}

// A stack always has probabilities, so its page shows how reliable they are, as that of a calibrated training does.
func TestStacksHaveReliability(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"stack.json", "model.safetensors"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
	}
	for name, c := range map[string]struct {
		params map[string]string
		shown  bool
	}{
		"stack":      {map[string]string{answer.ParamStack: "0123 4567", "model": "rotate+complex"}, true},
		"calibrated": {map[string]string{"model": "rotate", "eval.calibrate": "true"}, true},
		"plain":      {map[string]string{"model": "rotate"}, false},
	} {
		c.params[config.ParamHash] = "x"
		list := NewReader(nil, Options{}).Figures(tracker.RunInfo{Params: c.params, ArtifactURI: "file://" + dir})
		if got := slices.Contains(list, reliabilityFigure); got != c.shown {
			t.Errorf("%s: the pictures are %q", name, list)
		}
	}
}
