package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestImportModel imports a model that DGL-KE has written: eval has the MRR of DGL-KE, and the first answer
// of a query is the entity of its greatest score.
func TestImportModel(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	data := expect.Must[string](t)(filepath.Abs(filepath.Join("..", "..", "experiments", "foreign", "testdata")))
	graph, model := filepath.Join(data, "ten"), filepath.Join(data, "dglke", "rotate")
	var want struct {
		Entities, Relations []string
		Tail                [][][]float64
		MRR                 float64
	}
	raw, err := os.ReadFile(model + ".json")
	expect.NoError(t, err)
	expect.NoError(t, json.Unmarshal(raw, &want))

	p.fails(exitFailed, []string{"has no entities.tsv or entities.dict", "--names names another folder"}, "runs", "import-model", model,
		"--graph", graph)
	p.ok("runs", "import-model", model, "--graph", graph, "--names", filepath.Dir(model), "--set", "eval.drop_itself=false", "--set",
		"eval.bootstrap=0")
	var report struct {
		Ranking struct{ Both struct{ MRR float64 } }
	}
	expect.NoError(t, json.Unmarshal([]byte(p.ok("eval", "last", "--format", "json")), &report))
	if math.Abs(report.Ranking.Both.MRR-want.MRR) > 1e-6 {
		t.Errorf("MRR %v, DGL-KE has %v", report.Ranking.Both.MRR, want.MRR)
	}
	const head, relation = 6, 2
	best, scores := 0, want.Tail[relation][head]
	for e := range scores {
		if scores[e] > scores[best] {
			best = e
		}
	}
	text := p.ok("query", "last", want.Entities[head], want.Relations[relation], "?", "--cut", "top-1")
	if !strings.Contains(text, want.Entities[best]) {
		t.Errorf("the best answer is not %s:\n%s", want.Entities[best], text)
	}
}
