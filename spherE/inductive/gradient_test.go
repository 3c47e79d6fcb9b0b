package inductive

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// referenceLoss is the loss of an example by the network in float64, for fixed weights of the negatives; it makes them
// where they are nil.
func referenceLoss(r *reference, g *kg.Graph, e example, q kg.Query, h Heads, temperature float64, weights []float64,
) (loss float64, made []float64) {
	facts := slices.DeleteFunc(slices.Clone(g.Train), func(t kg.Triple) bool { return t == e.positive })
	scores := r.scoresBy(g.Entities.Len(), g.Relations.Len(), facts, g.Train, q, h)
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	if weights == nil {
		sum := 0.
		for _, n := range e.negatives {
			weights = append(weights, math.Exp(scores[n]/temperature))
			sum += weights[len(weights)-1]
		}
		for i := range weights {
			weights[i] /= sum
		}
	}
	loss = softplus(-scores[e.answer])
	for i, n := range e.negatives {
		loss += weights[i] * softplus(scores[n])
	}
	return loss / 2, weights
}

// exampleTuner is a tuner of a small network, whose step is one example.
func exampleTuner(t *testing.T, tensors map[string]Tensor, h Heads, path string, batch int) *Tuner {
	t.Helper()
	graphs := []*kg.Graph{graphOf(t, 43, 19, 4, 60, 0)}
	tuner, err := networkOf(t, tensors).newTuner(graphs, h, Tuning{Batch: batch, Negatives: 5,
		Temperature: .7, LearningRate: .01, Decay: .02, Seed: 3}, path)
	expect.NoError(t, err)
	return tuner
}

// TestGradients compares gradients of all tensors with differences of the loss of the network in float64, for a tail
// query and for head queries by both ways.
func TestGradients(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		item  int
		heads Heads
	}{{"tail", 0, Inverse}, {"head", 1, Inverse}, {"head, direct", 1, Direct}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tensors := randomTensors(47, 16, 2, 2)
			tuner := exampleTuner(t, tensors, c.heads, "go", 2)
			e := tuner.examples(tuner.place())[c.item]
			q := e.positive.Query([]kg.Side{kg.TailSide, kg.HeadSide}[c.item])
			n := tuner.now
			b := newBackward(tuner.kernels, n.transposedNetwork())
			r := n.relationsOf(tuner.kernels, tuner.places[0].meeting.to, e.of)
			edges := tuner.places[0].edges
			g := n.example(b, newTrace(len(n.entity), edges.nodes(), n.width), edges, r, e, .7, 1)
			result := newTable(tuner.places[0].meeting.to.nodes(), n.width)
			result.set(int(e.asked), g.query)
			n.relationsGradient(b, tuner.places[0].meeting, r, g.weight, result, g.of)

			ref := &reference{tensors: tensors, width: n.width}
			loss, weights := referenceLoss(ref, tuner.places[0].graph, e, q, c.heads, .7, nil)
			if math.Abs(loss-g.loss) > 1e-4*loss {
				t.Fatalf("loss %g, want %g", g.loss, loss)
			}
			compareGradients(t, g.of.namedTensors(), func(name string, place int, change float64) float64 {
				ref.name, ref.place, ref.change = name, place, change
				loss, _ := referenceLoss(ref, tuner.places[0].graph, e, q, c.heads, .7, weights)
				return loss
			})
		})
	}
}

// compareGradients compares some floats of every tensor with differences of a loss.
func compareGradients(
	t *testing.T, gradients map[string]Tensor, loss func(name string, place int, change float64) float64,
) {
	t.Helper()
	const step = 1e-5
	for _, name := range slices.Sorted(maps.Keys(gradients)) {
		data := gradients[name].Data
		largest := 0.
		for place := 0; place < len(data); place += max(1, len(data)/7) {
			want := (loss(name, place, step) - loss(name, place, -step)) / (2 * step)
			largest = max(largest, math.Abs(want))
			if got := float64(data[place]); math.Abs(got-want) > 1e-3*math.Abs(want)+2e-5 {
				t.Errorf("%s %d: gradient %g, want %g", name, place, got, want)
			}
		}
		if largest < 1e-5 {
			t.Errorf("%s: all differences are below %g: nothing is compared", name, largest)
		}
	}
}
