package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestUISelectsAndTagsInBrowser: runs stay selected while a reader sorts, turns pages and comes
// back; Enter in the form below tags them; links stay in the experiment; and what MLflow's client prints leads there.
func TestUISelectsAndTagsInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	w.waitFor("the first page", `document.querySelector('main')`)
	read[bool](w, `(async () => {
		const post = async (path, body) => (await fetch('/api/2.0/mlflow/' + path, {method: 'POST',
			headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
		window.alpha = (await post('experiments/create', {name: 'alpha & more'})).experiment_id;
		window.made = 0;
		for (let i = 0; i < 103; i++) {
			const run = await post('runs/create', {experiment_id: window.alpha, start_time: 1000 + i, run_name: 'run ' + (100 + i)});
			if (i === 0) window.oldest = run.run.info.run_id;
			window.made++;
		}
	})(), true`)
	w.waitFor("the runs", `window.made === 103`)
	alpha, oldest := read[string](w, `String(window.alpha)`), read[string](w, `window.oldest`)

	// The address that the client prints for the experiment, and below for a run of it.
	w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(u.address+"#/experiments/"+alpha))
	w.waitFor("the experiment", `new URLSearchParams(location.search).get('experiment') === 'alpha & more' &&
		document.querySelectorAll('tbody [name=run]').length === 100`)
	links := read[string](w, `[...document.querySelectorAll('header nav a')].map((a) => a.getAttribute('href')).join(' ')`)
	if want := "/?experiment=alpha+%26+more /experiments /groups?experiment=alpha+%26+more /params?experiment=alpha+%26+more /ask"; links != want {
		t.Errorf("the pages' links are %s, want %s", links, want)
	}
	says := func(want string) {
		t.Helper()
		w.waitFor(want, fmt.Sprintf(`document.querySelector('#compare output')?.value === %q`, want))
	}
	pick := func(name string) {
		t.Helper()
		w.do(chromedp.Click(chromedp.CSS(`[aria-label^="Select ` + name + ` "]`)))
	}
	pick("run 202")
	pick("run 201")
	says("2 selected")
	w.do(chromedp.Click(chromedp.CSS(`thead a[title="sort by name"]`)))
	w.waitFor("the other order", `document.querySelector('[aria-sort=ascending]')`)
	says("2 selected, 2 not on this page")
	pick("run 100")
	says("3 selected, 2 not on this page")
	w.do(chromedp.Click(chromedp.CSS(`[rel=next]`)))
	w.waitFor("the second page", `document.querySelectorAll('tbody [name=run]').length === 3`)
	says("3 selected, 1 not on this page")
	if names := read[string](w, `[...document.querySelectorAll('tbody tr:has(:checked) th')].map((e) => e.textContent.trim()).join(', ')`); names != "run 201, run 202" {
		t.Errorf("selected are %q", names)
	}
	w.shot("selected")

	// A tag without a name is not sent, and the text stays; Enter sends what is whole.
	w.do(chromedp.SendKeys(chromedp.CSS("#compare [name=value]"), "good"), chromedp.KeyEvent(kb.Enter))
	says("a tag needs a name")
	w.do(chromedp.SendKeys(chromedp.CSS("#compare [name=key]"), "kind"), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the table again", `location.pathname === '/' && new URLSearchParams(location.search).get('page') === '2' &&
		document.querySelector('[name=col][value="tag/kind"]')`)
	says("3 selected, 1 not on this page")
	w.do(chromedp.Click(chromedp.CSS("#compare button[data-done=compared]")))
	w.waitFor("the comparison", `location.pathname === '/compare' && document.querySelectorAll('table.side thead th a').length >= 3`)
	if n := read[int](w, `new URLSearchParams(location.search).getAll('run').length`); n != 3 {
		t.Errorf("%d runs are compared", n)
	}
	if links := read[string](w, `document.querySelector('header nav a').getAttribute('href')`); !strings.Contains(links, "experiment=alpha") {
		t.Errorf("the comparison leads out of the experiment, to %s", links)
	}
	read[bool](w, `(history.back(), true)`) // a page that comes back as it was left loads nothing
	w.waitFor("the table again", `location.pathname === '/'`)
	says("3 selected, 1 not on this page")
	w.do(chromedp.Reload())
	says("3 selected, 1 not on this page")
	// Enter on a box means the comparison, as before.
	w.do(chromedp.Focus(chromedp.CSS("tbody [name=run]")), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the comparison", `location.pathname === '/compare' && new URLSearchParams(location.search).getAll('run').length === 3`)
	w.do(chromedp.Navigate(u.address + "?q=" + `tags.kind+%3D+'good'`))
	w.waitFor("the tagged runs", `document.querySelectorAll('tbody [name=run]').length === 3`)
	says("3 selected")
	w.do(chromedp.Click(chromedp.CSS("#unselect")))
	says("")
	w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(u.address+"#/experiments/"+alpha+"/runs/"+oldest+"/artifacts"))
	w.waitFor("the run", `location.pathname === '/runs/`+oldest+`'`)
	w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(u.address+"#/experiments/999"))
	w.waitFor("what is wrong", `document.querySelector('[role=alert]')?.textContent.includes('no experiment with this number')`)
}
