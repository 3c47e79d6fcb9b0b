package inductive

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// torchVariable names a Python that has PyTorch.
const torchVariable = "SPHERELAB_TEST_TORCH"

// TestTorch compares scores, the loss of an example and all of its gradients, by a public checkpoint, with those of
// PyTorch: equal to 1e-4.
func TestTorch(t *testing.T) {
	t.Parallel()
	python := os.Getenv(torchVariable)
	if python == "" {
		t.Skip("skipped: ", torchVariable, " does not name a Python with PyTorch (Debian: apt-get install python3-torch); "+
			"make soak sets it where there is one")
	}
	file := graphtest.File(t, "ultra/ultra_3g.pth")
	n, err := Open(file)
	expect.NoError(t, err)
	g := graphOf(t, 89, 50, 5, 180, 0)
	tuner, err := n.NewTuner([]*kg.Graph{g}, Direct, Tuning{Batch: 2, Negatives: 12, Temperature: .8, LearningRate: 1,
		Seed: 7})
	expect.NoError(t, err)
	e := tuner.examples(tuner.place())[1]
	m, err := n.On("ultra-3g", g)
	expect.NoError(t, err)
	queries := queriesOf(g, 10)
	answer := askTorch(t, python, file, m, g, queries, e)

	for i, scores := range scoresOf(t, m, queries, 1) {
		for entity, x := range scores {
			if want := answer.Scores[i][entity]; math.Abs(float64(x)-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%v: score of %d is %g, want %g", queries[i], entity, x, want)
			}
		}
	}
	b := newBackward(tuner.kernels, tuner.now.transposedNetwork())
	r := n.relationsOf(tuner.kernels, tuner.places[0].meeting.to, e.of)
	got := n.example(b, newTrace(len(n.entity), g.Entities.Len(), n.width), tuner.places[0].edges, r, e, .8, 1)
	result := newTable(2*g.Relations.Len(), n.width)
	result.set(int(e.asked), got.query)
	n.relationsGradient(b, tuner.places[0].meeting, r, got.weight, result, got.of)
	if math.Abs(got.loss-answer.Loss) > 1e-4*answer.Loss {
		t.Errorf("loss %g, want %g", got.loss, answer.Loss)
	}
	for name, gradient := range got.of.namedTensors() {
		want, largest := answer.Gradients[name], 0.
		for _, x := range want {
			largest = max(largest, math.Abs(x))
		}
		if len(want) != len(gradient.Data) || largest == 0 {
			t.Fatalf("%s: %d gradients up to %g", name, len(want), largest)
		}
		for i, x := range gradient.Data {
			if math.Abs(float64(x)-want[i]) > 1e-4*largest+1e-4*math.Abs(want[i]) {
				t.Fatalf("%s %d: gradient %g, want %g; the largest is %g", name, i, x, want[i], largest)
			}
		}
	}
}

type torchAnswer struct {
	Scores    [][]float64          `json:"scores"`
	Loss      float64              `json:"loss"`
	Gradients map[string][]float64 `json:"gradients"`
}

func askTorch(
	t *testing.T, python, file string, m *Model, g *kg.Graph, queries []kg.Query, e example,
) (answer torchAnswer) {
	t.Helper()
	triple := func(f kg.Triple) [3]int32 { return [3]int32{f.Head, f.Relation, f.Tail} }
	var facts, meeting, asked [][3]int32
	for _, f := range g.Train {
		facts = append(facts, triple(f))
	}
	for _, edge := range referenceRelationGraph(g.Relations.Len(), g.Train) {
		meeting = append(meeting, [3]int32{int32(edge.to), int32(edge.from), int32(edge.kind)})
	}
	for _, q := range queries {
		kind, of := askedFor(q, g.Relations.Len(), m.heads)
		asked = append(asked, [3]int32{q.Known, kind, of})
	}
	given, err := json.Marshal(map[string]any{"checkpoint": file, "entities": g.Entities.Len(),
		"relations": g.Relations.Len(), "facts": facts, "meeting": meeting, "queries": asked,
		"example": map[string]any{"known": e.known, "asked": e.asked, "of": e.of, "answer": e.answer,
			"negatives": e.negatives, "positive": triple(e.positive), "temperature": .8}})
	expect.NoError(t, err)
	cmd := exec.Command(python, "../../_tool/python/inductive_torch.py")
	cmd.Stdin = bytes.NewReader(given)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	expect.NoError(t, json.Unmarshal(out, &answer))
	return answer
}
