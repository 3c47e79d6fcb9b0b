package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestUIFollowsARunInBrowser watches a run that trains, then the same run after its end, and compares two runs.
func TestUIFollowsARunInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	job := p.start(smallJob(t, 1_000_000), "--set", "name=long")
	job.until(t, 3)
	ended := job.drain()
	w := openWindow(t, u.address+"runs/"+job.runID, 1200, 1000)
	w.checkPage("the page of a running run")
	w.waitFor("a step", `document.querySelector('[data-events]')?.textContent.includes('running, step')`)
	w.waitFor("a curve that is drawn again", `document.querySelector('.curves img')?.src.includes('now=') &&
		document.querySelector('.curves img').naturalWidth > 0`)
	w.shot("live")
	w.dark(true)
	w.waitFor("a curve that is drawn again on a dark page", `/now=.*dark=1|dark=1.*now=/.test(document.querySelector('.curves img').currentSrc) &&
		document.querySelector('.curves img').naturalWidth > 0`)
	w.dark(false)
	// A browser has six connections to a server. Hidden pages hold none of them.
	profile := newProfile(t)
	for i := range 7 {
		ctx := profile
		if i > 0 {
			var end context.CancelFunc
			ctx, end = chromedp.NewContext(profile)
			t.Cleanup(end)
		}
		tab := showIn(t, ctx, u.address+"runs/"+job.runID, 600, 400)
		tab.waitFor(fmt.Sprint("page ", i+1, " of a running run"), `document.querySelector('[data-events]').textContent.includes('running, step') &&
			document.images.length > 0`)
		read[string](tab, `(Object.defineProperty(document, 'hidden', {value: true}),
			document.dispatchEvent(new Event('visibilitychange')), '')`)
	}
	job.signal(t, os.Interrupt)
	<-ended
	job.end()
	w.waitFor("the page of the ended run", `document.querySelector('.state')?.textContent === 'interrupted' &&
		document.querySelector('.command')?.textContent.includes('train --resume')`)

	p.ok("train", smallJob(t, 50), "--set", "name=first")
	p.ok("train", smallJob(t, 50), "--set", "name=second", "--set", "gamma=3")
	lookAtRun(t, u, w)

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
	if wide := read[string](w, `(() => { const ask = new XMLHttpRequest(); ask.open('GET', document.querySelector('.curves img').src, false);
		ask.send(); const svg = new DOMParser().parseFromString(ask.responseText, 'image/svg+xml').documentElement; document.body.append(svg);
		const names = [...svg.querySelectorAll('g.key text')];
		const wide = names.filter(t => !(t.getBBox().width < Number(t.getAttribute('textLength')) + 1)).map(t => t.textContent);
		svg.remove(); return names.length === 2 ? wide.join(' ') : names.length + ' names' })()`); wide != "" {
		t.Errorf("names in a legend are wider than their place: %s", wide)
	}
	w.shot("compare")
	useComparison(t, w)
	compareSeeds(t, p, w)
}

// lookAtRun looks at the page of a finished run, then at the table of finished runs.
func lookAtRun(t *testing.T, u *ui, w *window) {
	t.Helper()
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
	// A picture that cannot be drawn says why.
	read[string](w, `(document.querySelector('figure img').src = '/runs/first/figure/none.svg', '')`)
	w.waitFor("why there is no picture", `document.querySelector('figure .wrong')?.textContent === 'this run has no such picture' &&
		document.querySelector('figure img').hidden && document.querySelector('figure a[download]').hidden`)
	read[string](w, `(document.querySelector('figure img').src = document.querySelector('figure a[download]').href, '')`)
	w.waitFor("the picture again", `!document.querySelector('figure .wrong') && !document.querySelector('figure img').hidden`)
	read[string](w, `(document.querySelector('section').scrollIntoView(), '')`)
	w.shot("run")
	w.dark(true)
	w.shot("run-dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("the page of a run in a narrow window")
	w.shot("run-narrow")
	w.do(chromedp.EmulateViewport(1200, 1000), chromedp.Navigate(u.address+"?q=status+%3D+%27FINISHED%27"))
}

// useComparison zooms a curve, points at a run, marks it, and looks at the page in the dark and in a narrow window.
func useComparison(t *testing.T, w *window) {
	t.Helper()
	// Dragging over the middle half of a curve zooms to its steps.
	type box struct{ Left, Top, Width, Height float64 }
	w.waitFor("the curve in sight", `(document.querySelector('.curves img').scrollIntoView({block: 'center'}), true)`)
	at := read[box](w, `(() => { const b = document.querySelector('.curves img').getBoundingClientRect();
		return {Left: b.left, Top: b.top, Width: b.width, Height: b.height} })()`)
	mouse := func(kind input.DispatchMouseEventType, x float64) {
		w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
			_, err = cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind,
				X: at.Left + x*at.Width, Y: at.Top + at.Height/2, Button: "left", Buttons: 1, ClickCount: 1})
			return v, err
		})
	}
	mouse("mouseMoved", 0.4)
	w.waitFor("values below the pointer", `(dispatchEvent(new Event('x')), document.querySelector('.curves .values').textContent.startsWith('step '))
		|| (document.querySelector('.curves img').dispatchEvent(new PointerEvent('pointermove', {clientX: `+fmt.Sprint(at.Left+at.Width/2)+`})), false)`)
	mouse("mousePressed", 0.25)
	mouse("mouseMoved", 0.5)
	w.shot("zooming")
	mouse("mouseReleased", 0.75)
	w.waitFor("the zoom", `new URLSearchParams(location.search).get('from') > 1 && new URLSearchParams(location.search).get('to') < 50 &&
		document.querySelector('a[href$="#curves"]')?.textContent === 'all steps' && document.querySelector('.curves img')?.naturalWidth > 0`)
	w.do(chromedp.Click(chromedp.CSS(`a[href$="#curves"]`)))
	w.waitFor("all steps", `!location.search.includes('from') && document.querySelector('.curves img')?.naturalWidth > 0`)
	w.waitFor("parallel coordinates", `(() => { const p = document.querySelector('img[src^="/parallel"]');
		p.scrollIntoView({block: 'center'}); return p.naturalWidth > 0 })()`)
	w.shot("parallel")
	w.waitFor("the scatter chart", `(() => { const p = document.querySelector('.dots img');
		p.scrollIntoView({block: 'center'}); return p.naturalWidth > 0 })()`)
	w.waitFor("the run below the pointer", `(() => { const img = document.querySelector('.dots img'), box = img.getBoundingClientRect();
		for (let x = 0; x < box.width; x += 8) for (let y = 0; y < box.height; y += 8) {
			img.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + y}));
			const said = document.querySelector('.dots .values').textContent;
			if (/^(first|second) [0-9a-f]{8}: gamma \d+, test.mrr \d/.test(said)) return true;
		} })()`)
	w.shot("scatter")
	w.do(chromedp.Focus(chromedp.CSS("input[name=mark]")), chromedp.KeyEvent(" "), chromedp.KeyEvent(kb.Enter))
	w.waitFor("a highlighted run", `location.search.includes('mark=') && document.querySelector('[type=checkbox][name=mark]')?.checked`)
	read[string](w, `(scrollTo(0, document.body.scrollHeight), '')`)
	w.dark(true)
	w.waitFor("pictures for a dark page", `(() => { const drawn = [...document.images].filter(i => i.naturalWidth);
		return drawn.length && drawn.every(i => i.currentSrc.includes('dark=1')) })()`)
	w.shot("differences-dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("the comparison in a narrow window")
	w.shot("compare-narrow")
	w.do(chromedp.EmulateViewport(1200, 1000))
}

// compareSeeds shows configurations, and the band over the seeds of one.
func compareSeeds(t *testing.T, p *program, w *window) {
	t.Helper()
	p.ok("train", smallJob(t, 50), "--set", "name=third", "--set", "seed=7")
	w.do(chromedp.Click(chromedp.CSS(`header a[href^="/groups"]`)))
	w.waitFor("the configurations", `location.pathname === '/groups' && document.querySelectorAll('tbody tr').length === 2`)
	w.checkPage("the configurations")
	w.shot("groups")
	w.dark(true)
	w.do(chromedp.EmulateViewport(380, 700))
	w.checkPage("the configurations in a narrow window")
	w.shot("groups-narrow-dark")
	w.dark(false)
	w.do(chromedp.EmulateViewport(1200, 1000), chromedp.Click(chromedp.CSS(`td a[href^="/compare"]`)))
	w.waitFor("the band over two seeds", `document.querySelector('[type=checkbox][name=bands]')?.checked &&
		document.querySelector('.curves img')?.naturalWidth > 0`)
	w.shot("bands")
}
