package e2e

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ui is a running `spherelab ui`.
type ui struct {
	address string
	stderr  *syncBuffer
	stop    func() (code int)
}

// ui serves the pages on any free port.
func (p *program) ui() *ui {
	p.t.Helper()
	cmd := p.command("ui", "--listen", "127.0.0.1:0", "--no-browser")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	u := &ui{stderr: &syncBuffer{}}
	cmd.Stderr = u.stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
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

// checkPage looks for what no page may have.
func (w *window) checkPage(what string) {
	w.t.Helper()
	w.waitFor(what, `document.readyState === 'complete'`)
	for name, expression := range map[string]string{
		"requests of another host": `performance.getEntriesByType('resource').map(e => e.name).
			filter(n => !n.startsWith(location.origin)).join(' ')`,
		"controls without a name": `[...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')].
			filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map(e => e.outerHTML).join(' ')`,
		"landmarks missing": `['header', 'nav', 'main', 'h1'].filter(n => !document.querySelector(n)).join(' ')`,
		"broken pictures":   `[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src).join(' ')`,
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

	// By keyboard: a slash goes to the search, Enter searches.
	w.do(chromedp.KeyEvent("/"))
	w.waitFor("the cursor in the search", `document.activeElement.id === 'q'`)
	read[string](w, `document.querySelector('#q').value = ''`) // the browser's keyboard types a slash that pages have taken
	w.do(chromedp.KeyEvent("params.seed = '5'"), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the search", `location.search.includes('params.seed+%3D+%275%27') && document.querySelectorAll('table.runs tbody tr').length === 1`)
	if name := read[string](w, `document.querySelector('table.runs tbody th').innerText`); name != "second" {
		t.Errorf("the search finds %q", name)
	}
	w.do(chromedp.Navigate(u.address + "?q=seed%3D5"))
	w.checkPage("a search that cannot be read")
	if text := read[string](w, `document.querySelector('[role=alert]').innerText`); !strings.Contains(text, "run_id") {
		t.Errorf("a wrong filter gives %q", text)
	}
	w.shot("wrong-filter")
	w.do(chromedp.Navigate(u.address))
	w.waitFor("the table", `document.querySelectorAll('table.runs tbody tr').length === 2`)
	w.do(chromedp.SetValue(chromedp.CSS("#sort"), "param/gamma"))
	w.waitFor("the order", `location.search.includes('sort=param%2Fgamma') &&
		document.querySelector('th[aria-sort]')?.innerText === 'gamma'`)
	// The first Tab of a page offers to skip what is the same on all.
	w.do(chromedp.Navigate(u.address), chromedp.KeyEvent(kb.Tab))
	if first := read[string](w, `document.activeElement.innerText`); first != "Skip to the content" {
		t.Errorf("the first Tab goes to %q", first)
	}

	w.dark(true)
	color := read[string](w, `getComputedStyle(document.body).backgroundColor`)
	if color != "rgb(20, 24, 28)" {
		t.Errorf("a dark page is %s", color)
	}
	w.shot("dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("a narrow window")
	w.shot("narrow")
	w.do(chromedp.EmulateViewport(1200, 800))
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

// TestUIFollowsARunInBrowser watches a run that trains, then the same run after its end, and compares two runs.
func TestUIFollowsARunInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	job := p.start(smallJob(t, 1_000_000), "--set", "name=long")
	job.until(t, 3)
	ended := make(chan struct{})
	go func() { // a program blocks while its output is not read
		defer close(ended)
		for job.events.Scan() {
		}
	}()
	w := openWindow(t, u.address+"runs/"+job.runID, 1200, 1000)
	w.checkPage("the page of a running run")
	w.waitFor("a step", `document.querySelector('[data-events]')?.textContent.includes('running, step')`)
	w.waitFor("a curve that is drawn again", `document.querySelector('.curves img')?.src.includes('now=') &&
		document.querySelector('.curves img').naturalWidth > 0`)
	w.shot("live")
	job.signal(t, os.Interrupt)
	<-ended
	job.end()
	w.waitFor("the page of the ended run", `document.querySelector('.state')?.textContent === 'killed'`)

	p.ok("train", smallJob(t, 50), "--set", "name=first")
	p.ok("train", smallJob(t, 50), "--set", "name=second", "--set", "gamma=3")
	w.do(chromedp.Navigate(u.address + "runs/first"))
	w.checkPage("the page of a run")
	// Pictures below the window are loaded when they come into view.
	w.waitFor("every picture", `(() => { const missing = [...document.images].find(i => !i.complete || !i.naturalWidth);
		missing?.scrollIntoView(); return !missing && document.images.length > 3 })()`)
	read[string](w, `(scrollTo(0, 0), '')`)
	text := read[string](w, `document.querySelector('main').innerText`)
	for _, want := range []string{"finished", "train ", "config.yaml", "Results on the test triples, by cut",
		"Filtered ranks", "Radius against occurrence", "Results per relation at cut", "plus3", "model.safetensors"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of a run lacks %q", want)
		}
	}
	read[string](w, `(document.querySelector('section').scrollIntoView(), '')`)
	w.shot("run")
	w.dark(true)
	w.shot("run-dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("the page of a run in a narrow window")
	w.shot("run-narrow")
	w.do(chromedp.EmulateViewport(1200, 1000), chromedp.Navigate(u.address+"?q=status+%3D+%27FINISHED%27"))

	// By keyboard: two boxes, then the button below the table.
	w.waitFor("the table", `document.querySelectorAll('tbody input').length === 2`)
	for i := range 2 {
		w.do(chromedp.Focus(chromedp.CSS("tbody tr:nth-child("+string(rune('1'+i))+") input")), chromedp.KeyEvent(" "))
	}
	w.do(chromedp.Focus(chromedp.CSS("#compare button")), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the comparison", `location.pathname === '/compare' && document.querySelector('.curves img')?.naturalWidth > 0`)
	w.checkPage("the comparison")
	if rows := read[string](w, `document.querySelector('table').innerText`); !strings.Contains(rows, "gamma") ||
		strings.Contains(rows, "train.epochs") {
		t.Errorf("the params that differ: %s", rows)
	}
	w.shot("compare")
	w.do(chromedp.Click(chromedp.CSS(`header a[href="/groups"]`)))
	w.waitFor("the configurations", `location.pathname === '/groups' && document.querySelectorAll('tbody tr').length === 3`)
	w.checkPage("the configurations")
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
	w.do(chromedp.Click(chromedp.CSS(`a[href$="/ask"]`)))
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
	for _, want := range []string{"known", "held out", "inferred", "Near misses", "cut fitted-novel"} {
		if !strings.Contains(text, want) {
			t.Errorf("the answers lack %q:\n%s", want, text)
		}
	}
	first := read[string](w, `document.querySelector('tbody td').innerText`)
	if !strings.Contains(stdout[:strings.Index(stdout, `"near"`)], `"`+first+`"`) {
		t.Errorf("the first answer is %q, and not in what query prints:\n%s", first, stdout)
	}
	w.shot("ask")
	w.do(chromedp.SetValue(chromedp.CSS("#q"), "Max Born > advised > advised"), chromedp.Focus(chromedp.CSS("#q")),
		chromedp.KeyEvent(kb.Enter))
	w.waitFor("two hops", `document.querySelector('h2')?.textContent === 'Max Born > advised > advised'`)
	w.do(chromedp.Navigate(u.address + "runs/people/ask?head=Max+Bron&relation=advised"))
	if text := read[string](w, `document.querySelector('[role=alert]').innerText`); !strings.Contains(text, "Max Born") {
		t.Errorf("a mistyped name gives %q", text)
	}
	w.checkPage("a question with a mistake")
}
