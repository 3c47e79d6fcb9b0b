package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
)

// lab is JupyterLab with an open notebook in a browser.
type lab struct{ *window }

// labServer is a running JupyterLab. All of its notebooks are opened in one profile of the browser, so that only the
// first one loads JupyterLab's own files.
type labServer struct {
	dir, address string
	profile      context.Context
}

// openLab starts JupyterLab and opens the notebook in a browser.
func openLab(t *testing.T, j *jupyter, path string) *lab {
	t.Helper()
	return newLabServer(t, j, filepath.Dir(path)).open(t, path)
}

// newLabServer starts JupyterLab on a folder. It ends with the test.
func newLabServer(t *testing.T, j *jupyter, dir string) *labServer {
	t.Helper()
	// Settings of this JupyterLab alone. It must not fetch news from the network.
	settings := t.TempDir()
	for name, setting := range map[string]string{
		"apputils-extension/notification": `{"fetchNews": "false", "checkForUpdates": false}`,
		// All cells are in the page, not only those in sight.
		"notebook-extension/tracker": `{"windowingMode": "none"}`,
	} {
		file := filepath.Join(settings, "@jupyterlab", name+".jupyterlab-settings")
		expect.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		expect.NoError(t, os.WriteFile(file, []byte(setting), 0o644))
	}
	env := append(slices.Clip(j.env), "JUPYTERLAB_SETTINGS_DIR="+settings)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	expect.NoError(t, listener.Close())
	server := pythonCommand(t, env, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
		fmt.Sprintf("--port=%d", port), "--ServerApp.port_retries=0",
		"--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.root_dir="+dir,
		"--ServerApp.terminals_enabled=False",
		"--ServerApp.disable_check_xsrf=True")
	server.Dir = dir
	logFile, err := os.Create(filepath.Join(t.TempDir(), "jupyter.log"))
	expect.NoError(t, err)
	server.Stdout, server.Stderr = logFile, logFile
	expect.NoError(t, server.Start())
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

	return &labServer{dir, address, newProfile(t)}
}

// open opens a notebook of the server's folder in a window of its own. Its kernel ends with the test.
func (s *labServer) open(t *testing.T, path string) *lab {
	t.Helper()
	name, err := filepath.Rel(s.dir, path)
	expect.NoError(t, err)
	name = filepath.ToSlash(name)
	ctx, end := chromedp.NewContext(s.profile)
	t.Cleanup(end)
	l := &lab{showIn(t, ctx, s.address+"/lab/tree/"+name+"?reset", 1200, 1000)}
	session := waitForKernel(t, s.address+"/api/sessions", name)
	t.Cleanup(func() {
		request, err := http.NewRequest(http.MethodDelete, s.address+"/api/sessions/"+session, nil)
		expect.NoError(t, err)
		reply, err := http.DefaultClient.Do(request)
		if err != nil || reply.StatusCode != http.StatusNoContent {
			t.Error("ending a kernel: ", reply, err)
			return
		}
		_ = reply.Body.Close()
	})
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

// waitForKernel waits until the page of a notebook is connected to a kernel, and returns the session. Before that the
// page shows an idle kernel too, but cells that are run get lost.
func waitForKernel(t *testing.T, address, path string) (session string) {
	t.Helper()
	for end := time.Now().Add(browserPatience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var sessions []struct {
			ID, Path string
			Kernel   struct {
				Connections int
				State       string `json:"execution_state"`
			}
		}
		reply, err := http.Get(address)
		if err != nil {
			continue
		}
		err = json.NewDecoder(reply.Body).Decode(&sessions)
		_ = reply.Body.Close()
		for _, s := range sessions {
			if err == nil && s.Path == path && s.Kernel.Connections > 0 && s.Kernel.State == "idle" {
				return s.ID
			}
		}
	}
	t.Fatalf("no kernel of %s is idle at %s", path, address)
	return ""
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
	expect.NoError(l.t, err)
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

// pressEnter presses and releases Enter without the event of a character. An editor needs none, and a slow page takes
// it for a line of its own after the key has chosen a completion.
var pressEnter = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	for _, key := range kb.Encode('\r') {
		if key.Type == kb.KeyChar {
			continue
		}
		if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *key); err != nil {
			return err
		}
	}
	return nil
})

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

	completeInLab(t, l)

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

	restartInLab(t, l)
}

// restartInLab: a restarted kernel has forgotten everything and counts from 1.
func restartInLab(t *testing.T, l *lab) {
	t.Helper()
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

// completeInLab completes names with Tab and reads documentation with Shift-Tab.
func completeInLab(t *testing.T, l *lab) {
	t.Helper()
	// Several candidates: a list to choose from.
	l.enter(1)
	l.do(chromedp.KeyEvent(kb.Tab))
	l.waitFor("the list of completions",
		`document.querySelector('.jp-Completer:not(.lm-mod-hidden)')?.innerText.includes('ToUpperSpecial') &&
			document.activeElement.closest('.jp-mod-completer-active')`)
	l.shot("completion")
	l.do(pressEnter)
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
}
