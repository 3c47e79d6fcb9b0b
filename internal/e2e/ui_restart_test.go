package e2e

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestUIFollowsAcrossARestart: the server of the pages ends while one of them follows a run, and another one begins on
// its address. The page stays meanwhile, and follows the run again by itself. Then a name as long as one can be has
// room in every page.
func TestUIFollowsAcrossARestart(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	long := strings.Repeat("w", 250)
	job := p.start(smallJob(t, 1_000_000), "--set", "name="+long)
	job.until(t, 3)
	ended := job.drain()
	w := openWindow(t, u.address+"runs/"+job.runID, 1200, 900)
	const step = `Number(/step (\d+)/.exec(document.querySelector('[data-events]')?.textContent)?.[1] ?? 0)`
	w.waitFor("a step", step+` > 3`)
	u.stop()
	before := read[int](w, step)
	address, err := url.Parse(u.address)
	expect.NoError(t, err)
	if again := p.uiAt(address.Host); again.address != u.address {
		t.Fatalf("the pages are at %s, then at %s", u.address, again.address)
	}
	w.waitFor("a later step", step+fmt.Sprintf(` > %d && !document.querySelector('figure .wrong')`, before))
	job.signal(t, os.Interrupt)
	<-ended
	job.end()
	w.waitFor("the end", `document.querySelector('.state')?.textContent === 'interrupted'`)
	p.ok("train", smallJob(t, 20), "--set", "name="+long[:249]+"v")
	w.do(chromedp.Navigate(u.address))
	w.waitFor("both runs", `document.querySelectorAll('tbody [name=run]').length === 2`)
	both := read[string](w, `[...document.querySelectorAll('tbody [name=run]')].map(i => 'run=' + i.value).join('&')`)
	for _, page := range []string{"", "experiments", "groups", "params", "runs/" + job.runID, "compare?" + both} {
		for _, width := range []int64{1200, 380} {
			w.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(u.address+page))
			w.checkPage(fmt.Sprintf("/%s, %d px wide", page, width))
		}
	}
	w.shot("long-names")
}
