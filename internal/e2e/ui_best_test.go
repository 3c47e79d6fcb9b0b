package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestUIBestValuesInBrowser: a reader sorts by the best value of a metric, where the newest one says another order, and
// sees both in a comparison.
func TestUIBestValuesInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	w.waitFor("the first page", `document.querySelector('main')`)
	read[bool](w, `(async () => {
		const post = async (path, body) => (await fetch('/api/2.0/mlflow/' + path, {method: 'POST',
			headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
		const values = {early: [.2, .9, .4], late: [.5, .1, .6]};
		for (const name in values) {
			const run = (await post('runs/create', {experiment_id: '0', start_time: 1000, run_name: name})).run.info.run_id;
			for (const [i, value] of values[name].entries())
				await post('runs/log-metric', {run_id: run, key: 'valid/acc', value, timestamp: 1000 + i, step: i + 1});
		}
		window.made = true;
	})(), true`)
	w.waitFor("the runs", `window.made`)
	names := func(what, column, want string) {
		t.Helper()
		w.do(chromedp.Navigate(u.address + "?sort=" + column))
		// By one script: the page is redrawn now and then, and a node that was found before is gone. The page before is
		// sorted, too, so the wait is for the next one.
		read[bool](w, `(() => { window.before = true; const sort = document.querySelector('#sort'); sort.value = '`+column+`';
			sort.form.requestSubmit(); return true })()`)
		w.waitFor(what, `!window.before && document.querySelector('[aria-sort=descending] a')?.title === 'sort by `+column+`' &&
			document.querySelectorAll('tbody th').length === 2`)
		if got := read[string](w, `[...document.querySelectorAll('tbody th')].map((e) => e.textContent.trim()).join(' ')`); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	names("the newest values", "metric/valid/acc", "late early")
	names("the best values", "metric/valid/acc@best", "early late")
	w.checkPage("the table by best values")
	w.shot("table")
	w.do(chromedp.Click(chromedp.CSS(`#compare a`)))
	w.waitFor("the comparison", `document.querySelector('#metrics a')`)
	w.do(chromedp.Click(chromedp.CSS(`#metrics a`)))
	w.waitFor("best values", `document.querySelector('#metrics h2')?.textContent.includes('best')`)
	if text := read[string](w, `document.querySelector('#metrics tbody').innerText`); !strings.Contains(text, "valid/acc@best") ||
		!strings.Contains(text, "0.9") {
		t.Errorf("the comparison has %s", text)
	}
	w.checkPage("a comparison of best values")
	w.shot("comparison")
}
