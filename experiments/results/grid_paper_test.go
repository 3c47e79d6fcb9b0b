package results

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
)

// TestPaperGrid: a run of a graph and model of the paper stands above the paper's line of the same cut. Others have no
// line.
func TestPaperGrid(t *testing.T) {
	t.Parallel()
	ours := Read(paperRun("aa", "sphere-2d", "released", "42", .4, ""))
	other := Read(paperRun("bb", "transe", "released", "42", .4, ""))
	elsewhere := ours
	elsewhere.Graph = "umls"
	g, err := PaperGrid([]Run{ours, other, elsewhere})
	expect.NoError(t, err)
	if len(g.Rows) != 2 {
		t.Fatalf("rows %q", g.Rows)
	}
	want := ours.Primary[HeadF1].Value
	if run := g.Rows[0]; run[0] != "SpherE-2D" || run[1] != "margin" || run[3] != ours.String() ||
		run[4] != quantity.Fraction(want, 3)+" ("+signed(want-.451)+")" {
		t.Errorf("the run's line is %q", run)
	}
	if paper := g.Rows[1]; !slices.Equal(paper, []string{"SpherE-2D", "margin", "released", "paper: RotatE, Sphere", ".451",
		".444", ".761", ".760", ".447"}) {
		t.Errorf("the paper's line is %q", paper)
	}
	if g, err := PaperGrid([]Run{other}); err != nil || len(g.Rows) != 0 || len(g.Notes) != 0 {
		t.Errorf("the grid for no numbers is %q, %v", g.Rows, err)
	}
}
