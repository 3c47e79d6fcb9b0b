package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestUIPaperInBrowser compares two embedded runs of a graph of the paper: its numbers stand next to theirs.
func TestUIPaperInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	files, err := filepath.Glob(inRoot("experiments/results/fb15k-237-rotate*-released-*.jsonl.gz"))
	if err != nil || len(files) != 2 {
		t.Fatal("embedded runs: ", files, err)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		expect.NoError(t, err)
		p.ok("runs", "import", path)
	}
	u := p.ui()
	w := openWindow(t, u.address, 1200, 900)
	w.waitFor("the table", `document.querySelectorAll('tbody tr').length === 2`)
	w.do(chromedp.Click(chromedp.CSS("thead .all input")), chromedp.Click(chromedp.CSS("#compare button")))
	w.waitFor("the table next to the paper", `[...document.querySelectorAll('h2')].some(h => h.textContent.startsWith('Next to the paper'))`)
	w.checkPage("the table next to the paper")
	w.checkTree("the table next to the paper")
	rows := read[[]string](w, `(() => { const section = [...document.querySelectorAll('section')].find(s => s.innerText.startsWith('Next to the paper'));
		section.scrollIntoView(); return [...section.querySelectorAll('tbody tr')].map(r => r.innerText) })()`)
	text := strings.Join(rows, "\n")
	for _, want := range []string{"rotate", "paper", "released"} {
		if !strings.Contains(strings.ToLower(text), want) {
			t.Errorf("the table next to the paper lacks %q:\n%s", want, text)
		}
	}
	w.shot("paper")
}
