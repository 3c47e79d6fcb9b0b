package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestUISavesWhatIsLeft leaves a tag that is edited in the table of runs: by a link, which must not lose the text, and,
// where the server does not take it, by Tab, which must not be held.
func TestUISavesWhatIsLeft(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", smallJob(t, 50), "--set", "name=left")
	u := p.ui()
	w := openWindow(t, u.address+"?col=tag/seen", 1200, 900)
	// edit opens the field of the tag, which has this text, and types another.
	edit := func(was, typed string) {
		t.Helper()
		w.do(chromedp.Navigate(u.address + "?col=tag/seen"))
		w.waitFor("the tag "+was, `document.querySelector('td[data-tag]')?.tabIndex === 0 &&
			document.querySelector('td[data-tag]').textContent.trim() === '`+was+`'`)
		w.do(chromedp.Focus(chromedp.CSS("td[data-tag]")), chromedp.KeyEvent(kb.Enter))
		w.waitFor("a field", `document.activeElement.matches('td[data-tag] input')`)
		w.do(chromedp.SetValue(chromedp.CSS("td[data-tag] input"), typed),
			chromedp.Focus(chromedp.CSS("td[data-tag] input")))
	}
	if read[string](w, `document.querySelector('tbody [name=run]').autocomplete`) != "off" {
		t.Error("a browser may tick other rows when the page is loaded again")
	}
	edit("", "by a link")
	w.do(chromedp.Click(chromedp.CSS(`nav a[href="/experiments"]`)))
	w.waitFor("the other page", `location.pathname === '/experiments'`)
	// The change is sent while the page is left, so the server may still be storing it.
	w.waitFor("the stored tag", `(window.looking ??= setInterval(() => fetch('/?col=tag/seen').then((r) => r.text()).
		then((page) => { window.stored ||= page.includes('by a link') }), 200), window.stored)`)

	edit("by a link", "refused")
	read[bool](w, `!fetch(document.querySelector('td[data-tag]').dataset.tag, {method: 'POST', body:
		new URLSearchParams({key: 'seen', value: 'of another', was: 'by a link'})}).
		then((r) => { window.stored = r.ok })`)
	w.waitFor("the other change", `window.stored`)
	w.do(chromedp.KeyEvent(kb.Tab))
	w.waitFor("the message",
		`document.querySelector('#compare output').textContent.includes('has been changed since')`)
	w.do(chromedp.Focus(chromedp.CSS("td[data-tag] input")), chromedp.KeyEvent(kb.Tab))
	w.waitFor("the focus elsewhere", `!document.activeElement.matches('td[data-tag] input')`)
	w.shot("refused")

	edit("of another", "lost")
	u.stop()
	w.do(chromedp.Focus(chromedp.CSS("td[data-tag] input")), chromedp.KeyEvent(kb.Enter))
	w.waitFor("the field with the text", `document.querySelector('td[data-tag] input')?.value === 'lost' &&
		document.querySelector('td[data-tag] input').validationMessage.includes('does not answer')`)
}
