package e2e

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
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browserPatience is the time limit of one action in the browser; other tests may keep the machine busy.
const browserPatience = 2 * time.Minute

// findBrowser finds a Chromium. Without one the test is skipped; with CI=true it fails.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
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

// window is a browser that shows one page.
type window struct {
	t     *testing.T
	ctx   context.Context
	shots string // folder for pictures; "" for none
	count int
}

// browser is the Chromium that all tests share, started once. Every window in it has cookies, storage and a cache of its
// own.
var browser struct {
	once sync.Once
	ctx  context.Context
	err  error
	end  func()
}

func startBrowser(path string) {
	// The folder is in that of the built program, which TestMain removes.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.UserDataDir(filepath.Join(buildDir(), "chromium")), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	browser.ctx, browser.end = ctx, func() { end(); endAllocator() }
	browser.err = chromedp.Do(ctx) // it starts the browser; its context must outlive the others'
}

// openWindow shows a page in a window of the given size in pixels.
func openWindow(t *testing.T, address string, width, height int64) *window {
	t.Helper()
	path := findBrowser(t)
	browser.once.Do(func() { startBrowser(path) })
	if browser.err != nil {
		t.Fatal("starting Chromium: ", browser.err)
	}
	ctx, end := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	w := &window{t: t, ctx: ctx, shots: os.Getenv("SPHERELAB_TEST_SHOTS")}
	// Each window is used as if it were in front: the keyboard's focus is in all of them.
	focus := func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return v, err
	}
	// The first action makes the window; its context must outlive the others'.
	if err := chromedp.Do(ctx, focus, chromedp.EmulateViewport(width, height), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	return w
}

// lookAt shows a page that is a file and checks that all of its pictures can be seen.
func lookAt(t *testing.T, path string) {
	t.Helper()
	w := openWindow(t, "file://"+path, 1000, 1400)
	w.waitFor("the page", `document.readyState === 'complete'`)
	if broken := read[int](w, `[...document.images].filter(i => !i.naturalWidth).length`); broken != 0 {
		t.Errorf("%s: %d pictures cannot be seen", filepath.Base(path), broken)
	}
	w.shot("page")
}

// lab is JupyterLab with an open notebook in a browser.
type lab struct{ *window }

// openLab starts JupyterLab and opens the notebook in a browser.
func openLab(t *testing.T, j *jupyter, path string) *lab {
	t.Helper()
	dir := filepath.Dir(path)
	// Settings of this JupyterLab alone. It must not fetch news from the network.
	settings := t.TempDir()
	for name, setting := range map[string]string{
		"apputils-extension/notification": `{"fetchNews": "false", "checkForUpdates": false}`,
		// All cells are in the page, not only those in sight.
		"notebook-extension/tracker": `{"windowingMode": "none"}`,
	} {
		file := filepath.Join(settings, "@jupyterlab", name+".jupyterlab-settings")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(setting), 0o644); err != nil {
			t.Fatal(err)
		}
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
	server := j.python("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
		fmt.Sprintf("--port=%d", port), "--ServerApp.port_retries=0",
		"--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.root_dir="+dir,
		"--ServerApp.terminals_enabled=False")
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
		// the second one needs no answer
		time.AfterFunc(5*time.Second, func() { _ = server.Process.Signal(os.Interrupt) })
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

	l := &lab{openWindow(t, address+"/lab/tree/"+filepath.Base(path)+"?reset", 1200, 1000)}
	waitForKernel(t, address+"/api/kernels")
	l.waitFor("the notebook with an idle kernel", idle)
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

// waitForKernel waits until the page is connected to a kernel. Before that the page shows an idle kernel too, but cells
// that are run get lost.
func waitForKernel(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(browserPatience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var kernels []struct {
			Connections int
			State       string `json:"execution_state"`
		}
		reply, err := http.Get(address)
		if err != nil {
			continue
		}
		err = json.NewDecoder(reply.Body).Decode(&kernels)
		_ = reply.Body.Close()
		if err == nil && len(kernels) == 1 && kernels[0].Connections > 0 && kernels[0].State == "idle" {
			return
		}
	}
	t.Fatalf("no kernel is idle at %s", address)
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, browserPatience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// read evaluates a JavaScript expression.
func read[T any](w *window, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, browserPatience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// waitFor waits until a JavaScript condition holds. If the browser leaves the page meanwhile, the next page is asked.
func (w *window) waitFor(what, condition string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, browserPatience)
	defer cancel()
	var wrong error
	for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		var holds bool
		holds, wrong = chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
		if holds && wrong == nil {
			return
		}
	}
	w.shot("failure")
	w.t.Fatalf("waited in vain for %s: %s: %v", what, condition, wrong)
}

// shot saves a picture of the window if SPHERELAB_TEST_SHOTS names a folder.
func (w *window) shot(name string) {
	w.t.Helper()
	if w.shots == "" {
		return
	}
	picture, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Error(err)
		return
	}
	w.count++
	if err := os.WriteFile(filepath.Join(w.shots, fmt.Sprintf("%s-%02d-%s.png",
		strings.ReplaceAll(w.t.Name(), "/", "-"), w.count, name)), picture, 0o644); err != nil {
		w.t.Error(err)
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
	for end := time.Now().Add(browserPatience); !read[bool](l.window, focused); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(end) {
			l.shot("failure")
			l.t.Fatalf("clicks do not put the cursor into cell %d", i)
		}
		at := read[point](l.window, `(() => { const e = `+cell(i, ".cm-line:last-child")+`; e.scrollIntoView({block: 'nearest'});
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

// reveal scrolls until the end of a cell's outputs is in view.
func (l *lab) reveal(i int) {
	l.t.Helper()
	read[bool](l.window, `(() => { `+cell(i, ".jp-Cell-outputWrapper")+
		`.scrollIntoView({block: 'end'}); return true })()`)
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

const (
	idle = `document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'`
	busy = `document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'busy'`
)

// press clicks a button of the notebook's toolbar.
func (l *lab) press(button string) {
	l.t.Helper()
	l.do(chromedp.Click(chromedp.CSS(`.jp-NotebookPanel-toolbar [data-jp-item-name="` + button + `"] jp-button`)))
}

// code is the text of a cell's editor.
func (l *lab) code(i int) string {
	l.t.Helper()
	return read[string](l.window, `[...document.querySelectorAll('.jp-Notebook .jp-CodeCell')[`+fmt.Sprint(i)+
		`].querySelectorAll('.cm-line')].map(l => l.textContent).join('\n')`)
}

// TestKernelInJupyterLab uses the kernel as a person does: runs cells, looks at what they show, completes with Tab,
// reads documentation with Shift-Tab, answers a prompt, interrupts, trains and draws, restarts.
func TestKernelInJupyterLab(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	j := newJupyter(t)
	j.python() // skips before anything is started
	j.ok("kernel", "install")
	cells := []string{
		"import (\n\t\"fmt\"\n\t\"strings\"\n\t\"time\"\n)\nanswer := 6 * 7\nanswer",
		"strings.ToU",
		"kg.Bundl",
		"fmt.Println(",
		"var name string\nfmt.Print(\"your name? \")\nfmt.Scanln(&name)\n\"hello \" + name",
		"for i := 1; i <= 3; i++ {\n\tClearOutput(true)\n\tfmt.Println(\"round\", i)\n\ttime.Sleep(100 * time.Millisecond)\n}",
		"n := 0\nfor {\n\tn++\n}",
		"n > 0 && answer == 42",
		"run := lab.Train(lab.Graph(\"bundled\"), lab.Model(\"sphere-2d\").Epochs(20))",
		"run.Curve()",
		"run.Ask(\"Max Born\", \"advised\", \"?\")",
	}
	first := len(cells)
	cells = append(cells, looks...)
	l := openLab(t, j, notebook(t, t.TempDir(), kernelName, cells...))
	l.run(0)
	l.outputs(0, "42")

	// Several candidates: a list to choose from.
	l.enter(1)
	l.do(chromedp.KeyEvent(kb.Tab))
	l.waitFor("the list of completions",
		`document.querySelector('.jp-Completer:not(.lm-mod-hidden)')?.innerText.includes('ToUpperSpecial')`)
	l.shot("completion")
	l.do(chromedp.KeyEvent(kb.Enter))
	l.waitFor("the completed name", cell(1, ".cm-content")+`.innerText.includes('ToUpper')`)
	if code := l.code(1); code != "strings.ToUpper" {
		t.Errorf("after choosing the first completion the cell is %q", code)
	}
	// A single one: a second Tab takes it.
	l.enter(2)
	l.do(chromedp.KeyEvent(kb.Tab))
	l.waitFor("the only completion",
		`document.querySelector('.jp-Completer:not(.lm-mod-hidden)')?.innerText.includes('Bundled')`)
	l.do(chromedp.KeyEvent(kb.Tab))
	l.waitFor("the completed name", cell(2, ".cm-content")+`.innerText.includes('Bundled')`)
	if code := l.code(2); code != "kg.Bundled" {
		t.Errorf("after Tab the cell is %q", code)
	}

	l.enter(3)
	l.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
	l.waitFor("the documentation",
		`document.querySelector('.jp-Tooltip')?.innerText.includes('Println formats using the default formats')`)
	l.shot("documentation")
	l.do(chromedp.KeyEvent(kb.Escape))

	l.run(4)
	l.waitFor("a field for the answer", cell(4, ".jp-Stdin-input"))
	l.shot("question")
	l.do(chromedp.Click(chromedp.CSS(`.jp-Stdin-input`)), chromedp.KeyEvent("Ada"), chromedp.KeyEvent(kb.Enter))
	l.outputs(4, "hello Ada")
	l.run(5)
	l.outputs(5, "round 3")
	if text := read[string](l.window, cell(5, ".jp-Cell-outputArea")+`.innerText`); strings.Contains(text, "round 2") {
		t.Errorf("ClearOutput leaves %q", text)
	}

	l.run(6)
	l.waitFor("a busy kernel", busy)
	l.shot("running")
	l.press("interrupt")
	l.outputs(6, "nterrupt")
	l.run(7)
	l.outputs(7, "true")
	l.reveal(7)
	l.shot("interrupted")
	if text := read[string](l.window, cell(6, ".jp-Cell-outputArea")+`.innerText`); strings.Contains(text,
		"goroutine ") {
		t.Errorf("the interrupt shows Go's own stack:\n%s", text)
	}

	l.run(8)
	l.outputs(8, "epoch 20 of 20")
	l.run(9)
	l.waitFor("a chart", cell(9, ".jp-Cell-outputArea img")+`?.naturalWidth > 300 && `+idle)
	l.reveal(9)
	l.shot("training")
	l.run(10)
	l.outputs(10, "Carl Hermann")
	l.reveal(10)
	l.shot("answers")

	for i, want := range []string{"[1 4 9]", "square", "", "", "bold", "index out of range"} {
		l.run(first + i)
		l.outputs(first+i, want)
		if i == 2 || i == 3 {
			l.waitFor("a picture", cell(first+i, ".jp-Cell-outputArea img")+`?.naturalWidth === 240`)
		}
		if i == 1 || i == 4 || i == len(looks)-1 {
			l.reveal(first + i)
			l.shot("outputs")
		}
	}

	// A restarted kernel has forgotten everything and counts from 1.
	l.press("restart")
	l.do(chromedp.Click(chromedp.CSS(`.jp-Dialog .jp-mod-accept`)))
	l.waitFor("no dialog", `!document.querySelector('.jp-Dialog')`)
	l.waitFor("an idle kernel", idle)
	l.run(7)
	l.outputs(7, "undefined")
	l.waitFor("the first prompt", cell(7, ".jp-InputPrompt")+`.innerText.includes('[1]')`)
	l.shot("restarted")
	l.do(chromedp.Click(chromedp.CSS(`.lm-TabBar-addButton:not(.lm-mod-hidden)`)))
	l.waitFor("the launcher with the logo",
		`[...document.querySelectorAll('.jp-LauncherCard-icon img')].some(i => i.src.includes('spherelab') && i.naturalWidth)`)
	l.shot("launcher")
}
