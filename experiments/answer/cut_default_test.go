package answer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// recorded sets the default cuts of a run as its training does.
func recorded(t *testing.T, run *Run, head, tail string) {
	t.Helper()
	choice := func(cut string) eval.CutChoice {
		return eval.CutChoice{Cut: cut, Usual: "expected-novel", Lookup: .8, With: .7, Difference: eval.Interval{Low: -.2, High: -.1}}
	}
	raw, err := json.Marshal(eval.DefaultCuts{Head: choice(head), Tail: choice(tail)})
	expect.NoError(t, err)
	run.Info.Tags = map[string]string{TagCuts: string(raw)}
}

// calibratedRun is an untrained run on the bundled graph that answers by probabilities.
func calibratedRun(t *testing.T) *Run {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	run := untrained(t, g, t.TempDir())
	run.Config.Eval.Calibrate = true
	return run
}

// TestDefaultCutsOfSides: without a named cut each side is answered by the cut that is recorded for it, a lookup by the
// known facts alone; a named cut answers on both sides.
func TestDefaultCutsOfSides(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	run := calibratedRun(t)
	by := func(cut string) *retrieve.Retriever {
		t.Helper()
		r, err := run.Retriever(ctx, Cut{Name: cut}, retrieve.Options{NearMisses: -1}, nil)
		expect.NoError(t, err)
		return r
	}
	differ := 0
	for _, c := range [][2]string{{"expected-novel", "expected-union"}, {"expected-union", "lookup"},
		{"lookup", "expected-f1"}, {"lookup", "lookup"}, {"expected-union", "expected-union"}} {
		valid := c[1] != "expected-f1" // ChooseCuts never chooses that
		recorded(t, run, c[0], c[1])
		if !valid {
			c = [2]string{"expected-novel", "expected-novel"}
		}
		own := by("")
		for i, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			if got := run.DefaultCut(side); got != c[i] {
				t.Errorf("%v: %ss are answered by %s", c, side, got)
			}
			for _, fact := range run.Graph.Test[:40] {
				q := fact.Query(side)
				answer, err := own.Answer(ctx, q)
				expect.NoError(t, err)
				if answer.Cut != c[i] {
					t.Errorf("%v: an answer of %ss is said to be by %s", c, side, answer.Cut)
				}
				if want := run.Graph.Index(kg.Train, kg.Valid).Answers(q); c[i] == "lookup" {
					if answer.Total != len(want) || answer.Known != len(want) {
						t.Errorf("a lookup of %s has %s, want %d known facts", answer.QueryText(), answer.Words(), len(want))
					}
					continue
				}
				named, err := by(c[i]).Answer(ctx, q)
				if err != nil || !reflect.DeepEqual(answer.Set, named.Set) {
					t.Errorf("%v: %s: %s by default, %s by name (%v)", c, answer.QueryText(), answer.Words(), named.Words(), err)
				}
				if other, err := by("expected-novel").Answer(ctx, q); err != nil || other.Total != answer.Total {
					differ++
				}
			}
		}
	}
	if differ == 0 {
		t.Error("all cuts have the same sets")
	}
	recorded(t, run, "expected-novel", "expected-union")
	if named := by("fitted-f1"); named.CutText() != "fitted-f1" {
		t.Errorf("a named cut answers as %s", named.CutText())
	}
	if text := by("").CutText(); text != "expected-novel for heads, expected-union for tails" {
		t.Errorf("cuts %q", text)
	}
	want := fmt.Sprintf("cut expected-novel for heads: the run has probabilities fitted on %d validation facts; "+
		"cut expected-union for tails: on the validation facts expected-novel lowers union F1 from 0.800 to 0.700 "+
		"(difference -0.200 to -0.100)", len(run.Graph.Valid))
	if note := run.CutNote(Cut{}); note != want {
		t.Errorf("note %q", note)
	}
}

// TestDefaultCutsElsewhere: a run that has recorded none, one whose config chooses a criterion, and one of which
// another client wrote something answer as before.
func TestDefaultCutsElsewhere(t *testing.T) {
	t.Parallel()
	run := calibratedRun(t)
	isDefault(t, run, "expected-novel", fmt.Sprintf("the run has probabilities fitted on %d validation facts", len(run.Graph.Valid)))
	for _, text := range []string{"", "{", `{"head":{"cut":"top-10","usual":"expected-novel"}}`} {
		if ReadLogged(tracker.RunInfo{Tags: map[string]string{TagCuts: text}}).DefaultCuts != nil {
			t.Errorf("%s is read", text)
		}
	}
	recorded(t, run, "lookup", "expected-union")
	run.Config.Eval.Criterion = "sphere"
	isDefault(t, run, "sphere", "the run's config chooses it")
	run.Config.Eval.Criterion = "default"
	run.Config.Eval.Calibrate = false
	if note := run.CutNote(Cut{}); !strings.HasPrefix(note, "cut fitted-novel: ") {
		t.Errorf("note %q", note)
	}
}

// TestWorth: on each side a lookup is compared with the default cut, then with the usual one that this stands for, then
// with that for unions, each once and as far as it is measured.
func TestWorth(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	run := calibratedRun(t)
	report, err := run.Evaluate(ctx, EvalOptions{KeepRecords: true, SetResamples: true}, nil)
	expect.NoError(t, err)
	for _, c := range []struct{ head, tail, want string }{
		{"expected-novel", "expected-novel", "head expected-novel, tail expected-novel, head expected-union, tail expected-union"},
		{"expected-union", "expected-novel", "head expected-union, tail expected-novel, head expected-novel, tail expected-union"},
		{"lookup", "expected-union", "tail expected-union, head expected-novel, tail expected-novel, head expected-union"},
	} {
		recorded(t, run, c.head, c.tail)
		all, err := Worth(ctx, report, "expected-novel", ReadLogged(run.Info).DefaultCuts, eval.CompareSettings{Resamples: 20})
		expect.NoError(t, err)
		var got []string
		for _, w := range all {
			got = append(got, w.Side.String()+" "+w.Cut)
		}
		if list := strings.Join(got, ", "); list != c.want {
			t.Errorf("compared are %s, want %s", list, c.want)
		}
	}
}

// TestNoteOnMovedCut: where a side's cut is another than the usual one and finds hardly anything new, the note names
// the usual one first.
func TestNoteOnMovedCut(t *testing.T) {
	t.Parallel()
	run := calibratedRun(t)
	recorded(t, run, "lookup", "expected-union")
	by, err := run.Retriever(t.Context(), Cut{}, retrieve.Options{}, nil)
	expect.NoError(t, err)
	note, err := run.NovelNote(t.Context(), by, 0, nil)
	if err != nil || note == nil || !strings.Contains(note.Text, "cut lookup for heads, expected-union for tails retrieves") ||
		!strings.Contains(note.Text, "; cut expected-novel retrieves") || note.List[0].Subject != "expected-novel" {
		t.Errorf("note %+v, %v", note, err)
	}
}
