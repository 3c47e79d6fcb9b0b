package e2e

import (
	"context"
	"fmt"
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

	"github.com/spherelab/spherelab/internal/expect"
)

// browserPatience is the time limit of one action in the browser; other tests may keep the machine busy.
const browserPatience = 2 * time.Minute

// findBrowser finds a Chromium. Without one the test is skipped; with CI=true it fails.
func findBrowser(t testing.TB) string {
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
	t     testing.TB
	ctx   context.Context
	shots string // folder for pictures; "" for none
	count int
}

// browser is the Chromium that all tests share, started once.
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

// newProfile is a blank window with cookies, storage and a cache of its own, which windows made from it share.
func newProfile(t testing.TB) context.Context {
	t.Helper()
	path := findBrowser(t)
	browser.once.Do(func() { startBrowser(path) })
	if browser.err != nil {
		t.Fatal("starting Chromium: ", browser.err)
	}
	ctx, end := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	return ctx
}

// openWindow shows a page in a window of the given size in pixels.
func openWindow(t testing.TB, address string, width, height int64) *window {
	t.Helper()
	return showIn(t, newProfile(t), address, width, height)
}

// showIn shows a page in the window of a context that has none yet.
func showIn(t testing.TB, ctx context.Context, address string, width, height int64) *window {
	t.Helper()
	w := &window{t: t, ctx: ctx, shots: os.Getenv("SPHERELAB_TEST_SHOTS")}
	// Each window is used as if it were in front: the keyboard's focus is in all of them.
	focus := func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled,
			emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return v, err
	}
	// The first action makes the window; its context must outlive the others'.
	expect.NoError(t, chromedp.Do(ctx, focus, chromedp.EmulateViewport(width, height), chromedp.Navigate(address)))
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

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, browserPatience)
	defer cancel()
	expect.NoError(w.t, chromedp.Do(ctx, steps...))
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
		holds, wrong = chromedp.Run(ctx, chromedp.Evaluate[bool](
			"document.readyState === 'complete' && !!("+condition+")"))
		if holds && wrong == nil {
			return
		}
	}
	w.shot("failure")
	w.t.Fatalf("no %s in time: %s: %v", what, condition, wrong)
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
