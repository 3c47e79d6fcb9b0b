package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNotebookInterruptInJupyterLab trains in JupyterLab as a person does: run all, press the stop button during a training, go on in the next cell. The
// model has the bits of a training without the interrupt.
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
	l.waitFor("a training that is watched", cell(1, ".jp-Cell-outputArea")+`?.innerText.match(/epoch [1-9]\d* of 300.*steps\/s/)`)
	l.shot("training")
	l.waitFor("the second training on its way", cell(2, ".jp-Cell-outputArea")+`?.innerText.match(/epoch [1-9]\d* of 300.*steps\/s/)`)
	l.press("interrupt")
	l.outputs(2, `go on with lab.Resume("last")`)
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

// show scrolls to the end of a cell.
func (l *lab) show(i int) {
	l.t.Helper()
	read[bool](l.window, `(() => { `+cell(i, ".jp-Cell-outputArea")+`.scrollIntoView({block: 'end'}); return true })()`)
}
