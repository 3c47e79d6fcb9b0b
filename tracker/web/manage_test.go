package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// listedNames returns the names of the runs in a table, sorted.
func listedNames(t *testing.T, h http.Handler, address string) string {
	t.Helper()
	var names []string
	for n := range document(t, h, address).Descendants() {
		if n.Data != "th" || !hasAttribute(n, "scope", "row") {
			continue
		}
		for text := range n.Descendants() {
			if text.Type == html.TextNode && strings.TrimSpace(text.Data) != "" {
				names = append(names, text.Data)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// whole returns the text of a page.
func whole(t *testing.T, h http.Handler, address string) string {
	t.Helper()
	return strings.Join(texts(document(t, h, address), "main"), " ")
}

func hasAttribute(n *html.Node, key, value string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key && a.Val == value })
}

func managedRuns(t *testing.T) (*postgres.Store, http.Handler, map[string]string) {
	t.Helper()
	tr := trackertest.Store(t)
	ids := map[string]string{}
	for _, name := range []string{"one", "two", "three"} {
		ids[name] = logRun(t, tr, tracker.RunSpec{Name: name, Experiment: "from"}, map[string]float64{"loss": 1})
	}
	return tr, web.New(tr, web.Options{Reader: meaning{}}), ids
}

// TestRunsAreDeletedAndRestored: a deletion says what it did and can be undone, once; a run that is being written is
// refused, and with it all others of the form.
func TestRunsAreDeletedAndRestored(t *testing.T) {
	t.Parallel()
	tr, h, ids := managedRuns(t)
	live, err := tr.StartRun(context.Background(), tracker.RunSpec{Name: "live", Experiment: "from"})
	expect.NoError(t, err)
	do := func(what string, more url.Values) (int, string) {
		t.Helper()
		form := url.Values{"do": {what}, "back": {"experiment=from"}}
		for name, values := range more {
			form[name] = values
		}
		return post(t, h, "/manage", form)
	}
	if code, _ := do("delete", url.Values{"run": {ids["one"], live.ID()}}); code != http.StatusConflict {
		t.Errorf("a living run was deleted: %d", code)
	}
	expect.NoError(t, live.Finish(context.Background(), tracker.Finished))
	if names := listedNames(t, h, "/"); names != "live one three two" {
		t.Errorf("after the refusal there are %s", names)
	}
	code, to := do("delete", url.Values{"run": {ids["one"], ids["two"]}})
	if code != http.StatusSeeOther || !strings.HasPrefix(to, "/?") || !strings.Contains(to, "experiment=from") {
		t.Fatalf("the deletion leads to %d %s", code, to)
	}
	if names := listedNames(t, h, to); names != "live three" {
		t.Errorf("after the deletion there are %s", names)
	}
	_, page, _ := get(t, h, to)
	if !strings.Contains(page, "2 runs were deleted.") || !strings.Contains(page, "<button>Undo</button>") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	if names := listedNames(t, h, "/?deleted=1"); names != "one two" {
		t.Errorf("deleted are %s", names)
	}
	if code, _, _ := get(t, h, "/runs/"+ids["one"]); code != http.StatusNotFound {
		t.Errorf("the page of a deleted run: %d", code)
	}
	link, err := url.Parse(to)
	expect.NoError(t, err)
	undo := url.Values{"at": {link.Query().Get("at")}}
	if code, _ := do("restore", undo); code != http.StatusSeeOther {
		t.Errorf("undo: %d", code)
	}
	if names := listedNames(t, h, to); names != "live one three two" {
		t.Errorf("after undo there are %s", names)
	}
	if _, page, _ := get(t, h, to); strings.Contains(page, "Undo") {
		t.Error("what is undone can be undone again")
	}
	if code, _ := do("restore", undo); code != http.StatusNotFound {
		t.Errorf("undo again: %d", code)
	}
	_, _ = do("delete", url.Values{"run": {ids["three"]}})
	if code, to := do("restore", url.Values{"run": {ids["three"]}}); code != http.StatusSeeOther || !strings.Contains(to, "did=restore") {
		t.Errorf("restore leads to %d %s", code, to)
	}
	if names := listedNames(t, h, "/"); names != "live one three two" {
		t.Errorf("at the end there are %s", names)
	}
}

func TestFormsThatManageNothingAreRefused(t *testing.T) {
	t.Parallel()
	_, h, ids := managedRuns(t)
	one := []string{ids["one"]}
	for _, c := range []struct {
		form url.Values
		code int
	}{
		{url.Values{"run": one}, 400},
		{url.Values{"do": {"purge"}, "run": one}, 400},
		{url.Values{"do": {"delete"}}, 400},
		{url.Values{"do": {"delete"}, "run": slices.Repeat(one, 1001)}, 400},
		{url.Values{"do": {"delete"}, "run": {ids["one"], "nothing"}}, 404},
		{url.Values{"do": {"restore"}, "run": {ids["one"], "nothing"}}, 404},
		{url.Values{"do": {"restore"}, "at": {"yesterday"}}, 400},
		{url.Values{"do": {"move"}, "run": one, "to": {" "}}, 400},
		{url.Values{"do": {"move"}, "run": one, "to": {"a\x00"}}, 400},
		{url.Values{"do": {"move"}, "run": one, "to": {strings.Repeat("x", 300)}}, 400},
		{url.Values{"do": {"archive"}, "run": one, "back": {"%zz"}}, 400},
	} {
		if code, _ := post(t, h, "/manage", c.form); code != c.code {
			t.Errorf("%.80v: %d, want %d", c.form, code, c.code)
		}
	}
	if names := listedNames(t, h, "/?experiment=from"); names != "one three two" {
		t.Errorf("a refused form left %s", names)
	}
	for _, key := range []string{tracker.TagArchived, tracker.TagStop} {
		if code, _ := post(t, h, "/runs/"+ids["one"]+"/tags", url.Values{"key": {key}, "value": {"x"}}); code != 400 {
			t.Errorf("tag %s is free: %d", key, code)
		}
	}
}

func TestRunsAreArchivedMovedAndRenamed(t *testing.T) {
	t.Parallel()
	tr, h, ids := managedRuns(t)
	page := "/runs/" + ids["one"]
	if text := whole(t, h, "/"); strings.Contains(text, "archived") {
		t.Error("there is a switch without an archived run")
	}
	code, to := post(t, h, "/manage", url.Values{"do": {"archive"}, "run": {ids["one"], ids["two"]}, "back": {"sort=name"}})
	if code != http.StatusSeeOther || !strings.Contains(to, "sort=name") {
		t.Fatalf("archive leads to %d %s", code, to)
	}
	if text := whole(t, h, to); !strings.Contains(text, "2 runs were archived.") || strings.Contains(text, "Undo") {
		t.Errorf("the page says %s", text)
	}
	for address, want := range map[string]string{"/": "three", "/?archived=1": "one three two", "/?q=one": "",
		"/?q=tags.`spherelab.archived`+%3D+'true'": "one two"} {
		if names := listedNames(t, h, address); names != want {
			t.Errorf("%s lists %s, want %s", address, names, want)
		}
	}
	if _, csv, _ := get(t, h, "/runs.csv"); strings.Contains(csv, ids["one"]) || !strings.Contains(csv, ids["three"]) {
		t.Errorf("the CSV has\n%s", csv)
	}
	code, to = post(t, h, "/manage", url.Values{"do": {"unarchive"}, "run": {ids["one"]}, "page": {ids["one"]}})
	if code != http.StatusSeeOther || to != page {
		t.Errorf("unarchive leads to %d %s", code, to)
	}
	// Enter in the field of the experiment sends the form of the tags.
	if code, _ = post(t, h, "/tags", url.Values{"to": {"to & there"}, "run": {ids["one"]}}); code != http.StatusSeeOther {
		t.Errorf("move: %d", code)
	}
	if names := listedNames(t, h, "/?experiment=to+%26+there"); names != "one" {
		t.Errorf("moved are %s", names)
	}
	for _, c := range []struct {
		was, name string
		code      int
	}{{"one", attack, 303}, {"one", "late", 409}, {attack, " ", 400}, {attack, strings.Repeat("x", 251), 400}, {attack, " first ", 303}} {
		if code, _ := post(t, h, page+"/name", url.Values{"was": {c.was}, "name": {c.name}}); code != c.code {
			t.Errorf("%.40s: %d, want %d", c.name, code, c.code)
		}
	}
	run, err := tr.FindRun(context.Background(), ids["one"])
	expect.NoError(t, err)
	if run.Name != "first" || run.Tags[tracker.TagRunName] != "first" || run.Experiment != "to & there" {
		t.Errorf("the run is %q, tag %q, in %q", run.Name, run.Tags[tracker.TagRunName], run.Experiment)
	}
}

// TestNotesAreMarkdown: a note has the usual marks, its HTML is text, and no link or picture does what a page must not.
func TestNotesAreMarkdown(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	for note, want := range map[string]string{
		"**bold**\nnext line":                `<p><strong>bold</strong><br> next line</p>`,
		"# Top\n\n###### Deep":               `<h2>Top</h2> <h6>Deep</h6>`,
		"- one\n- `two`":                     `<ul> <li>one</li> <li><code>two</code></li> </ul>`,
		"[a](https://a.example/?x=1&y=2)":    `<p><a href="https://a.example/?x=1&amp;y=2">a</a></p>`,
		"[the others](/?q=a)":                `<p><a href="/?q=a">the others</a></p>`,
		"see https://b.example.":             `<p>see <a href="https://b.example">https://b.example</a>.</p>`,
		"![a *plot*](https://c.example/p)":   `<p><a href="https://c.example/p">a <em>plot</em></a></p>`,
		"[go *on*](javascript:alert(1)) end": `<p>go <em>on</em> end</p>`,
		"[x](data:text/html,y)":              `<p>x</p>`,
		"![x](JaVaScRiPt:alert)":             `<p>x</p>`,
		"[x](&#106;avascript:alert)":         `<p>x</p>`,
		"[x](java\tscript:alert)":            `<p>[x](java script:alert)</p>`,
		"[x][y]\n\n[y]: vbscript:z":          `<p>x</p>`,
		"<javascript:alert(1)>":              `<p>javascript:alert(1)</p>`,
		"a <b onclick=x>b</b>":               `<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>`,
		"<script>\nalert(1)\n</script>":      `<p>&lt;script&gt;<br> alert(1)<br> &lt;/script&gt;</p>`,
		"<!-- hidden -->":                    `<p>&lt;!-- hidden --&gt;</p>`,
		"|a|b|\n|-|-|\n|1|2|":                `<table> <thead> <tr> <th>a</th> <th>b</th> </tr> </thead> <tbody> <tr> <td>1</td> <td>2</td> </tr> </tbody> </table>`,
		"\u202eturned":                       "<p>\ufffdturned</p>",
	} {
		id := logRun(t, tr, tracker.RunSpec{Name: "noted", Tags: map[string]string{"mlflow.note.content": note}})
		_, page, _ := get(t, h, "/runs/"+id)
		_, rest, _ := strings.Cut(page, `<div class="note">`)
		got, _, _ := strings.Cut(rest, "</div>")
		if got = strings.Join(strings.Fields(got), " "); got != want {
			t.Errorf("%q is\n%s, want\n%s", note, got, want)
		}
	}
}

// TestTrainingsAreAskedToStop: only a training that looks for it is asked, and its page says so until it has ended.
func TestTrainingsAreAskedToStop(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	start := func(name string, params map[string]string) *tracker.Run {
		t.Helper()
		run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: name, Params: params})
		expect.NoError(t, err)
		return run
	}
	ours, theirs := start("ours", map[string]string{"config_hash": "x"}), start("theirs", nil)
	ended := logRun(t, tr, tracker.RunSpec{Name: "ended", Params: map[string]string{"config_hash": "y"}})
	stop := func(runs ...string) int {
		t.Helper()
		code, _ := post(t, h, "/manage", url.Values{"do": {"stop"}, "run": runs})
		return code
	}
	says := func(run, want string, has bool) {
		t.Helper()
		if _, page, _ := get(t, h, "/runs/"+run); strings.Contains(page, want) != has {
			t.Errorf("run %s: %q is %v", run, want, !has)
		}
	}
	for _, run := range []string{theirs.ID(), ended} {
		says(run, `value="stop"`, false)
		if code := stop(ours.ID(), run); code != http.StatusConflict {
			t.Errorf("%s is asked to stop: %d", run, code)
		}
	}
	says(ours.ID(), "Stop was requested", false)
	says(ours.ID(), `value="stop"`, true)
	if code := stop(ours.ID()); code != http.StatusSeeOther {
		t.Errorf("stop: %d", code)
	}
	says(ours.ID(), "Stop was requested", true)
	says(ours.ID(), `value="stop"`, false)
	for _, run := range []*tracker.Run{ours, theirs} {
		expect.NoError(t, run.Finish(t.Context(), tracker.Killed))
	}
	says(ours.ID(), "Stop was requested", false)
}

// TestRunsHaveLastWords: the page of a run that failed begins with its error, without passwords, and with what differs
// from the nearest run that finished.
func TestRunsHaveLastWords(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	params := func(rate, model, seed string) map[string]string {
		return map[string]string{"rate": rate, "model": model, "seed": seed, "config_hash": rate + model + seed}
	}
	logRun(t, tr, tracker.RunSpec{Name: "far", Experiment: "e", Params: params("0.1", "transe", "2")})
	near := logRun(t, tr, tracker.RunSpec{Name: "near", Experiment: "e", Params: params("0.1", "rotate", "1")})
	logRun(t, tr, tracker.RunSpec{Name: "elsewhere", Experiment: "f", Params: params("9", "rotate", "1")})
	run, err := tr.StartRun(t.Context(), tracker.RunSpec{Name: "bad", Experiment: "e", Params: params("9", "rotate", "1")})
	expect.NoError(t, err)
	expect.NoError(t, run.SetError(errors.New("epoch 3: postgres://me:secret@h/db "+attack+strings.Repeat("x", 9000))))
	expect.NoError(t, run.Finish(t.Context(), tracker.Failed))
	tree := document(t, h, "/runs/"+run.ID())
	words := strings.Join(texts(tree, "main"), " ")
	if !strings.Contains(words, "epoch 3: postgres://me:***@h/db "+attack) || strings.Contains(words, "secret") ||
		strings.Contains(words, strings.Repeat("x", 2000)) {
		t.Errorf("the page says %.3000s", words)
	}
	if got := strings.Join(texts(tree, "summary"), "|"); !strings.Contains(got, "The nearest run that finished differs in one param") {
		t.Errorf("the page says %s", got)
	}
	if cells := strings.Join(texts(tree, "td"), " "); cells != "9 0.1" || !slices.Contains(sources(tree, "a", "href"), "/runs/"+near) {
		t.Errorf("what differs is %q", cells)
	}
	if text := whole(t, h, "/runs/"+near); strings.Contains(text, "nearest run") {
		t.Error("a run that finished has last words")
	}
	again, err := tr.ResumeRun(t.Context(), run.ID())
	expect.NoError(t, err)
	expect.NoError(t, again.Finish(t.Context(), tracker.Failed))
	if text := whole(t, h, "/runs/"+run.ID()); strings.Contains(text, "epoch 3") {
		t.Error("a resumed run has the last words of the program before")
	}
}
