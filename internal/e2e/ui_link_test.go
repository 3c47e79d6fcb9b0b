package e2e

import (
	"strings"
	"testing"
)

// TestUIOpensLinksOfMLflow: the address of a run that MLflow's client prints leads to the run's page.
func TestUIOpensLinksOfMLflow(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", "bundled/rotate", "--set", "train.epochs=1")
	rows := strings.Split(p.ok("runs", "ls", "--format", "csv"), "\n")
	id, _, _ := strings.Cut(rows[1], ",")
	w := openWindow(t, strings.TrimSuffix(p.ui().address, "/")+"/#/experiments/1/runs/"+id, 1200, 900)
	w.waitFor("the run's page", `location.pathname === '/runs/`+id+`'`)
}
