package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestUILineageInBrowser goes from a run of a sweep to all of them, and shows how often a run was resumed.
func TestUILineageInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	sweep := filepath.Join(t.TempDir(), "two.yaml")
	expect.NoError(t, os.WriteFile(sweep, []byte("runs:\n  - config: bundled/sphere-2d\n    seeds: [1, 2]\n"+
		"    set: [train.epochs=2, eval.bootstrap=0]\n"), 0o644))
	p.ok("sweep", sweep)
	job := p.start(smallJob(t, 500), "--set", "name=stopped")
	job.until(t, 30)
	job.signal(t, os.Interrupt)
	job.end()
	u := p.ui()
	w := openWindow(t, u.address+"runs/stopped", 1200, 900)
	w.waitFor("the page of the stopped run", `document.querySelector('.state')?.textContent === 'interrupted' &&
		document.querySelector('.command').textContent.includes('train --resume')`)
	w.shot("interrupted")
	if state := read[string](w, `(() => { const ask = new XMLHttpRequest(); ask.open('GET', '/?q=stopped', false); ask.send();
		return new DOMParser().parseFromString(ask.responseText, 'text/html').querySelector('td .state').textContent })()`); state != "interrupted" {
		t.Errorf("in the table the run is %s", state)
	}
	w.do(chromedp.Navigate(u.address + "runs/stopped/ask"))
	w.waitFor("a form that asks the saved model", `document.querySelector('#q') && !document.querySelector('[role=alert]')`)
	w.shot("saved-model")
	p.ok("train", "--resume", "stopped")
	w.do(chromedp.Navigate(u.address + "runs/stopped"))
	w.waitFor("the page of the resumed run", `document.querySelector('.state')?.textContent === 'finished' &&
		document.querySelector('[aria-label=Lineage]').innerText.includes('resumed 1 time from its last saved state')`)
	w.do(chromedp.Navigate(u.address + "?q=tags.sweep+IS+NOT+NULL"))
	w.do(chromedp.Click(chromedp.CSS("tbody th a")))
	w.waitFor("the page of a run of the sweep", `document.querySelector('[aria-label=Lineage]')?.innerText.includes('from the sweep two.yaml')`)
	w.shot("lineage")
	w.do(chromedp.Click(chromedp.CSS(`[aria-label=Lineage] a[href^="/?q="]`)))
	w.waitFor("the runs of the sweep", `location.search.startsWith('?q=') && document.querySelectorAll('tbody tr').length === 2`)
}

// TestUIShowsPythonRuns logs runs by MLflow's own client, as other programs do, and looks at them in every page.
func TestUIShowsPythonRuns(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	p.ok("train", smallJob(t, 20), "--set", "name=ours")
	script := `
import mlflow, os
mlflow.set_tracking_uri(os.environ["PAGES"].rstrip("/"))
mlflow.set_experiment("python")
for i in range(4):
    with mlflow.start_run(run_name=f"net-{i}"):
        mlflow.log_params({"lr": 0.1 * (i + 1), "layers": str([8, 4])})
        mlflow.set_tag("remark", "two\nlines")
        for step in range(30):
            mlflow.log_metric("acc", 1 - 1 / (step + i + 1), step=step)
with mlflow.start_run(run_name="no-metrics"):
    mlflow.log_param("lr", 9)
`
	output(t, pythonCommand(t, append([]string{"PAGES=" + u.address, "GIT_PYTHON_REFRESH=quiet"}, p.env...), "-c", script))
	w := openWindow(t, u.address+"?experiment=python", 1200, 900)
	w.waitFor("the table", `document.querySelectorAll('tbody tr').length === 5`)
	head := read[string](w, `document.querySelector('thead').innerText`)
	if !strings.Contains(head, "acc") || !strings.Contains(head, "lr") || strings.Contains(head, "variant") {
		t.Errorf("the table of Python's runs has the columns %q", head)
	}
	w.checkPage("the table of Python's runs")
	w.shot("python")
	w.do(chromedp.Navigate(u.address + "runs/net-3"))
	w.waitFor("the curve", `document.querySelector('.curves img')?.naturalWidth > 0`)
	if alt := read[string](w, `document.querySelector('.curves img').alt`); !strings.Contains(alt, "acc: net-3") ||
		!strings.Contains(alt, "ends at 0.9697") {
		t.Errorf("the curve is called %q", alt)
	}
	if text := read[string](w, `document.querySelector('main').innerText`); !strings.Contains(text, "two\nlines") ||
		strings.Contains(text, "Ask its model") {
		t.Errorf("the page of a run of Python is\n%s", text)
	}
	w.checkTree("the page of a run of Python")
	w.shot("python-run")
	w.do(chromedp.Navigate(u.address + "runs/no-metrics"))
	w.waitFor("what to do without metrics", `document.querySelector('main').innerText.includes('mlflow.log_metric(')`)
	for page, says := range map[string]string{"groups?experiment=python": "net-3", "params?experiment=python": "4 of 5 runs have acc",
		"experiments": "python"} {
		w.do(chromedp.Navigate(u.address + page))
		w.checkPage(page)
		if text := read[string](w, `document.querySelector('main').innerText`); !strings.Contains(text, says) {
			t.Errorf("%s lacks %q:\n%s", page, says, text)
		}
	}
	w.do(chromedp.Navigate(u.address+"?experiment=python&q=net"), chromedp.Click(chromedp.CSS("thead .all input")),
		chromedp.Click(chromedp.CSS("#compare button")))
	w.waitFor("parallel coordinates", `(() => { const p = document.querySelector('img[src^="/parallel"]');
		p?.scrollIntoView({block: 'center'}); return p?.naturalWidth > 0 && p.src.includes('metric%2Facc') })()`)
	w.checkPage("the comparison of Python's runs")
	w.shot("python-compare")
}
