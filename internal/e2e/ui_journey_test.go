package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
)

// tabTo presses Tab until the focus is where a JavaScript condition on e, the element with the focus, holds.
func (w *window) tabTo(what, condition string) {
	w.t.Helper()
	for range 150 {
		w.do(chromedp.KeyEvent(kb.Tab))
		if read[bool](w, `(e => !!(`+condition+`))(document.activeElement)`) {
			if !read[bool](w, `document.activeElement.matches(':focus-visible')`) {
				w.t.Errorf("the focus on %s cannot be seen", what)
			}
			return
		}
	}
	w.shot("failure")
	w.t.Fatalf("Tab does not reach %s", what)
}

// TestUIKeyboardJourney goes through the pages by keyboard alone: a search, a run, its model, a comparison.
func TestUIKeyboardJourney(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	for seed := range 2 {
		p.ok("train", "bundled", "sphere-2d", "--set", "train.epochs=20", "--set", fmt.Sprint("seed=", seed),
			"--set", fmt.Sprint("name=people-", seed))
	}
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	loaded := func(what, condition string) {
		w.t.Helper()
		w.waitFor(what, `document.readyState === 'complete' && (`+condition+`)`)
	}
	loaded("the table", `document.querySelectorAll('tbody tr').length === 2`)
	w.tabTo("the search", `e.id === 'q'`)
	w.do(chromedp.KeyEvent("people-1"), chromedp.KeyEvent(kb.Enter))
	loaded("the found run", `location.search.includes('people-1') && document.querySelectorAll('tbody tr').length === 1`)
	w.tabTo("the run", `e.matches('tbody th a')`)
	w.do(chromedp.KeyEvent(kb.Enter))
	loaded("the page of the run", `document.querySelector('h1')?.textContent.trim() === 'people-1'`)
	w.tabTo("the way to its model", `e.textContent === 'Ask its model'`)
	w.do(chromedp.KeyEvent(kb.Enter))
	loaded("the page to ask", `document.querySelector('#relation')`)
	// (?, relation, tail): the first field stays empty.
	w.tabTo("the relation", `e.id === 'relation'`)
	w.do(chromedp.KeyEvent("advised"))
	w.tabTo("the tail", `e.id === 'tail'`)
	w.do(chromedp.KeyEvent("Walter M. Elsasser"), chromedp.KeyEvent(kb.Enter))
	loaded("who advised somebody", `document.querySelector('h2')?.textContent === '? advised Walter M. Elsasser'`)
	heads := read[[]string](w, `[...document.querySelectorAll('section tbody tr td:first-child')].map(c => c.textContent)`)
	stdout := p.ok("query", "people-1", "?", "advised", "Walter M. Elsasser", "--format", "json")
	if len(heads) == 0 || !strings.Contains(stdout, `"`+heads[0]+`"`) {
		t.Errorf("the page answers %q, query prints\n%s", heads, stdout)
	}
	w.checkTree("who advised somebody")
	w.shot("heads")
	w.tabTo("the slider", `e.id === 'precision'`)
	w.do(chromedp.KeyEvent(kb.ArrowLeft))
	loaded("the answers at a precision", `location.search.includes('precision=0.79')`)
	w.tabTo("all runs", `e.textContent === 'Runs'`)
	w.do(chromedp.KeyEvent(kb.Enter))
	loaded("the table again", `location.pathname === '/' && document.querySelectorAll('tbody tr').length === 2`)
	w.tabTo("the box of all runs", `e.matches('thead input')`)
	w.do(chromedp.KeyEvent(" "))
	w.waitFor("how many are selected", `document.querySelector('#compare output').textContent === '2 selected'`)
	w.tabTo("the button that compares", `e.textContent === 'Compare the selected runs'`)
	w.do(chromedp.KeyEvent(kb.Enter))
	loaded("the comparison", `location.pathname === '/compare' && document.querySelector('#paired button')`)
	w.tabTo("the button of paired differences", `e.matches('#paired button')`)
	w.do(chromedp.KeyEvent(kb.Enter))
	loaded("paired differences", `document.querySelector('#paired td')?.textContent === 'head f1'`)
}

// TestUIDownloadsByClick clicks on the links below a table and below a picture, and reads the files that the browser
// stores.
func TestUIDownloadsByClick(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", smallJob(t, 50), "--set", "name=kept")
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	dir := t.TempDir()
	w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow",
			DownloadPath: dir, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID})
		return v, err
	})
	served := func(address string) []byte {
		reply, err := http.Get(address)
		expect.NoError(t, err)
		defer reply.Body.Close()
		raw, err := io.ReadAll(reply.Body)
		expect.NoError(t, err)
		return raw
	}
	click := func(link, name, begins string) {
		t.Helper()
		w.waitFor(link, `(() => { const a = document.querySelector('`+link+`'); a?.scrollIntoView({block: 'center'}); return a })()`)
		address := read[string](w, `document.querySelector('`+link+`').href`)
		w.do(chromedp.Click(chromedp.CSS(link)))
		var raw []byte
		for end := time.Now().Add(browserPatience); ; time.Sleep(50 * time.Millisecond) {
			var err error
			raw, err = os.ReadFile(filepath.Join(dir, name))
			if err == nil && len(raw) > 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("a click on %s stores no %s: %v", link, name, err)
			}
		}
		if !bytes.HasPrefix(raw, []byte(begins)) || !strings.Contains(name, "pdf") && !bytes.Equal(raw, served(address)) {
			t.Errorf("%s has %d bytes, and begins with %.40q", name, len(raw), raw)
		}
	}
	click(`a[href^="/runs.csv"]`, "runs.csv", "run_id,name,")
	w.do(chromedp.Navigate(u.address + "runs/kept"))
	click(`.curves a[href*="curve.svg"]`, "curve.svg", "<svg")
	click(`.curves a[href*="curve.png"]`, "curve.png", "\x89PNG")
	click(`.curves a[href*="curve.pdf"]`, "curve.pdf", "%PDF")
	click(`a[href$="/results/1"]`, "results.csv", "run_id,cut,metric,value,low,high\n")
	click(`a[href$="model.safetensors"]`, "model.safetensors", "")
}
