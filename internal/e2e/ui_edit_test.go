package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestUIEditsInBrowser edits the note and the tags of a run without JavaScript. Pages of other sites cannot.
func TestUIEditsInBrowser(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", smallJob(t, 50), "--set", "name=edited")
	u := p.ui()
	w := openWindow(t, u.address+"runs/edited", 1200, 900)
	w.checkPage("the page of a run")
	const attack = `</textarea><script>document.title = 'stolen'</script><img src=x onerror="document.title='stolen'">`
	w.scripts(false)
	w.do(chromedp.Navigate(u.address+"runs/edited"), chromedp.Click(chromedp.CSS("#note summary")),
		chromedp.SendKeys(chromedp.CSS("#note textarea"), attack+"\nsecond line"),
		chromedp.Click(chromedp.CSS("#note button")), chromedp.WaitVisible(chromedp.CSS(".note")),
		chromedp.Click(chromedp.CSS("#tags > details summary")),
		chromedp.SendKeys(chromedp.CSS("#tags > details [name=key]"), "purpose"),
		chromedp.SendKeys(chromedp.CSS("#tags > details [name=value]"), attack),
		chromedp.Click(chromedp.CSS("#tags > details button")), chromedp.WaitVisible(chromedp.CSS("#tags dl")))
	w.scripts(true)
	w.do(chromedp.Navigate(u.address + "runs/edited"))
	w.checkPage("the page of an edited run")
	if text := read[string](w, `document.querySelector('.note').textContent.trim() + '|' +
		document.querySelector('#tags dd').firstChild.textContent.trim() + '|' + document.title`); text !=
		attack+"\nsecond line|"+attack+"|edited - spherelab" {
		t.Errorf("the page has %q", text)
	}
	w.shot("edited")
	// In place, with the keyboard: the tag's own field, then Enter.
	w.do(chromedp.Focus(chromedp.CSS("#tags dd summary")), chromedp.KeyEvent(kb.Enter),
		chromedp.SetValue(chromedp.CSS("#tags dd [name=value]"), "a trial"), chromedp.Focus(chromedp.CSS("#tags dd [name=value]")))
	w.shot("editing")
	w.do(chromedp.KeyEvent(kb.Enter))
	w.waitFor("the tag", `document.querySelector('#tags dd')?.firstChild.textContent.trim() === 'a trial'`)
	w.do(chromedp.Click(chromedp.CSS("#tags dd summary")), chromedp.Click(chromedp.CSS("#tags dd [name=delete]")))
	w.waitFor("no tag", `document.readyState === 'complete' && document.querySelector('#tags') && !document.querySelector('#tags dd')`)

	// In the table: Enter opens a field, Enter saves; the form below it tags all that is selected.
	w.do(chromedp.Navigate(u.address), chromedp.Click(chromedp.CSS("tbody [name=run]")),
		chromedp.SendKeys(chromedp.CSS("#compare [name=key]"), "seen"), chromedp.SendKeys(chromedp.CSS("#compare [name=value]"), "no"),
		chromedp.Click(chromedp.CSS("#compare button[formaction]")))
	w.waitFor("the table again", `document.readyState === 'complete' && document.querySelector('[name="col"][value="tag/seen"]')`)
	w.do(chromedp.Navigate(u.address + "?col=tag/seen"))
	w.waitFor("the column of tags", `document.querySelector('td[data-tag]')?.tabIndex === 0`)
	w.do(chromedp.Focus(chromedp.CSS("td[data-tag]")), chromedp.KeyEvent(kb.Enter))
	w.waitFor("a field", `document.activeElement.matches('td[data-tag] input') && document.activeElement.value === 'no'`)
	w.do(chromedp.SetValue(chromedp.CSS("td[data-tag] input"), attack), chromedp.Focus(chromedp.CSS("td[data-tag] input")))
	w.checkPage("a tag that is edited in the table")
	w.do(chromedp.KeyEvent(kb.Enter))
	w.waitFor("the changed tag", `document.querySelector('td[data-tag]').textContent === `+strconv.Quote(attack))
	w.do(chromedp.Navigate(u.address + "?col=tag/seen"))
	w.waitFor("the stored tag", `document.querySelector('td[data-tag]')?.textContent === `+strconv.Quote(attack))
	w.do(chromedp.Navigate(u.address + "runs/edited"))
	w.waitFor("the page of the run", `document.querySelector('#note form')`)
	id := read[string](w, `document.querySelector('#note form').getAttribute('action').split('/')[2]`)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, `<form method=post action="%sruns/%s/note"><input name=note value=theirs><input name=was></form>
			<a href="%sruns/%[2]s">a link</a><script>if (location.hash !== '#link') document.forms[0].submit()</script>`,
			u.address, id, u.address)
	}))
	t.Cleanup(evil.Close)
	for _, site := range []string{evil.URL, strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)} {
		w.do(chromedp.Navigate(site))
		w.waitFor("the refusal", `document.body.innerText.startsWith('Forbidden: the request comes from a page of another')`)
	}
	w.do(chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)+"/#link"), chromedp.Click(chromedp.CSS("a")))
	w.waitFor("a link to the run", `document.querySelector('h1')?.textContent.trim() === 'edited'`)
	if note := read[string](w, `document.querySelector('.note').textContent`); !strings.HasPrefix(note, "</textarea>") {
		t.Errorf("another site changed the note to %q", note)
	}
}
