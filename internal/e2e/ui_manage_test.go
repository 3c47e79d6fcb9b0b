package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestUIManagesRunsInBrowser deletes runs of the table and undoes it, without JavaScript; archives and restores with
// it, where the selection ends with what was done; and renames and moves a run in its page. Commands do the same.
func TestUIManagesRunsInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	w := openWindow(t, u.address, 1440, 900)
	w.waitFor("the first page", `document.querySelector('main')`)
	read[bool](w, `(async () => {
		const post = async (path, body) => (await fetch('/api/2.0/mlflow/' + path, {method: 'POST',
			headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
		const of = (await post('experiments/create', {name: 'trials'})).experiment_id;
		window.made = 0;
		for (const name of ['alpha', 'beta', 'gamma']) {
			const run = await post('runs/create', {experiment_id: of, start_time: 1000 + window.made, run_name: name});
			await post('runs/update', {run_id: run.run.info.run_id, status: 'FINISHED', end_time: 2000});
			window.made++;
		}
	})(), true`)
	w.waitFor("the runs", `window.made === 3`)
	names := func(want string) {
		t.Helper()
		w.waitFor("the runs "+want, `document.readyState === 'complete' && document.querySelector('h1') &&
			[...document.querySelectorAll('tbody th')].map((e) => e.textContent.trim()).sort().join(' ') === '`+want+`'`)
	}
	choose := func(list ...string) {
		t.Helper()
		for _, name := range list {
			w.do(chromedp.Click(chromedp.CSS(`[aria-label^="Select ` + name + ` "]`)))
		}
	}
	press := func(do string) {
		t.Helper()
		w.do(chromedp.Click(chromedp.CSS(`#compare [name=do][value=` + do + `]`)))
	}

	w.scripts(false)
	w.do(chromedp.Navigate(u.address))
	choose("alpha", "beta")
	w.do(chromedp.Click(chromedp.CSS(".more summary")))
	w.shot("manage")
	press("delete")
	w.waitFor("what was done", `document.querySelector('.did')?.textContent.includes('2 runs were deleted.')`)
	names("gamma")
	w.do(chromedp.Click(chromedp.CSS(".did button")))
	names("alpha beta gamma")

	w.scripts(true)
	w.do(chromedp.Navigate(u.address))
	w.waitFor("the script", `document.querySelector('#compare output')`)
	w.do(chromedp.Click(chromedp.CSS(".more summary")))
	press("archive")
	w.waitFor("what lacks", `document.querySelector('#compare output').value === 'select runs in the first column of the table'`)
	choose("alpha")
	press("archive")
	names("beta gamma")
	if says := read[string](w, `document.querySelector('.did').textContent.trim() + document.querySelector('#compare output').value`); says != "1 run was archived." {
		t.Errorf("the page says %q", says)
	}
	w.checkPage("the table after runs were archived")
	w.do(chromedp.Click(chromedp.CSS("[name=archived]")))
	names("alpha beta gamma")
	choose("gamma", "beta")
	w.do(chromedp.Click(chromedp.CSS(".more summary")))
	press("delete")
	names("alpha")
	w.dark(true)
	w.checkPage("the table after a deletion, dark")
	w.shot("deleted-dark")
	w.dark(false)
	w.do(chromedp.Navigate(u.address + "?deleted=1"))
	names("beta gamma")
	w.checkPage("the deleted runs")
	choose("beta")
	press("restore")
	names("gamma")
	w.do(chromedp.Navigate(u.address+"runs/beta"), chromedp.Click(chromedp.CSS("#manage summary")),
		chromedp.SetValue(chromedp.CSS("#manage [name=name]"), "second"), chromedp.Focus(chromedp.CSS("#manage [name=name]")),
		chromedp.KeyEvent(kb.Enter))
	w.waitFor("the new name", `document.readyState === 'complete' && document.querySelector('h1')?.textContent.trim() === 'second'`)
	w.do(chromedp.Click(chromedp.CSS("#manage summary")), chromedp.SetValue(chromedp.CSS("#manage [name=to]"), "elsewhere"))
	w.checkPage("a run that is managed")
	w.shot("manage-run")
	w.do(chromedp.Focus(chromedp.CSS("#manage [name=to]")), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the new experiment", `document.readyState === 'complete' && document.querySelector('main a')?.textContent === 'elsewhere'`)

	p.ok("runs", "unarchive", "alpha")
	p.ok("runs", "rename", "alpha", "first")
	p.ok("runs", "move", "second", "first", "--to", "by command")
	p.ok("runs", "archive", "second")
	p.fails(exitFailed, []string{"there is no run"}, "runs", "archive", "first", "nothing")
	w.do(chromedp.Navigate(u.address + "?experiment=by+command"))
	names("first")
}
