package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browserPatience is how long one thing may take to happen in the browser, on a machine that is busy with other tests.
const browserPatience = 5 * time.Minute

// findBrowser gives a Chromium; without one the test is skipped, under CI=true it fails.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const why = "no Chromium or Chrome found; Debian: apt-get install chromium, or make deps"
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// lab is JupyterLab with an open notebook in a browser.
type lab struct {
	t     *testing.T
	ctx   context.Context
	shots string // folder for pictures; "" for none
	count int
}

// openLab starts JupyterLab and opens the notebook in a browser.
func openLab(t *testing.T, j *jupyter, path string) *lab {
	t.Helper()
	browser := findBrowser(t)
	dir := filepath.Dir(path)
	// Nothing of it may ask the network for news.
	settings := t.TempDir()
	notification := filepath.Join(settings, "@jupyterlab", "apputils-extension", "notification.jupyterlab-settings")
	if err := os.MkdirAll(filepath.Dir(notification), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notification, []byte(`{"fetchNews": "false", "checkForUpdates": false}`), 0o644); err != nil {
		t.Fatal(err)
	}
	j.env = append(j.env, "JUPYTERLAB_SETTINGS_DIR="+settings)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	server := j.python("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port), "--ServerApp.port_retries=0",
		"--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.root_dir="+dir, "--ServerApp.terminals_enabled=False")
	server.Dir = dir
	logFile, err := os.Create(filepath.Join(t.TempDir(), "jupyter.log"))
	if err != nil {
		t.Fatal(err)
	}
	server.Stdout, server.Stderr = logFile, logFile
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		time.AfterFunc(5*time.Second, func() { _ = server.Process.Signal(os.Interrupt) }) // the second one needs no answer
		timer := time.AfterFunc(30*time.Second, func() { _ = server.Process.Kill() })
		_ = server.Wait()
		timer.Stop()
		_ = logFile.Close()
		if t.Failed() {
			log, _ := os.ReadFile(logFile.Name())
			t.Logf("JupyterLab's log:\n%s", log)
		}
	})
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	waitForServer(t, address+"/api")

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1200, 1000), chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	l := &lab{t: t, ctx: ctx, shots: os.Getenv("SPHERELAB_TEST_SHOTS")}
	// The first action starts the browser; its context must outlive the others'.
	if err := chromedp.Do(ctx, chromedp.Navigate(address+"/lab/tree/"+filepath.Base(path)+"?reset")); err != nil {
		t.Fatal(err)
	}
	l.waitFor("the notebook with an idle kernel", `document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'`)
	return l
}

func waitForServer(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(browserPatience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if reply, err := http.Get(address); err == nil {
			_ = reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("JupyterLab does not answer at %s", address)
}

func (l *lab) do(steps ...chromedp.Action[chromedp.Void]) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.ctx, browserPatience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		l.t.Fatal(err)
	}
}

// read evaluates a JavaScript expression.
func read[T any](l *lab, expression string) T {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.ctx, browserPatience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		l.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// waitFor waits until a JavaScript condition holds.
func (l *lab) waitFor(what, condition string) {
	l.t.Helper()
	for end := time.Now().Add(browserPatience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if read[bool](l, "!!("+condition+")") {
			return
		}
	}
	l.shot("failure")
	l.t.Fatalf("waited in vain for %s: %s", what, condition)
}

// shot saves a picture of the window if somebody wants to look.
func (l *lab) shot(name string) {
	l.t.Helper()
	if l.shots == "" {
		return
	}
	picture, err := chromedp.Run(l.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		l.t.Error(err)
		return
	}
	l.count++
	if err := os.WriteFile(filepath.Join(l.shots, fmt.Sprintf("%02d-%s.png", l.count, name)), picture, 0o644); err != nil {
		l.t.Error(err)
	}
}

// cell is the JavaScript of a part of code cell i.
func cell(i int, part string) string {
	return fmt.Sprintf(`document.querySelectorAll('.jp-Notebook .jp-CodeCell')[%d].querySelector('%s')`, i, part)
}

// enter puts the cursor at the end of a cell. While the page is still being laid out a click may miss.
func (l *lab) enter(i int) {
	l.t.Helper()
	type point struct{ X, Y float64 }
	focused := cell(i, ".cm-content") + `.contains(document.activeElement)`
	for end := time.Now().Add(browserPatience); !read[bool](l, focused); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(end) {
			l.shot("failure")
			l.t.Fatalf("clicks do not put the cursor into cell %d", i)
		}
		at := read[point](l, `(() => { const e = `+cell(i, ".cm-line:last-child")+`; e.scrollIntoView({block: 'nearest'});
			const r = e.getBoundingClientRect(); return {X: r.left + 5, Y: (r.top + r.bottom) / 2} })()`)
		l.do(chromedp.MouseClickXY(at.X, at.Y))
	}
	l.do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// run runs a cell and leaves the cursor in it.
func (l *lab) run(i int) {
	l.t.Helper()
	l.enter(i)
	l.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// outputs waits for text in the outputs of a cell that is done.
func (l *lab) outputs(i int, want string) {
	l.t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		l.t.Fatal(err)
	}
	l.waitFor("the output "+want, cell(i, ".jp-Cell-outputArea")+`?.innerText.includes(`+string(text)+`) && `+idle)
}

const idle = `document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'`

// TestKernelInJupyterLab uses the kernel as a person does: runs cells, completes with Tab, reads documentation with Shift-Tab, interrupts.
func TestKernelInJupyterLab(t *testing.T) {
	findBrowser(t)
	j := newJupyter(t)
	j.python() // skips before anything is started
	j.ok("kernel", "install")
	l := openLab(t, j, notebook(t, t.TempDir(), kernelName,
		"import (\n\t\"fmt\"\n\t\"strings\"\n)\nanswer := 6 * 7\nanswer",
		"%%sql\nselect n as number, n * n as square from generate_series(1, 3) as n",
		"strings.ToU",
		"fmt.Println(",
		"n := 0\nfor {\n\tn++\n}",
		"n > 0 && answer == 42",
	))
	l.run(0)
	l.outputs(0, "42")
	l.run(1)
	l.outputs(1, "square")
	l.shot("cells")

	l.enter(2)
	l.do(chromedp.KeyEvent(kb.Tab))
	l.waitFor("the list of completions", `document.querySelector('.jp-Completer:not(.lm-mod-hidden)')?.innerText.includes('ToUpper')`)
	l.shot("completion")
	l.do(chromedp.KeyEvent(kb.Enter))
	l.waitFor("the completed name", cell(2, ".cm-content")+`.innerText.startsWith('strings.ToUpper')`)

	l.enter(3)
	l.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
	l.waitFor("the documentation", `document.querySelector('.jp-Tooltip')?.innerText.includes('Println formats using the default formats')`)
	l.shot("documentation")
	l.do(chromedp.KeyEvent(kb.Escape))

	l.run(4)
	l.waitFor("a busy kernel", `document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'busy'`)
	l.shot("running")
	l.do(chromedp.Click(chromedp.CSS(`[data-jp-item-name="interrupt"] button, [data-jp-item-name="interrupt"] jp-button, [data-jp-item-name="interrupt"]`)))
	l.outputs(4, "nterrupt")
	l.run(5)
	l.outputs(5, "true")
	l.shot("interrupted")
	if text := read[string](l, cell(4, ".jp-Cell-outputArea")+`.innerText`); strings.Contains(text, "goroutine ") {
		t.Errorf("the interrupt shows Go's own stack:\n%s", text)
	}
}
