package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
)

// TestFactsAreTheEvaluation: a cell sees what `eval --facts` measures, of one run and of two.
func TestFactsAreTheEvaluation(t *testing.T) {
	t.Parallel()
	settings := sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 2, Gamma: 1}
	r, run := drawnRun(t, "a", settings, 7)
	second, other := drawnRun(t, "b", settings, 9)
	second.session = r.session
	r.session.models["b"] = other
	file := filepath.Join(t.TempDir(), "kept-back.csv")
	expect.NoError(t, os.WriteFile(file, []byte("head,relation,tail\nMax Born,advised,Albert Einstein\n"+
		"Max Born,advised,Enrico Fermi\nMax Born,advised,Nobody\n"), 0o644))
	facts, err := answer.ReadHidden(file, run.Config.File.Reading())
	expect.NoError(t, err)
	for _, against := range []*answer.Run{nil, other} {
		want, err := run.EvaluateHidden(t.Context(), facts, answer.HiddenOptions{Against: against}, nil)
		expect.NoError(t, err)
		rows := r.Facts(file)
		if against != nil {
			rows = r.Facts(file, second)
		}
		if rows.Len() != 3 || len(want.Scores) != 3 || want.Facts == 0 {
			t.Fatalf("%d facts, %d rows", want.Facts, rows.Len())
		}
		for i, s := range want.Scores {
			got := []any{rows.Value(i, "side"), rows.Value(i, "facts"), rows.Value(i, "mrr"), rows.Value(i, "low"),
				rows.Value(i, "hits_10")}
			if got[0] != s.Side || got[1] != int64(s.Triples) || got[2] != s.MRR || got[3] != s.Interval.Low ||
				got[4] != s.Hits10 {
				t.Errorf("row %d: %v, want %+v", i, got, s)
			}
			if s.Against != nil && (rows.Value(i, "other") != s.Against.B ||
				rows.Value(i, "difference_high") != s.Against.Interval.High) {
				t.Errorf("row %d: %v, want %+v", i, rows, s.Against)
			}
		}
		if !strings.Contains(rows.String(), "1 fact is left out") {
			t.Errorf("no note of the unknown name:\n%s", rows)
		}
	}
	if e := caught(t, func() { r.Facts(file, r, r) }); !strings.Contains(e.Error(), "with one run") {
		t.Errorf("two other runs: %v", e)
	}
	if e := caught(t, func() { r.Facts(file + ".gone") }); !strings.Contains(e.Error(), "kept-back.csv.gone") {
		t.Errorf("a missing file: %v", e)
	}
}
