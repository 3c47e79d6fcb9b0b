package e2e

import (
	"bufio"
	"context"
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// ui is a running `spherelab ui`.
type ui struct {
	address string
	stderr  *trackertest.Output
	stop    func() (code int)
}

// ui serves the pages on any free port.
func (p *program) ui() *ui {
	p.t.Helper()
	return p.uiAt("127.0.0.1:0")
}

// uiAt serves the pages on an address.
func (p *program) uiAt(listen string) *ui {
	p.t.Helper()
	cmd := p.command("ui", "--listen", listen, "--no-browser")
	pipe, err := cmd.StdoutPipe()
	expect.NoError(p.t, err)
	u := &ui{stderr: &trackertest.Output{}}
	cmd.Stderr = u.stderr
	expect.NoError(p.t, cmd.Start())
	u.stop = func() int {
		_ = cmd.Process.Signal(os.Interrupt)
		timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // the code says it all
		timer.Stop()
		return cmd.ProcessState.ExitCode()
	}
	p.t.Cleanup(func() { u.stop() })
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		p.t.Fatalf("ui prints no address: %v\n%s", err, u.stderr)
	}
	u.address = strings.TrimSpace(line)
	return u
}

// textContrast are the texts whose colour stands out by less than 4.5 to 1, as WCAG 2.1 asks for.
const textContrast = `(() => {
	const parts = (color) => color.match(/[\d.]+/g).map(Number);
	const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).
		reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05);
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const c = parts(getComputedStyle(e).backgroundColor);
			if ((c[3] ?? 1) > 0) return c;
		}
		return [255, 255, 255];
	};
	return [...document.querySelectorAll('body *')].flatMap(e => {
		const hint = e.placeholder && !e.value;
		if (!hint && ![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim())) return [];
		const a = light(parts(getComputedStyle(e, hint ? '::placeholder' : null).color)), b = light(ground(e));
		const ratio = Math.max(a, b) / Math.min(a, b);
		return ratio < 4.5 ? [e.outerHTML.slice(0, 60) + ' ' + ratio.toFixed(2)] : [];
	}).join(' ');
})()`

// checkPage looks for what no page may have.
func (w *window) checkPage(what string) {
	w.t.Helper()
	w.waitFor(what, `document.readyState === 'complete'`)
	for name, expression := range map[string]string{
		"requests of another host": `performance.getEntriesByType('resource').map(e => e.name).
			filter(n => !n.startsWith(location.origin)).join(' ')`,
		"controls without a name": `[...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')].
			filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map(e => e.outerHTML).join(' ')`,
		"landmarks missing":      `['header', 'nav', 'main', 'h1'].filter(n => !document.querySelector(n)).join(' ')`,
		"broken pictures":        `[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src).join(' ')`,
		"texts without contrast": textContrast,
		"page wider than the window": `document.documentElement.scrollWidth > innerWidth ?
			[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 &&
			!e.closest('.scroll, .skip, .hidden')).map(e => e.outerHTML.slice(0, 80)).join(' ') || 'yes' : ''`,
	} {
		if found := read[string](w, expression); found != "" {
			w.t.Errorf("%s: %s: %s", what, name, found)
		}
	}
}

// dark sets the colours that pages are asked for.
func (w *window) dark(on bool) {
	w.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
		return v, err
	})
}

// scripts turns the scripts of pages on or off.
func (w *window) scripts(on bool) {
	w.t.Helper()
	w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !on})
		return v, err
	})
}

func TestUIInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	w := openWindow(t, u.address, 1200, 800)
	w.checkPage("the page without runs")
	if text := read[string](w, `document.querySelector('main').innerText`); !strings.Contains(text, "spherelab train") {
		t.Errorf("the page without runs says %q", text)
	}
	p.ok("train", smallJob(t, 50), "--set", "name=first")
	p.ok("train", smallJob(t, 50), "--set", "name=second", "--set", "seed=5")
	w.do(chromedp.Navigate(u.address))
	w.checkPage("the table of runs")
	if n := read[int](w, `document.querySelectorAll('table.runs tbody tr').length`); n != 2 {
		t.Fatalf("the table has %d rows", n)
	}
	w.shot("runs")

	useKeyboard(t, u, w)

	w.dark(true)
	color := read[string](w, `getComputedStyle(document.body).backgroundColor`)
	if color != "rgb(20, 24, 28)" {
		t.Errorf("a dark page is %s", color)
	}
	w.checkPage("a dark page")
	w.shot("dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("a narrow window")
	w.shot("narrow")
	w.do(chromedp.EmulateViewport(1200, 800))

	scrollLongTable(t, p, u, w)
	w.scripts(false)
	w.do(chromedp.Navigate(u.address), chromedp.SendKeys(chromedp.CSS("#q"), "params.seed = '5'"),
		chromedp.Click(chromedp.CSS("form[role=search] button")),
		chromedp.WaitNotPresent(chromedp.CSS("tbody tr:nth-child(2)")),
		chromedp.WaitVisible(chromedp.CSS("tbody tr")))
	w.shot("noscript")

	if reply, err := http.Get(u.address + "runs.csv"); err != nil || reply.StatusCode != http.StatusOK {
		t.Error("no CSV: ", err)
	}
	if code := u.stop(); code != exitOK {
		t.Errorf("after an interrupt ui exits with %d\n%s", code, u.stderr)
	}
	p.fails(exitUsage, []string{"0.0.0.0:0", "needs a token"}, "ui", "--listen", "0.0.0.0:0")
}

// useKeyboard searches and sorts the table of runs by keys alone.
func useKeyboard(t *testing.T, u *ui, w *window) {
	t.Helper()
	// By keyboard: a slash goes to the search, Enter searches.
	w.do(chromedp.KeyEvent("/"))
	w.waitFor("the cursor in the search", `document.activeElement.id === 'q'`)
	read[string](w, `document.querySelector('#q').value = ''`) // the browser's keyboard types a slash that pages have taken
	w.do(chromedp.KeyEvent("params.seed = '5'"), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the search", `location.search.includes('params.seed+%3D+%275%27') && document.querySelectorAll('table.runs tbody tr').length === 1`)
	if name := read[string](w, `document.querySelector('table.runs tbody th').innerText`); name != "second" {
		t.Errorf("the search finds %q", name)
	}
	read[string](w, `document.querySelector('#q').value = ''`)
	w.do(chromedp.Focus(chromedp.CSS("#q")), chromedp.KeyEvent("params.seed = '5' AND metrics.test/head_f"))
	w.waitFor("a completed name", `[...document.querySelector('#keys').options].some(o => o.value === "params.seed = '5' AND metrics.test/head_f1")`)
	w.do(chromedp.Navigate(u.address + "?q=seed%3D5"))
	w.checkPage("a search that cannot be read")
	if text := read[string](w, `document.querySelector('[role=alert]').innerText`); !strings.Contains(text, "run_id") {
		t.Errorf("a wrong filter gives %q", text)
	}
	w.shot("wrong-filter")
	w.do(chromedp.Navigate(u.address))
	w.waitFor("the table", `document.querySelectorAll('table.runs tbody tr').length === 2`)
	w.do(chromedp.Focus(chromedp.CSS("#sort")), chromedp.KeyEvent(kb.ArrowDown))
	if here := read[string](w, `location.search + document.activeElement.id`); here != "sort" {
		t.Errorf("an arrow in a choice leads to %q", here)
	}
	w.do(chromedp.SetValue(chromedp.CSS("#sort"), "param/gamma"), chromedp.KeyEvent(kb.Tab))
	w.waitFor("the order", `location.search.includes('sort=param%2Fgamma') &&
		document.querySelector('th[aria-sort]')?.innerText === 'gamma'`)
	// The first Tab of a page offers to skip what is the same on all.
	w.do(chromedp.Navigate(u.address), chromedp.KeyEvent(kb.Tab))
	if first := read[string](w, `document.activeElement.innerText`); first != "Skip to the content" {
		t.Errorf("the first Tab goes to %q", first)
	}
}

// scrollLongTable: of a table of 1000 runs the page has the rows in sight only, and those out of sight are still
// selected.
func scrollLongTable(t *testing.T, p *program, u *ui, w *window) {
	t.Helper()
	// Of a long table the page has the rows in sight only, and those out of sight are still selected.
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	db, err := sql.Open("postgres", database)
	expect.NoError(t, err)
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage,
		artifact_uri, experiment_id, source_type) SELECT lpad(to_hex(i), 32, '0'), 'many-' || i, 'FINISHED', 'me', i, i + 1000,
		'active', 'file:///none', 0, 'LOCAL' FROM generate_series(1, 998) i`); err != nil {
		t.Fatal(err)
	}
	const inPage = `[...document.querySelectorAll('tbody tr:not(.space)')]`
	w.do(chromedp.Navigate(u.address + "?rows=1000"))
	w.waitFor("a part of the rows", inPage+`.length > 20 && `+inPage+`.length < 200`)
	w.checkPage("a long table")
	height := read[float64](w, `(() => { const [a, b] = `+inPage+`.map(r => r.getBoundingClientRect().top);
		return document.querySelector('.tall').scrollHeight / (b - a) })()`)
	if height < 950 || height > 1050 { // heights of rows are rounded
		t.Errorf("the table has the height of %v rows", height)
	}
	w.do(chromedp.Click(chromedp.CSS("thead .all input")))
	if n := read[int](w, `new FormData(document.querySelector('#compare')).getAll('run').length`); n != 1000 {
		t.Errorf("%d rows are selected", n)
	}
	// The rows are in their order and where they would be without the others, wherever the table is scrolled to. The
	// row with the focus stays meanwhile.
	w.do(chromedp.Focus(chromedp.CSS(`tr[aria-rowindex="3"] input`)))
	for _, at := range []string{"1e6", "20", "400 * 27", "0", "0.5e6", "30"} {
		read[string](w, `(document.querySelector('.tall').scrollTop = `+at+`, '')`)
		w.waitFor("the rows at "+at, `(() => { const box = document.querySelector('.tall'),
			all = `+inPage+`.map(r => Number(r.ariaRowIndex)),
			row = document.elementFromPoint(100, box.getBoundingClientRect().top + 100)?.closest('tbody tr:not(.space)');
			const place = (box.scrollTop + 100 - box.querySelector('thead').offsetHeight) / row?.offsetHeight + 1;
			return all.every((n, i) => i === 0 || n > all[i - 1]) && Math.abs(row?.ariaRowIndex - 1 - place) < 1.5 &&
				document.activeElement.closest('tr')?.ariaRowIndex === '3' })()`)
	}
	w.do(chromedp.KeyEvent(kb.Tab))
	w.waitFor("the next control of the row", `document.activeElement.closest('tr')?.ariaRowIndex === '3'`)
	w.shot("long")
}

// TestUIAnswersInBrowser asks a trained model: names are completed, answers are marked, mistakes are explained.
func TestUIAnswersInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", "bundled", "sphere-2d", "--set", "train.epochs=20", "--set", "name=people")
	u := p.ui()
	w := openWindow(t, u.address+"runs/people", 1200, 1000)
	if text := read[string](w, `document.querySelector('main').innerText`); !strings.Contains(text,
		"Thresholds of fitted cuts") {
		t.Error("the run's page has no thresholds")
	}
	w.waitFor("the thresholds", `(() => { const h = [...document.querySelectorAll('h2')].find(h => h.innerText.startsWith('Thresholds'));
		h.parentElement.querySelector('summary')?.click(); h.scrollIntoView(); return true })()`)
	w.shot("thresholds")
	w.dark(true)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("the thresholds in a narrow window")
	w.shot("thresholds-narrow-dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(1200, 1000))
	w.do(chromedp.Click(chromedp.CSS(`main a[href$="/ask"]`)))
	w.waitFor("the form", `location.pathname.endsWith('/ask') && document.querySelector('#head')`)
	w.checkPage("the page to ask")
	w.do(chromedp.SendKeys(chromedp.CSS("#head"), "Max B"))
	w.waitFor("a completed name", `[...document.querySelector('#heads').options].some(o => o.value === 'Max Born')`)
	w.do(chromedp.SendKeys(chromedp.CSS("#head"), "orn"), chromedp.SendKeys(chromedp.CSS("#relation"), "advised"),
		chromedp.KeyEvent(kb.Enter))
	w.waitFor("the answers", `document.querySelector('h2')?.textContent === 'Max Born advised ?'`)
	w.checkPage("the answers")
	text := read[string](w, `document.querySelector('main').innerText`)
	stdout := p.ok("query", "people", "Max Born", "advised", "?", "--format", "json")
	for _, want := range []string{"known", "held out", "inferred", "Near misses",
		"cut fitted-novel: the run has thresholds fitted on"} {
		if !strings.Contains(text, want) {
			t.Errorf("the answers lack %q:\n%s", want, text)
		}
	}
	first := read[string](w, `document.querySelector('tbody td').innerText`)
	if !strings.Contains(stdout[:strings.Index(stdout, `"near"`)], `"`+first+`"`) {
		t.Errorf("the first answer is %q, and not in what query prints:\n%s", first, stdout)
	}
	w.shot("ask")
	// The slider chooses the cut that promises a precision, and asks again.
	w.do(chromedp.Focus(chromedp.CSS("#precision")), chromedp.KeyEvent(kb.ArrowLeft))
	w.waitFor("the answers at a precision", `location.search.includes('cut=precision') && location.search.includes('precision=0.79') &&
		document.querySelector('section p')?.textContent.includes('cut precision-0.79')`)
	w.checkPage("the answers at a precision")
	if head := read[string](w, `[...document.querySelectorAll('thead')].map(h => h.innerText).join()`); !strings.Contains(head,
		"probability") {
		t.Errorf("the answers have the columns %q", head)
	}
	w.shot("precision")
	w.do(chromedp.SetValue(chromedp.CSS("#q"), "Max Born > advised > advised"), chromedp.Focus(chromedp.CSS("#q")),
		chromedp.KeyEvent(kb.Enter))
	w.waitFor("two hops", `document.querySelector('h2')?.textContent === 'Max Born > advised > advised'`)
	// The field of expressions completes the part that is typed. Names that look like operators get quotes.
	if got := read[string](w, `['Max Born', 'r > s', 'and so', 'band', 'a "b" \\'].map(quoted).join('|')`); got !=
		`Max Born|"r > s"|"and so"|band|"a \"b\" \\"` {
		t.Errorf("quoted names: %s", got)
	}
	part := func(text string) string {
		return read[string](w, `(() => { const q = document.querySelector('#q'), was = q.value; q.value = `+strconv.Quote(text)+`;
			const part = typedPart(q); q.value = was; return part[0] + '|' + part[1] + '|' + part[2].endsWith('relation') })()`)
	}
	for text, want := range map[string]string{"a > r": "a > |r|true", "ab": "|ab|false", "a and b": "a and |b|false",
		`a > "r > s`: "a > |r > s|true", `a > "r > s" minus b`: `a > "r > s" minus |b|false`} {
		if got := part(text); got != want {
			t.Errorf("of %s is completed %s, want %s", text, got, want)
		}
	}
	clear := func() { read[string](w, `document.querySelector('#q').value = ''`) }
	clear()
	w.do(chromedp.SendKeys(chromedp.CSS("#q"), "Max Born > advised minus Max Born > adv"))
	w.waitFor("a completed relation", `[...document.querySelector('#parts').options].some(o =>
		o.value === 'Max Born > advised minus Max Born > advised')`)
	clear()
	w.do(chromedp.SendKeys(chromedp.CSS("#q"), "Max Born > advised and Max B"))
	w.waitFor("a completed entity", `[...document.querySelector('#parts').options].some(o => o.value === 'Max Born > advised and Max Born')`)
	w.do(chromedp.Navigate(u.address + "runs/people/ask?head=Max+Bron&relation=advised"))
	if text := read[string](w, `document.querySelector('[role=alert]').innerText`); !strings.Contains(text, "Max Born") {
		t.Errorf("a mistyped name gives %q", text)
	}
	w.checkPage("a question with a mistake")
	// Whoever writes the tags of a run cannot make its model answer with another graph.
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	db, err := sql.Open("postgres", database)
	expect.NoError(t, err)
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO public.tags (run_uuid, key, value) SELECT run_uuid, 'data_source', $1 FROM public.runs
		ON CONFLICT (run_uuid, key) DO UPDATE SET value = $1`, filepath.Dir(smallJob(t, 1))); err != nil {
		t.Fatal(err)
	}
	if text := p.ok("query", "people", "Max Born", "advised", "?"); !strings.Contains(text, "Max Born") {
		t.Errorf("with another graph in a tag the model answers %s", text)
	}
}
