package sphere

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// allCase is a model of the loss one-vs-all.
type allCase struct {
	model      string
	reciprocal bool
	variant    string
	predicts   bool // relations
}

// allCases has dot products, and distances of every kind: of points and spheres, of whole rows, with factors, of
// coordinates, of blocks with radii, and from boxes. Under the race detector it has a third of them.
func allCases() []allCase {
	var all []allCase
	for _, model := range []string{ComplEx, DistMult} {
		for _, reciprocal := range []bool{false, true} {
			all = append(all, allCase{model, reciprocal, Clean, false}, allCase{model, reciprocal, Clean, true})
		}
	}
	all = append(all, allCase{RESCAL, false, Clean, false}, allCase{RESCAL, true, Clean, false})
	for _, c := range [][2]string{{RotatE, Clean}, {RotatE, Paper}, {Rotate3D, Clean}, {SpherE2D, Clean},
		{SpherE2D, Released}, {SpherE2D, Paper}, {SpherE3D, Released}, {TransE, Clean}, {TransEL2, Clean},
		{HousE5D, Released}, {HousE5D, Clean}, {SpherE5D, Released}, {BoxE, Clean}} {
		all = append(all, allCase{c[0], false, c[1], false})
	}
	at := -1
	return slices.DeleteFunc(all, func(allCase) bool {
		at++
		return at%expect.Fewer(1, 3) > 0
	})
}

func allTraining(epochs int) Training {
	s := publishedTraining(epochs, 3, 37, 7, 11)
	s.Loss, s.N3, s.LearningRate, s.Threads = OneVsAll, 0.05, 0.1, 1
	return s
}

func newAllTrainer(tb testing.TB, c allCase, g *kg.Graph, dimension int, t Training) *Trainer {
	tb.Helper()
	s := publishedSettings(c.model, c.variant, dimension)
	s.Reciprocal = c.reciprocal
	m, err := New(s, g, t.Seed)
	expect.NoError(tb, err)
	trainer, err := NewTrainer(m, g, c.training(t))
	expect.NoError(tb, err)
	tb.Cleanup(trainer.Close)
	return trainer
}

// training is t, with the prediction of relations where the case has it.
func (c allCase) training(t Training) Training {
	if c.predicts {
		t.RelationWeight = 0.7
	}
	return t
}

// allLoss is the loss of a batch, fact by fact, from the formula: each side of a fact has a softmax of its own and its
// share of N3. With a weight every fact predicts its relation, too.
func (r *reference) allLoss(g *kg.Graph, queries []kg.Query, t Training) float64 {
	cubes := func(blocks [][]float64) (sum float64) {
		for _, block := range blocks {
			square := 0.0
			for _, x := range block {
				square += x * x
			}
			sum += math.Pow(square, 1.5)
		}
		return sum
	}
	factors := func(q kg.Query) (blocks [][]float64) {
		if !r.product() {
			return nil
		}
		for _, block := range r.phase[q.Relation] {
			half := len(block)
			switch {
			case r.s.Reciprocal && q.Side == kg.HeadSide:
				block = block[half/2:]
			case r.s.Reciprocal:
				block = block[:half/2]
			}
			if r.s.Model == RESCAL { // a block is one number
				blocks = slices.AppendSeq(blocks, slices.Chunk(block, 1))
				continue
			}
			blocks = append(blocks, block)
		}
		return blocks
	}
	sum, distinct := 0.0, map[kg.Query]bool{}
	for _, x := range g.Train {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			q := x.Query(side)
			distinct[q] = true
			times := 0.0 // a batch at the end of a pass may have a query twice
			for _, drawn := range queries {
				if drawn == q {
					times++
				}
			}
			if times == 0 {
				continue
			}
			total := 0.0
			for e := range int32(len(r.center)) {
				other := x
				if side == kg.HeadSide {
					other.Head = e
				} else {
					other.Tail = e
				}
				total += math.Exp(-r.d(other, side, true))
			}
			sum += times * (math.Log(total) + r.d(x, side, true))
			if t.RelationWeight > 0 {
				sum += times * t.RelationWeight * (math.Log(r.sumOfRelations(x, side)) - r.score(x, side))
			}
			sum += times * t.N3 * (cubes(r.center[x.Head]) + cubes(r.center[x.Tail]) + cubes(factors(q)))
		}
	}
	return sum * float64(len(distinct)) / float64(len(queries)*2*len(g.Train))
}

// sumOfRelations sums the exponentials of the scores of a fact with all relations in place of its own; with reciprocal
// relations the factors of the other side of every relation lead from the known entity to the answer, too.
func (r *reference) sumOfRelations(x kg.Triple, side kg.Side) (sum float64) {
	for relation := range int32(len(r.phase)) {
		other := x
		other.Relation = relation
		sum += math.Exp(r.score(other, side))
		if r.s.Reciprocal {
			other.Head, other.Tail = x.Tail, x.Head
			sum += math.Exp(r.score(other, kg.HeadSide+kg.TailSide-side))
		}
	}
	return sum
}

// closed counts the answers to the queries of a graph whose d is 0.
func (r *reference) closed(g *kg.Graph) (n int) {
	for _, x := range g.Train {
		for e := range int32(len(r.center)) {
			if r.d(kg.Triple{Head: x.Head, Relation: x.Relation, Tail: e}, kg.TailSide, true) == 0 {
				n++
			}
		}
	}
	return n
}

// TestGoldenOneVsAll trains the float64 reference, with gradients by central differences and its own Adagrad, and
// compares it with the trainer step by step. The batch is not a divisor of the queries, and the steps go over them
// twice.
func TestGoldenOneVsAll(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 2, 14, 3, 60)
	settings := allTraining(expect.Fewer(4, 2))
	settings.Batch, settings.Threads, settings.AdamEpsilon = 23, 2, 1e-3
	for _, c := range allCases() {
		if !(Settings{Model: c.model}).isProduct() { // the reference of distances takes longer
			settings.Steps = 1
		}
		trainer := newAllTrainer(t, c, g, 3, settings)
		for e := range trainer.model.radius {
			trainer.model.radius[e] *= 3
		}
		ref := newReference(trainer.model)
		variables := ref.variables(trainer.model)
		squares := make([]float64, len(variables))
		if trainer.model.radius != nil && ref.closed(g) == 0 {
			t.Errorf("%v: no entity is inside the spheres: the test does not see them", c)
		}
		step := uint64(0)
		for range settings.Epochs {
			mean := 0.0
			for range settings.Steps {
				queries, answers := make([]kg.Query, settings.Batch), make([][]int32, settings.Batch)
				trainer.all.sampler.Draw(step, queries, answers)
				mean += ref.allLoss(g, queries, trainer.settings) / float64(settings.Steps)
				gradient := make([]float64, len(variables))
				const dx = 1e-5
				for i, v := range variables {
					v.add(dx)
					above := ref.allLoss(g, queries, trainer.settings)
					v.add(-2 * dx)
					gradient[i] = (above - ref.allLoss(g, queries, trainer.settings)) / (2 * dx)
					v.add(dx)
				}
				for i, x := range gradient {
					squares[i] += x * x
					variables[i].add(-settings.LearningRate * x / (math.Sqrt(squares[i]) + settings.AdamEpsilon))
				}
				step++
			}
			stats, err := trainer.Epoch(context.Background())
			expect.NoError(t, err)
			if math.Abs(stats.Loss-mean) > 1e-4*mean {
				t.Errorf("%v, epoch %d: loss %.8f, reference %.8f", c, stats.Epoch, stats.Loss, mean)
			}
		}
		after := newReference(trainer.model)
		for i, want := range ref.flat() {
			if got := after.flat()[i]; math.Abs(got-want) > 1e-3 {
				t.Errorf("%v: parameter %d: %.7f, reference %.7f", c, i, got, want)
			}
		}
		moved := 0
		for i, v := range variables {
			got := float64(v.in(trainer.all.squares))
			if math.Abs(got-squares[i]) > 1e-5+5e-3*squares[i] {
				t.Errorf("%v: %s: sum of squares %.8f, reference %.8f", c, v.name, got, squares[i])
			}
			if got > 1e-8 {
				moved++
			}
		}
		if moved < len(variables)*9/10 {
			t.Errorf("%v: only %d of %d variables moved: the test does not see them", c, moved, len(variables))
		}
		if after.product() && checkScores(t, trainer.model, after) == 0 {
			t.Error("no score was compared")
		}
	}
}

// checkScores compares the distances of all queries with the scores of the formulas.
func checkScores(t *testing.T, m *Model, ref *reference) (compared int) {
	t.Helper()
	dist := make([]float32, m.Entities())
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for known := range int32(m.Entities()) {
			q := kg.Query{Side: side, Known: known, Relation: 1}
			m.Distances([]kg.Query{q}, dist)
			for e, d := range dist {
				x := kg.Triple{Head: known, Relation: 1, Tail: int32(e)}
				if side == kg.HeadSide {
					x.Head, x.Tail = x.Tail, x.Head
				}
				if want := -ref.score(x, side); math.Abs(float64(d)-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%s, reciprocal %v: %v of the query for side %v is %g, want %g", m.settings.Model,
						m.settings.Reciprocal, x, side, d, want)
				}
				compared++
			}
		}
	}
	return compared
}

// goldenAll are digests of NumericsVersion 1, as goldenDigest.
var goldenAll = map[allCase]string{
	{ComplEx, false, Clean, false}:     "0cd147951d3963873239aedd2c4a27b3de00f9eeef4b8e5f5de1ee5422e5e1a9",
	{ComplEx, true, Clean, false}:      "368f0c03e13b72a3fde57d76000a96f6c36bbf10cd0687df320aa6b5d7589962",
	{DistMult, false, Clean, false}:    "51565eb145da4a69f281ffa9c795e22c014b241027b91c8e824b3cf5dc426a78",
	{DistMult, true, Clean, false}:     "a28b9c94332723d1a67e88d4cd255f2c4808b2b337bedf4be50d50588d36c488",
	{RESCAL, false, Clean, false}:      "fbca5c1d33e600ca76a4f0b2574ebdd41af4d8c10b5b744eb3f5dc9141f11c3a",
	{RESCAL, true, Clean, false}:       "d1ad1030165fab51ab80f1ce102598a903ffe8f6506f6f64fe77f692251d248f",
	{RotatE, false, Clean, false}:      "9b163d8d307621b96d0c5ddf3390f91063113b3fd28e4f796ac48b5982ba3d6d",
	{RotatE, false, Paper, false}:      "baa802614cd4f5425a7983858dc122cc022fece840ac3381deb44d405e75cb8a",
	{Rotate3D, false, Clean, false}:    "53ad1c56d17c24eb411b68f0ae9ae65dfe4e2e11a24933bc57b24b5e76f3c639",
	{SpherE2D, false, Clean, false}:    "9ae869d61118a42924332fa691be24e587511e186ecfee25d53fbc846eb35dc4",
	{SpherE2D, false, Released, false}: "9d96fa51dfa37e17be3bcd383b372d17969dfa86cebb953e296990e32dc4de7b",
	{SpherE2D, false, Paper, false}:    "9fa17342219adb5eab923c20c599d298387f795066d1266a736fbfeb6999e6e8",
	{SpherE3D, false, Released, false}: "b8e420adf01745adbe58a14bcc1cc128a3cd33dcdce4bdff3910e9168214ecfe",
	{TransE, false, Clean, false}:      "2259c1ab0b8e50efaa6496ddc817ccd6343ec3e59c3994fa722fe29c8321aadd",
	{TransEL2, false, Clean, false}:    "4a01a4fb8884f23f18712848c31ee8947aa6168da3736915bf8d7b5e959cad82",
	{HousE5D, false, Released, false}:  "f0e979125905bbca275037f334cb14a17cd74a8881534155beb3c5b752595794",
	{HousE5D, false, Clean, false}:     "dec8049a4f82c933c7a8bbd6c15401821810740e5afaf8c3d18fee58c8ad2b49",
	{SpherE5D, false, Released, false}: "1296377ebce011da2b7ccc2813f4e95f6a29a0918de4fb80e453f4bb2294ac53",
	{ComplEx, false, Clean, true}:      "4176ad6326eb1756d9eb0a727e5ee0ec88500346fecf897cbd50ba684f1de62c",
	{ComplEx, true, Clean, true}:       "fdb61c6f283c648fb28527a044499eb55f576a89e956ab83310727463362d77b",
	{DistMult, false, Clean, true}:     "1586c48ca9b16d650b4a408498d9e6239d062fc04a6650fd8aaba3709722f08d",
	{DistMult, true, Clean, true}:      "acc40764907040b508846436b180f4a3af0cdb29c5e1bebe89b0a10c8b64c616",
	{BoxE, false, Clean, false}:        "09071f2de6f8f2db65b102311d1233e779680ebf641c6120dfce3aa96f772b94",
}

// TestOneVsAllIsTheSameEverywhere trains on every path with several numbers of threads, on more entities and queries
// than a unit of work has, and with every setting that the loss reads changed.
func TestOneVsAllIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	want, losses := map[allCase]string{}, map[allCase][]float64{}
	for _, c := range allCases() {
		want[c], losses[c] = run(t, newAllTrainer(t, c, g, 21, allTraining(4)))
		if want[c] != goldenAll[c] {
			t.Errorf("%v: %q, numerics version %d has %q", c, want[c], NumericsVersion, goldenAll[c])
		}
		for name, change := range map[string]func(*Training){
			"n3":               func(s *Training) { s.N3 = 0 },
			"learning rate":    func(s *Training) { s.LearningRate = 0.05 },
			"Settings.Epsilon": func(s *Training) { s.AdamEpsilon = 1e-3 },
			"batch":            func(s *Training) { s.Batch = 38 },
			"seed":             func(s *Training) { s.Seed++ },
		} {
			s := allTraining(4)
			change(&s)
			if got, _ := run(t, newAllTrainer(t, c, g, 21, s)); got == want[c] {
				t.Errorf("%v: %s changes nothing", c, name)
			}
		}
	}
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range allCases() {
			for _, threads := range []int{1, 2, 3, 7} {
				s := allTraining(4)
				s.Threads, s.SIMD = threads, path.String()
				got, l := run(t, newAllTrainer(t, c, g, 21, s))
				if got != want[c] || !slices.Equal(l, losses[c]) {
					t.Errorf("%v: %d threads on %s give other bits", c, threads, path)
				}
			}
		}
	})
}

// TestOneVsAllResumes stops after every step and continues from the saved state.
func TestOneVsAllResumes(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range allCases() {
		settings := allTraining(3)
		want, losses := run(t, newAllTrainer(t, c, g, 21, settings))
		for stop := 0; stop < settings.Epochs*settings.Steps; stop += expect.Fewer(1, 4) {
			trainer := newAllTrainer(t, c, g, 21, settings)
			var seen []float64
			for ctx := (&stopAfter{context.Background(), stop}); ; {
				stats, err := trainer.Epoch(ctx)
				if err != nil {
					break
				}
				seen = append(seen, stats.Loss)
			}
			path := filepath.Join(t.TempDir(), "state.safetensors")
			expect.NoError(t, trainer.Save(path))
			settings.Threads = 2
			resumed, err := ResumeTrainer(path, g, c.training(settings))
			expect.NoError(t, err)
			t.Cleanup(resumed.Close)
			got, rest := run(t, resumed)
			if got != want || !slices.Equal(append(seen, rest...), losses) {
				t.Errorf("%v: stopped after step %d, the resumed training gives other bits", c, stop)
			}
			other := c.training(settings)
			other.N3 = 0.5
			if _, err := ResumeTrainer(path, g, other); err == nil || !strings.Contains(err.Error(), "N3") {
				t.Errorf("%v: resumed with another weight of N3: %v", c, err)
			}
		}
	}
}

// TestOneVsAllDivergence: a loss that is not finite stops before the step changes anything.
func TestOneVsAllDivergence(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	trainer := newAllTrainer(t, allCase{ComplEx, true, Clean, false}, g, 8, allTraining(2))
	if _, err := trainer.Epoch(context.Background()); err != nil {
		t.Fatal(err)
	}
	trainer.model.row(3)[1] = float32(math.NaN())
	before := digestOf(trainer.tensors())
	_, err := trainer.Epoch(context.Background())
	if e, ok := errors.AsType[*DivergedError](err); !ok || e.Epoch != 2 || e.Step != 1 {
		t.Fatalf("error %v, want a DivergedError at epoch 2, step 1", err)
	}
	if digestOf(trainer.tensors()) != before {
		t.Error("the diverged step changed parameters")
	}
	if err := trainer.Save(filepath.Join(t.TempDir(), "state.safetensors")); err == nil {
		t.Error("a diverged state was saved")
	}
}

func TestOneVsAllDoesNotAllocate(t *testing.T) {
	g := smallGraph(t, 7, 90, 5, 600)
	s := allTraining(1000)
	s.Threads = 2
	noAllocations(t, newAllTrainer(t, allCase{ComplEx, true, Clean, false}, g, 21, s))
	noAllocations(t, newAllTrainer(t, allCase{DistMult, false, Clean, false}, g, 21, s))
	noAllocations(t, newAllTrainer(t, allCase{SpherE2D, false, Paper, false}, g, 21, s))
	noAllocations(t, newAllTrainer(t, allCase{BoxE, false, Clean, false}, g, 21, s))
}

// TestOneVsAllRefuses checks the settings that do not fit the loss or the model.
func TestOneVsAllRefuses(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for key, change := range map[string]func(*Settings, *Training){
		"Settings.Reciprocal":     func(s *Settings, _ *Training) { s.Model, s.Reciprocal = RotatE, true },
		"Training.N3":             func(_ *Settings, t *Training) { t.Loss = SelfAdversarial },
		"Training.Regularizer":    func(_ *Settings, t *Training) { t.Regularizer = 1 },
		"Training.WarmUp":         func(_ *Settings, t *Training) { t.WarmUp = 1 },
		"Training.Subsample":      func(_ *Settings, t *Training) { t.Subsample = true },
		"Training.TypedNegatives": func(_ *Settings, t *Training) { t.TypedNegatives = .1 },
	} {
		s, training := publishedSettings(ComplEx, Clean, 8), allTraining(1)
		change(&s, &training)
		m, err := New(s, g, 1)
		if err == nil {
			_, err = NewTrainer(m, g, training)
		}
		if e, ok := errors.AsType[*SettingError](err); !ok || e.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
	training := allTraining(1)
	training.Loss, training.N3 = "one", 0
	if e, ok := errors.AsType[*SettingError](training.Validate()); !ok || e.Key != "Training.Loss" {
		t.Errorf("an unknown loss: %v", e)
	}
	training = allTraining(1)
	training.Negatives, training.Steps = g.Entities.Len(), 0
	settled, err := training.On(g)
	if queries := g.Index(kg.Train).Queries(); err != nil || settled.Steps != queries/training.Batch {
		t.Errorf("%d steps of %d of %d queries, %v", settled.Steps, training.Batch, queries, err)
	}
}
