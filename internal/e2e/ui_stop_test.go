package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestUIStopsATraining: a training that is asked to stop in its page, without JavaScript, saves its state, is
// interrupted, and continues where it was. The command does the same over a tracking server.
func TestUIStopsATraining(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	u := p.ui()
	j := p.start(smallJob(t, 500000), "--set", "eval.final=false")
	j.until(t, 2)
	ended := j.drain()
	w := openWindow(t, u.address+"runs/"+j.runID, 1440, 900)
	w.waitFor("the button", `document.querySelector('button[value=stop]')`)
	w.checkPage("the page of a running run")
	w.shot("running")
	w.scripts(false)
	w.do(chromedp.Navigate(u.address+"runs/"+j.runID), chromedp.Click(chromedp.CSS("main > form button[value=stop]")),
		chromedp.WaitVisible(chromedp.CSS(".asked")))
	w.checkPage("the page of a run that was asked to stop")
	w.shot("asked")
	<-ended
	if code := j.end(); code != exitInterrupted {
		t.Errorf("the training ends with %d:\n%s", code, j.stderr)
	}
	if says := j.stderr.String(); !strings.Contains(says, "was stopped, as somebody asked, after epoch") ||
		!strings.Contains(says, "--resume") {
		t.Errorf("the training says\n%s", says)
	}
	w.do(chromedp.Navigate(u.address + "runs/" + j.runID))
	w.waitFor("its state", `document.querySelector('.state')?.textContent === 'interrupted' && !document.querySelector('.asked')`)

	again := p.start("--resume", j.runID)
	again.until(t, 1) // it would end at once, had it kept the request
	again.signal(t, syscall.SIGKILL)
	again.end()

	address := p.served("tracker", "serve", "--listen", "127.0.0.1:0")
	far := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(), "DATABASE_URL=" + address}}
	remote := far.start(smallJob(t, 500000), "--set", "eval.final=false")
	remote.until(t, 2)
	ended = remote.drain()
	far.ok("runs", "stop", remote.runID)
	<-ended
	if code := remote.end(); code != exitInterrupted {
		t.Errorf("the remote training ends with %d:\n%s", code, remote.stderr)
	}
	far.fails(exitFailed, []string{"is not running: it is killed"}, "runs", "stop", remote.runID)
}
