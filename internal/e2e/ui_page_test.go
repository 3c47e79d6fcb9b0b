package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
)

// controls are the roles that a screen reader offers to use, and landmarks those that it jumps to.
var (
	controls = []string{"button", "checkbox", "combobox", "link", "listbox", "searchbox", "slider", "spinbutton", "textbox",
		"DisclosureTriangle", "image"}
	landmarks = []string{"banner", "navigation", "main"}
)

// checkTree looks at the page as a screen reader does: every control has a name, and the landmarks are there.
func (w *window) checkTree(what string) {
	w.t.Helper()
	type result = accessibility.GetFullAXTreeResult
	tree, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (result, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	expect.NoError(w.t, err)
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // a name that is not text is none
		}
		return strings.TrimSpace(s)
	}
	seen := map[string]int{}
	for _, node := range tree.Nodes {
		role := text(node.Role)
		if node.Ignored {
			continue
		}
		seen[role]++
		if slices.Contains(controls, role) && text(node.Name) == "" {
			w.t.Errorf("%s: a %s has no name (node %d)", what, role, node.BackendDOMNodeID)
		}
	}
	for _, role := range landmarks {
		if n := seen[role]; n == 0 || n > 1 && role != "navigation" {
			w.t.Errorf("%s: %d landmarks %s", what, n, role)
		}
	}
	if seen["link"] == 0 || seen["heading"] == 0 {
		w.t.Errorf("%s: the tree has no links or headings: %v", what, seen)
	}
}

// TestUIPages visits every page of two runs: with a screen reader's eyes, without scripts, and by keyboard.
func TestUIPages(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	plane := []string{"train", "bundled", "sphere-2d", "--set", "dimension=1", "--set", "train.epochs=20", "--set", "gamma=0.05",
		"--set", "eval.criterion=intersect", "--set", "eval.fit=false", "--set", "eval.calibrate=true"}
	p.ok(append(plane, "--set", "name=plane")...)
	p.ok(append(plane, "--set", "name=other", "--set", "seed=3")...)
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	var ids []string
	w.waitFor("the table", `document.querySelectorAll('tbody input').length === 2`)
	for i := range 2 {
		ids = append(ids, read[string](w, `document.querySelectorAll('tbody input')[`+string(rune('0'+i))+`].value`))
	}
	compare := "compare?run=" + ids[0] + "&run=" + ids[1]
	ask := "runs/plane/ask?head=Max+Born&relation=advised"
	pages := []struct{ address, says string }{
		{"", "2 of 2 runs"}, {"experiments", "bundled"}, {"params", "have test/mrr"}, {"groups", "1 configurations of 2 runs"}, {"runs/plane", "Results on the test triples"},
		{compare, "Params that differ"}, {"runs/plane/ask", "Leave one field empty"}, {ask, "cut intersect"},
		{"runs/plane/ask?q=Max+Born+%3E+advised+%3E+advised+minus+Max+Born+%3E+advised", "inferred"},
		{"runs/plane/ask?head=Max+Born&tail=Walter+M.+Elsasser", "advised"},
		{"runs/plane/explain?head=Max+Born&relation=advised&tail=Maria+Goeppert+Mayer", "counted in the graph"},
		{"runs/plane/explain?head=Max+Born&relation=advised&tail=Nobody", "no entity"}, {"none", "There is no such page"},
		{"runs/none", "no run"}, {"?q=nothing", "No run fits"},
	}
	for _, page := range pages {
		w.do(chromedp.Navigate(u.address + page.address))
		w.checkPage(page.address)
		w.checkTree(page.address)
		w.dark(true)
		w.do(chromedp.EmulateViewport(380, 700))
		w.checkPage(page.address + " in a narrow window, dark")
		if color := read[string](w, `getComputedStyle(document.body).backgroundColor`); color != "rgb(20, 24, 28)" {
			t.Errorf("%s is not dark: %s", page.address, color)
		}
		w.dark(false)
		w.do(chromedp.EmulateViewport(1200, 900))
	}
	w.do(chromedp.Navigate(u.address + ask))
	w.waitFor("the circles", `document.querySelector('img[src*="/circles.svg"]')?.naturalWidth > 0`)
	w.shot("circles")
	w.do(chromedp.Navigate(u.address + ask + "&cut=top-3")) // the picture is of the answers next to it
	w.waitFor("the circles of three answers", `fetch(document.querySelector('img[src*="/circles.svg"]').src)
		.then(r => r.text()).then(t => window.circles = t) && window.circles?.includes('3 entities ')`)
	w.do(chromedp.Navigate(u.address + "runs/plane"))
	w.waitFor("the reliability of probabilities", `(() => { const p = document.querySelector('img[alt^="Reliability"]');
		p?.scrollIntoView(); return p?.naturalWidth > 0 })()`)
	w.do(chromedp.Navigate(u.address + ask))
	for _, link := range []string{`a[href*="answers.csv"]`, `a[href*="circles.pdf"]`, `a[href*="circles.png"]`} {
		w.waitFor(link, `fetch(document.querySelector('`+link+`').href).then(r => window.got = r.ok) && window.got`)
		read[string](w, `(window.got = false, '')`)
	}

	// By keyboard alone: from the top of the comparison to the paired one. Tab reaches every control in order.
	w.do(chromedp.Navigate(u.address + compare))
	w.waitFor("the button", `[...document.querySelectorAll('#paired button')].length === 1`)
	reached := 0
	for ; reached < 200; reached++ {
		w.do(chromedp.KeyEvent(kb.Tab))
		if read[bool](w, `document.activeElement === document.querySelector('#paired button')`) {
			break
		}
	}
	if !read[bool](w, `document.activeElement.matches(':focus-visible') &&
		getComputedStyle(document.activeElement).outlineStyle === 'solid'`) {
		t.Errorf("after %d presses of Tab the button is not reached, or its focus cannot be seen", reached)
	}
	w.do(chromedp.KeyEvent(kb.Enter))
	w.waitFor("paired differences", `document.querySelector('#paired td')?.textContent === 'head f1'`)
	w.checkPage("paired differences")
	w.checkTree("paired differences")
	stdout := p.ok("eval", ids[1], "--against", ids[0], "--format", "json")
	var want struct {
		Comparison struct {
			Differences []struct{ Difference float64 }
		}
	}
	expect.NoError(t, json.Unmarshal([]byte(stdout), &want))
	cells := read[[]string](w, `[...document.querySelectorAll('#paired tr:nth-child(1) td')].map(c => c.textContent)`)
	if got := strings.Replace(cells[3], ".", "0.", 1); got != fmt.Sprintf("%+.3f", want.Comparison.Differences[0].Difference) {
		t.Errorf("the page has the difference %q, eval has %+v", cells, want.Comparison.Differences[0])
	}
	read[string](w, `(document.querySelector('#paired').scrollIntoView(), '')`)
	w.shot("paired")

	w.scripts(false)
	for _, page := range pages {
		w.do(chromedp.Navigate(u.address+page.address), chromedp.WaitVisible(chromedp.CSS("h1")))
		text, err := chromedp.Run(w.ctx, chromedp.Text(chromedp.CSS("main")))
		if err != nil || !strings.Contains(text, page.says) {
			t.Errorf("without scripts %q lacks %q: %v\n%s", page.address, page.says, err, text)
		}
	}
}

// TestUIHostileNamesInBrowser has names that would run scripts in careless pages: of runs, tags, notes, experiments,
// entities, relations and files, also where a picture is a page of its own. No script runs, and no other host is asked.
func TestUIHostileNamesInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	const attack = `"><script>window.stolen=1</script><img src='//127.0.0.1:9/x' onerror="window.stolen=1"><svg onload='window.stolen=1'>`
	dir := t.TempDir()
	var splits [3]strings.Builder
	for i := range 30 {
		for step := 1; step <= 3; step++ {
			split := 0
			if step == 3 && i%5 == 0 {
				split = 1 + i/5%2
			}
			fmt.Fprintf(&splits[split], "e%02d%s\tplus%d%[2]s\te%02d%[2]s\n", i, attack, step, (i+step)%30)
		}
	}
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(splits[i].String()), 0o644))
	}
	for seed := range 2 {
		p.ok("train", dir, "sphere-2d", "--set", "dimension=8", "--set", "train.epochs=3", "--set", fmt.Sprint("seed=", seed),
			"--set", "name="+attack, "--set", "tracker.experiment="+attack, "--set", "threads=1")
	}
	files, err := filepath.Glob(filepath.Join(p.home(), "artifacts", "*", "*", "artifacts"))
	if err != nil || len(files) != 2 {
		t.Fatal("artifacts: ", files, err)
	}
	for _, folder := range files { // a file name cannot have a slash
		name := strings.ReplaceAll(attack, "/", "|") + ".svg"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	w.waitFor("the table", `document.querySelectorAll('tbody input').length === 2`)
	ids := read[[]string](w, `[...document.querySelectorAll('tbody input')].map(i => i.value)`)
	for _, id := range ids {
		read[string](w, `(fetch('/runs/`+id+`/note', {method: 'POST', body: new URLSearchParams({note: `+strconv.Quote(attack)+`, was: ''})}),
			fetch('/runs/`+id+`/tags', {method: 'POST', body: new URLSearchParams({key: 'remark', value: `+strconv.Quote(attack)+`})}), '')`)
	}
	w.waitFor("the tags", `fetch('/runs.csv?col=tag/remark&col=tag/mlflow.note.content').then(r => r.text()).then(text =>
		window.tagged = text.split('onload').length === 9) && window.tagged`)
	both := "run=" + ids[0] + "&run=" + ids[1]
	entity := url.QueryEscape("e00" + attack)
	for _, page := range []string{"?col=tag/remark&col=tag/mlflow.note.content", "experiments", "groups", "params", "runs/" + ids[0],
		"compare?all=1&" + both, "compare?bands=1&smooth=0.5&" + both, "?q=" + url.QueryEscape(attack),
		"runs/" + ids[0] + "/ask?head=" + entity + "&relation=" + url.QueryEscape("plus1"+attack),
		"runs/" + ids[0] + "/ask?head=" + entity + "&tail=" + url.QueryEscape("e01"+attack),
		"runs/" + ids[0] + "/ask?q=" + url.QueryEscape(strconv.Quote("e00"+attack)+" > "+strconv.Quote("plus1"+attack)),
		"runs/" + ids[0] + "/ask?head=nobody" + entity + "&relation=x", "curve.svg?key=loss&" + both,
		"runs/" + ids[0] + "/explore", "runs/" + ids[0] + "/sight.svg?entity=" + entity,
		"runs/" + ids[0] + "/explore?entity=" + entity + "&relation=" + url.QueryEscape("plus1"+attack),
		"parallel.svg?axis=param/seed&axis=metric/loss&" + both, "runs/" + ids[0] + "/figure/Radius%20against%20occurrence.svg"} {
		w.do(chromedp.Navigate(u.address + page))
		if !strings.Contains(page, ".svg") {
			w.checkPage(page)
		}
		w.waitFor(page, `document.readyState === 'complete'`)
		if found := read[string](w, `(window.stolen ? 'a script ran ' : '') + document.querySelectorAll('script:not([src]), [onerror], [onload]').length +
			' ' + (document.documentElement.outerHTML ?? '').includes('onload=')`); found != "0 true" && found != "0 false" {
			t.Errorf("%s: %s", page, found)
		}
		if read[bool](w, `!document.documentElement.textContent.includes('stolen')`) && page != "experiments" && !strings.Contains(page, ".svg") {
			t.Errorf("%s does not show the names", page)
		}
	}
	w.do(chromedp.Navigate(u.address+"runs/"+ids[0]+"/ask"), chromedp.SendKeys(chromedp.CSS("#head"), "e0"))
	w.waitFor("the names of entities", `[...document.querySelector('#heads').options].some(o => o.value.includes('onload'))`)
	if read[bool](w, `!!window.stolen`) {
		t.Error("a script ran among completed names")
	}
}
