package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestUIComparesManyParamsInBrowser compares runs with more params than a table of runs keeps in the page, one of them
// of many lines. A comparison has all rows: their heights differ, so none can stand for the others. A long name next to
// them leaves the other columns of a table in sight and the page as narrow as its window.
func TestUIComparesManyParamsInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	long := strings.Repeat("n", 200)
	for seed := range 2 {
		p.ok("train", smallJob(t, 2), "--set", fmt.Sprint("seed=", seed), "--set", "tracker.experiment="+long)
	}
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	w.waitFor("the table", `document.querySelectorAll('tbody input').length === 2`)
	ids := read[[]string](w, `[...document.querySelectorAll('tbody input')].map(i => i.value)`)
	for _, id := range ids {
		for batch := range 4 {
			read[bool](w, fmt.Sprintf(`!fetch('/api/2.0/mlflow/runs/log-batch', {method: 'POST',
				headers: {'Content-Type': 'application/json'}, body: JSON.stringify({run_id: '%[1]s', params: Array.from({length: 90},
				(_, i) => ({key: 'key%[2]d.' + i, value: (i %% 9 ? '' : 'a '.repeat(900)) + '%[1]s'}))})}).
				then((r) => { window.logged = (window.logged ?? 0) + r.ok })`, id, batch))
		}
	}
	w.waitFor("the params", `window.logged === 8`)
	w.do(chromedp.Navigate(u.address + "compare?" + url.Values{"run": ids}.Encode()))
	w.checkPage("many params")
	if rows := read[int](w, `document.querySelector('tbody').rows.length`); rows < 360 {
		t.Errorf("%d rows of params are in the page", rows)
	}
	w.do(chromedp.EmulateViewport(390, 800), chromedp.Navigate(u.address+"runs/"+ids[0]))
	w.checkPage("a run of an experiment with a long name")
	w.do(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(u.address+"experiments"))
	w.checkPage("an experiment with a long name")
	if right := read[float64](w, `document.querySelector('thead th:last-child').getBoundingClientRect().right`); right > 1200 {
		t.Errorf("the last column of the experiments ends at %.0f px", right)
	}
}
