package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestNotebookInterruptInJupyterLab trains in JupyterLab as a person does: run all, press the stop button during a
// training, resume in the next cell. The model has the bits of a training without the interrupt. Not parallel: the
// training must still run when the button is pressed.
func TestNotebookInterruptInJupyterLab(t *testing.T) {
	findBrowser(t)
	j := newNotebookUser(t)
	path := notebook(t, t.TempDir(), kernelName,
		"g := lab.Graph(\"bundled\")\nm := lab.Model(\"sphere-2d\").Epochs(300).Set(\"eval.every\", 50)\nm",
		`whole := lab.Train(g, m.Name("whole"))`,
		`broken := lab.Train(g, m.Name("broken"))`,
		`resumed := lab.Resume("last")`,
		`resumed.Digest() == whole.Digest()`,
		`resumed`,
		`resumed.Ask("Max Born", "advised", "?")`)
	l := openLab(t, j, path)
	l.press("restart-and-run")
	l.do(chromedp.Click(chromedp.CSS(`.jp-Dialog .jp-mod-accept`)))
	l.waitFor("a training that is watched", cell(1, ".jp-Cell-outputArea")+
		`?.innerText.match(/epoch [1-9]\d* of 300.*steps\/s/)`)
	l.shot("training")
	l.waitFor("the second training on its way", cell(2, ".jp-Cell-outputArea")+
		`?.innerText.match(/epoch [1-9]\d* of 300.*steps\/s/)`)
	l.press("interrupt")
	l.outputs(2, `its state is saved; lab.Resume(`)
	l.show(2)
	l.shot("interrupted")
	if status := j.show("broken").Status; status != "KILLED" {
		t.Errorf("after the interrupt the run's status is %s", status)
	}
	l.run(3)
	l.outputs(3, "finished in")
	l.shot("resumed")
	l.run(4)
	l.outputs(4, "true")
	l.run(5)
	l.outputs(5, "finished")
	l.run(6)
	l.outputs(6, "Pascual Jordan")
	l.show(6)
	l.shot("answers")
	whole, broken := j.show("whole"), j.show("broken")
	if whole.Digest == "" || whole.Digest != broken.Digest || broken.Status != "FINISHED" {
		t.Errorf("without interrupt %q, with one %q, status %s", whole.Digest, broken.Digest, broken.Status)
	}
}

// showsMost are the notebooks that have a live curve, charts, pictures and tables between them.
var showsMost = regexp.MustCompile(`^0[34]_`)

// drawsMost are the notebooks that have every kind of picture between them: curves, answers in the plane, radii.
var drawsMost = regexp.MustCompile(`^0[348]_`)

// isLeftOut reports whether a notebook is opened in a soak alone.
func isLeftOut(opened *regexp.Regexp, path string) bool {
	return !opened.MatchString(notebookName(path)) && os.Getenv("SPHERELAB_SOAK") != "1"
}

// TestNotebooksInJupyterLab opens notebooks in JupyterLab, as they are in the repository but without outputs, and runs
// all of their cells. TestNotebooks compares the outputs of all notebooks.
func TestNotebooksInJupyterLab(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	dir := t.TempDir()
	server := newLabServer(t, newNotebookUser(t), dir)
	for _, path := range notebookFiles(t) {
		if isLeftOut(showsMost, path) {
			continue
		}
		t.Run(notebookName(path), func(t *testing.T) {
			content := withoutOutputs(t, path)
			copied := filepath.Join(dir, notebookName(path), filepath.Base(path))
			expect.NoError(t, os.Mkdir(filepath.Dir(copied), 0o755))
			expect.NoError(t, os.WriteFile(copied, content, 0o644))
			codes := 0
			for _, c := range readNotebook(t, path).Cells {
				if c.Type == "code" {
					codes++
				}
			}
			l := server.open(t, copied)
			l.press("restart-and-run")
			l.do(chromedp.Click(chromedp.CSS(`.jp-Dialog .jp-mod-accept`)))
			l.waitFor("the last cell done",
				fmt.Sprintf(`[...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')].some(p => p.innerText.includes('[%d]')) && `, codes)+idle)
			l.shot("end")
			if n := read[int](l.window,
				`document.querySelectorAll('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"], .jp-RenderedText[data-mime-type="application/vnd.jupyter.stderr"]').length`); n != 0 {
				t.Errorf("%d errors are shown", n)
			}
			if n := read[int](l.window,
				`document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-OutputArea-output').length`); n < codes/2 {
				t.Errorf("%d cells show %d outputs", codes, n)
			}
			for _, i := range []int{0, codes / 2} {
				l.reveal(i)
				l.shot("cell")
			}
		})
	}
}

// TestUntrustedNotebooks opens notebooks as a new clone has them: with outputs of another machine, which JupyterLab
// does not trust. Every chart is there as a picture, and none as text.
func TestUntrustedNotebooks(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	dir := t.TempDir()
	server := newLabServer(t, newNotebookUser(t), dir)
	for _, path := range notebookFiles(t) {
		if isLeftOut(drawsMost, path) {
			continue
		}
		t.Run(notebookName(path), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			expect.NoError(t, err)
			copied := filepath.Join(dir, notebookName(path), filepath.Base(path))
			expect.NoError(t, os.Mkdir(filepath.Dir(copied), 0o755))
			expect.NoError(t, os.WriteFile(copied, raw, 0o644))
			pictures := 0
			for _, c := range readNotebook(t, path).Cells {
				for _, o := range c.Outputs {
					if _, drawn := o.Data["image/svg+xml"]; drawn {
						pictures++
					}
					pictures += strings.Count(string(o.Data["text/html"]), "<img ")
				}
			}
			l := server.open(t, copied)
			const shown = `[...document.querySelectorAll('.jp-OutputArea-output img')].filter(i => i.naturalWidth > 100).length`
			l.waitFor(fmt.Sprintf("%d pictures", pictures), fmt.Sprintf(shown+` === %d`, pictures))
			texts := read[string](l.window,
				`[...document.querySelectorAll('.jp-OutputArea-output')].map(o => o.innerText).join('\n')`)
			for _, line := range strings.Split(texts, "\n") {
				// Titles of points and the summary for screen readers, which an SVG that was taken apart leaves behind.
				if strings.HasPrefix(line, "line chart") || strings.HasPrefix(line, "epoch 1, y ") ||
					strings.ContainsAny(line, "⠁⠂⣀⡇") {
					t.Errorf("a chart is shown as text: %q", line)
				}
			}
			for i := range read[int](l.window, `document.querySelectorAll('.jp-Notebook .jp-CodeCell').length`) {
				if read[bool](l.window, `!!(`+cell(i, ".jp-OutputArea-output img")+`)`) {
					l.reveal(i)
					l.shot("picture")
				}
			}
		})
	}
}

// withoutOutputs is a notebook as it is before its first run.
func withoutOutputs(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	var n map[string]any
	expect.NoError(t, json.Unmarshal(raw, &n))
	for _, c := range n["cells"].([]any) {
		if c := c.(map[string]any); c["cell_type"] == "code" {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	content, err := json.Marshal(n)
	expect.NoError(t, err)
	return content
}

// show scrolls to the end of a cell.
func (l *lab) show(i int) {
	l.t.Helper()
	read[bool](l.window, `(() => { `+cell(i, ".jp-Cell-outputArea")+`.scrollIntoView({block: 'end'}); return true })()`)
}
