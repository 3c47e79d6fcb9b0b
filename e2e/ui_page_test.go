package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	if err != nil {
		w.t.Fatal(err)
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // a name that is no text is none
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
		"--set", "eval.criterion=intersect", "--set", "eval.fit=false"}
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
		{"", "2 of 2 runs"}, {"groups", "1 configurations of 2 runs"}, {"runs/plane", "Results on the test triples"},
		{compare, "Params that differ"}, {"runs/plane/ask", "Leave one field empty"}, {ask, "cut intersect"},
		{"runs/plane/ask?q=Max+Born+%3E+advised+%3E+advised+minus+Max+Born+%3E+advised", "inferred"},
		{"runs/plane/ask?head=Max+Born&tail=Walter+M.+Elsasser", "advised"}, {"none", "there is no such page"},
		{"runs/none", "no run"}, {"?q=nothing", "No run fits"},
	}
	for _, page := range pages {
		w.do(chromedp.Navigate(u.address + page.address))
		w.checkPage(page.address)
		w.checkTree(page.address)
	}
	w.do(chromedp.Navigate(u.address + ask))
	w.waitFor("the circles", `document.querySelector('img[src*="/circles.svg"]')?.naturalWidth > 0`)
	w.shot("circles")
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
	if err := json.Unmarshal([]byte(stdout), &want); err != nil {
		t.Fatal(err)
	}
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
