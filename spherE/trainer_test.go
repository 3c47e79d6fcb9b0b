package sphere

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// smallTraining is the training of the tests that compare bits.
func smallTraining(epochs int) Training {
	t := publishedTraining(epochs, 4, 37, 7, 11)
	t.LearningRate, t.Threads = 0.02, 1
	return t
}

// run trains all epochs and returns the digest of the state, and the losses.
func run(tb testing.TB, t *Trainer) (string, []float64) {
	tb.Helper()
	var losses []float64
	for t.Done() < t.settings.Epochs {
		s, err := t.Epoch(context.Background())
		expect.NoError(tb, err)
		losses = append(losses, s.Loss)
	}
	return digestOf(t.tensors()), losses
}

// goldenDigest has the digests of NumericsVersion 1: parameters and moments after 20 steps of every model. A change of
// them raises NumericsVersion.
var goldenDigest = map[string]string{
	"rotate/released":     "ba0c29b0ef672b89699e63a200770c85992dfd28ad0e815464f6e28cfbe184ea",
	"rotate/paper":        "788292b33168fe2e05ee053f0d553d43de4f28c2a7747966e0cddbdd464c3497",
	"rotate/clean":        "ba0c29b0ef672b89699e63a200770c85992dfd28ad0e815464f6e28cfbe184ea",
	"rotate3d/released":   "2bc7fcbdc2fbc36990f54922eb4681bce850a4bc95b8654651280b606661a317",
	"rotate3d/paper":      "daf1f88017801955ae2dccc8446b283657008a99ad7b95823964c18f8c5b0882",
	"rotate3d/clean":      "8b9b9d911b4e2b70781c7ba89a6eff5277bd4cd68cddb24fc2d2a85f6bdd4082",
	"sphere-2d/released":  "e71cc3b877ffc1f421fd80bd9c40c143cbc8f4cfed3da11884229c65061b78ed",
	"sphere-2d/paper":     "c1539f7b30ad5f2aa30956f67de29a89c31c3640b1ded16378690dad6f05d5ac",
	"sphere-2d/clean":     "6324a0a44e4c307349e816fa87f6fdff02668545f453dca1447d1ea2cf62484b",
	"sphere-3d/released":  "adf899c41d77bb2d49f9083e742f26cf238225a20fb434fd500b37b03f40d56f",
	"sphere-3d/paper":     "e4a0a2ee299361a3a8061b25d10c90ad3e79f56f1de38fe86ad6b7ed60fad1a8",
	"sphere-3d/clean":     "2f0abf051904426898923e9f7694e48fc22a69299769bd20870d7f63ed93eaa2",
	"house-5d/released":   "4ade4176e6fa5046f1e9acc8d6cfa160d4341733f73969a6e67defc1a852c635",
	"house-5d/clean":      "961eaf6e18656f21c9c354f82b35cfcfa5afe7f0e2c468bc12c9c4052c482fb9",
	"house-10d/released":  "072340991af29439fbc4591fb950bc06b8ce515aa03e272ddbc4b456feb0c88f",
	"house-10d/clean":     "62d60970b7fd3f4f088fc3a7c30c9c860c2ea6c73f7bdf81992a4759cf163656",
	"house-20d/released":  "f32cbde4ef39bcac74d55cdbb6bbc92be36795d8542dd7066258db0b939be9f5",
	"house-20d/clean":     "25766f16c3a9e161b3deb07fa0f2a8834ec3e08640ac0285389ba95abfbe0b77",
	"sphere-5d/released":  "20023acb3e7bf79ab07d5d9a127d3065d114c1018c74c75127ce428515a418f7",
	"sphere-5d/clean":     "5e6f0ae7c4dda59549da9fd25715554a6e04c3b1d192aa7cb6dfbfe51cd2d0eb",
	"sphere-10d/released": "98bf90a168947bb648012ccf59f45cd2880c337cb4d33350b988f099a44eec96",
	"sphere-10d/clean":    "1dff4e8625a0305fcb587ccf56b0de0d0ecb4864c0e596e77e6313beda138fd8",
	"sphere-20d/released": "b39d2b75d9d399875809d8596aa871425deceef7c2abe8c11107d6fb1b2bb33b",
	"sphere-20d/clean":    "1d535da34b2d20e83b99ea31b29c7847063ce6acf9e752a0ce93824c5d57a40d",
	"transe/clean":        "41be73443ec2541f222ccd6f47185be7cf0f50ef2a7614d2fcf22b65b919fa54",
	"transe-l2/clean":     "06f9d61bdd1ffe709b514d7c6880a4e341e4f9a00c4f644d52d6a601170b7d5b",
	"boxe/clean":          "1554b50ad1a6be498f5f22fa9099810043443ae62bd46cb214cd805dc80217e6",
	"distmult/clean":      "cffdcb0ad56f7e6f46339a7b0eec876da3c67f391567b91083eac93ce554f9c1",
	"complex/clean":       "76b7b72ad9c08886e359f500f9ae68f130ca826c86ba77fa3d449bf5ce48c50c",
	"rescal/clean":        "6b23c32bd12f27c5aae72bea8b37cb7ef333dca9cdb71d1b44a8668beed5f77e",
}

func TestBitsAreThoseOfNumericsVersion(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range everyModel() {
			s := smallTraining(5)
			s.SIMD = path.String()
			got, _ := run(t, newTestTrainer(t, c, g, 21, s))
			if want := goldenDigest[c.String()]; got != want {
				t.Errorf("%q: %q, // numerics version %d has %q", c, got, NumericsVersion, want)
			}
		}
	})
}

// TestRootsChangeNothing has rows that are long enough for the groups of vectors in which roots are mixed, which the
// rows of the other tests are not.
func TestRootsChangeNothing(t *testing.T) {
	t.Parallel()
	const dimension = 6*simd.Lanes + 3
	g := smallGraph(t, 7, 90, 5, 600)
	s := smallTraining(1)
	s.SIMD = "go"
	want := map[testCase]string{}
	for _, c := range maxModels() {
		want[c], _ = run(t, newTestTrainer(t, c, g, dimension, s))
	}
	simdtest.Each(t, false, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range maxModels() {
			s := s
			s.SIMD = path.String()
			if got, _ := run(t, newTestTrainer(t, c, g, dimension, s)); got != want[c] {
				t.Errorf("%s: %s gives other bits", c, path)
			}
		}
	})
}

// epochsOf is 50, or fewer for models with long rows.
func epochsOf(c testCase) int { return max(3, expect.Fewer(50, 3)/c.coordinates()*2) }

// TestThreadsAndPathsChangeNothing runs many steps of every model on every path and several numbers of threads.
func TestThreadsAndPathsChangeNothing(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	want, losses := map[testCase]string{}, map[testCase][]float64{}
	for _, c := range maxModels() {
		want[c], losses[c] = run(t, newTestTrainer(t, c, g, 21, smallTraining(epochsOf(c))))
		s := smallTraining(epochsOf(c))
		s.Seed++
		if got, _ := run(t, newTestTrainer(t, c, g, 21, s)); got == want[c] {
			t.Errorf("%s: another seed gives the same bits", c)
		}
	}
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		t.Parallel()
		for _, c := range maxModels() {
			for _, threads := range []int{1, 2, 3, 7} {
				s := smallTraining(epochsOf(c))
				s.Threads, s.SIMD = threads, path.String()
				got, l := run(t, newTestTrainer(t, c, g, 21, s))
				if got != want[c] || !slices.Equal(l, losses[c]) {
					t.Errorf("%s: %d threads on %s give other bits", c, threads, path)
				}
			}
		}
	})
}

// TestKeptLengthsChangeNothing compares trainings that keep the lengths of blocks with trainings that compute them
// twice, as long rows do.
func TestKeptLengthsChangeNothing(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	want := map[testCase]string{}
	for _, c := range maxModels() {
		want[c], _ = run(t, newTestTrainer(t, c, g, 21, smallTraining(5)))
	}
	simdtest.Each(t, true, simd.Select, func(t *testing.T, path *simd.Kernels) {
		for _, c := range maxModels() {
			s := smallTraining(5)
			s.SIMD = path.String()
			trainer := newTestTrainer(t, c, g, 21, s)
			if !trainer.scratch[0].keeps {
				t.Fatal("the small training does not keep lengths")
			}
			trainer.scratch[0].keeps = false
			if got, _ := run(t, trainer); got != want[c] {
				t.Errorf("%s: without kept lengths %s gives other bits", c, path)
			}
		}
	})
	wide := smallTraining(1)
	wide.Batch, wide.Negatives = 3, 80
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 1024, wide)
	if trainer.scratch[0].keeps || len(trainer.scratch[0].length) != 1024 {
		t.Errorf("81 candidates of 1,024 blocks keep %d lengths", len(trainer.scratch[0].length))
	}
	run(t, trainer)
}

// stopAfter is a context that ends after some checks.
type stopAfter struct {
	context.Context
	checks int
}

func (c *stopAfter) Err() error {
	if c.checks == 0 {
		return context.Canceled
	}
	c.checks--
	return nil
}

func TestResumeChangesNothing(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range maxModels() {
		want, losses := run(t, newTestTrainer(t, c, g, 21, smallTraining(5)))
		for stop := 0; stop < 20; stop += expect.Fewer(1, 7) { // every step of every epoch
			trainer := newTestTrainer(t, c, g, 21, smallTraining(5))
			var got []float64
			ctx := &stopAfter{context.Background(), stop}
			for {
				s, err := trainer.Epoch(ctx)
				if errors.Is(err, context.Canceled) {
					break
				}
				expect.NoError(t, err)
				got = append(got, s.Loss)
			}
			path := filepath.Join(t.TempDir(), "state.safetensors")
			expect.NoError(t, trainer.Save(path))
			if stop%2 == 0 { // the trainer itself continues as well
				again, rest := run(t, trainer)
				if again != want || fmt.Sprint(append(got[:len(got):len(got)], rest...)) != fmt.Sprint(losses) {
					t.Fatalf("%s: interrupted after %d steps and continued: other bits", c, stop)
				}
			}
			settings := smallTraining(5)
			settings.Threads = 2
			resumed, err := ResumeTrainer(path, g, settings)
			expect.NoError(t, err)
			digest, rest := run(t, resumed)
			resumed.Close()
			if digest != want || fmt.Sprint(append(got, rest...)) != fmt.Sprint(losses) {
				t.Fatalf("%s: stopped after %d steps and resumed: other bits", c, stop)
			}
		}
	}
}

func TestResumeRefusesOtherRuns(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 8, smallTraining(2))
	path := filepath.Join(t.TempDir(), "state.safetensors")
	expect.NoError(t, trainer.Save(path))
	other := smallTraining(2)
	other.LearningRate = 0.5
	if _, err := ResumeTrainer(path, g, other); err == nil {
		t.Error("another learning rate was accepted")
	}
	if _, err := ResumeTrainer(path, smallGraph(t, 8, 90, 5, 600), smallTraining(2)); err == nil {
		t.Error("another graph was accepted")
	}
	if _, err := ResumeTrainer(path+".none", g, smallTraining(2)); err == nil {
		t.Error("a missing file was accepted")
	}
	content, err := os.ReadFile(path)
	expect.NoError(t, err)
	for _, change := range [][2]string{{`"step":"0"`, `"step":"7"`}, {`"loss_sum_bits":"0"`, `"loss_sum_bits":"9"`},
		{`\"Gamma\":2`, `\"Gamma\":3`}, {`"numerics_version":"1"`, `"numerics_version":"0"`}} {
		damaged := bytes.Replace(content, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(damaged, content) {
			t.Fatalf("no %s in the state", change[0])
		}
		bad := filepath.Join(t.TempDir(), "bad.safetensors")
		expect.NoError(t, os.WriteFile(bad, damaged, 0o644))
		if _, err := ResumeTrainer(bad, g, smallTraining(2)); err == nil {
			t.Errorf("a state with %s was accepted", change[1])
		}
	}
	more := smallTraining(9)
	resumed, err := ResumeTrainer(path, g, more)
	if err != nil {
		t.Fatalf("more epochs were refused: %v", err)
	}
	resumed.Close()
}

func noAllocations(t *testing.T, trainer *Trainer) {
	t.Helper()
	epoch := func() {
		if _, err := trainer.Epoch(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	epoch()
	if n := testing.AllocsPerRun(expect.Fewer(20, 1), epoch); n != 0 {
		t.Errorf("%s, windows of %d steps: %g allocations per epoch", trainer.model.settings.Model,
			trainer.window.maxLength, n)
	}
	if name := trainer.model.notFinite(); name != "" {
		t.Errorf("%s: %s holds values that are not finite", trainer.model.settings.Model, name)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	g := smallGraph(t, 7, 90, 5, 600)
	for i, c := range maxModels() {
		if i > expect.Fewer(i, 0) { // allocations are counted on one thread: nothing for the race detector
			continue
		}
		s := smallTraining(1000)
		s.Threads, s.Steps = 2, windowSteps
		noAllocations(t, newTestTrainer(t, c, g, 21, s))
		long := newTestTrainer(t, c, g, 21, s)
		for w := range long.scratch {
			long.scratch[w].keeps = false // as for rows that are long
		}
		noAllocations(t, long)
		sparseGraph, s := sparse(t)
		s.Threads, s.Epochs = 2, 1000
		noAllocations(t, newTestTrainer(t, c, sparseGraph, 21, s))
	}
}

func TestPaddingStaysZero(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range maxModels() {
		trainer := newTestTrainer(t, c, g, 21, smallTraining(3))
		run(t, trainer)
		m := trainer.model
		for e := range int32(m.entities) {
			for i, x := range m.row(e) {
				if i%m.blocks >= m.settings.Dimension && x != 0 {
					t.Fatalf("%s: padding %d of entity %d is %g", c, i, e, x)
				}
			}
		}
		for r := range int32(m.relations) {
			for i, x := range m.rawRow(r) {
				if i%m.blocks >= m.settings.Dimension && x != 0 {
					t.Fatalf("%s: padding %d of relation %d is %g", c, i, r, x)
				}
			}
		}
		for i, x := range m.radius {
			if i >= m.entities && x != 0 {
				t.Fatalf("%s: padding radius %d is %g", c, i, x)
			}
		}
	}
}

func TestDivergenceStopsBeforeTheStep(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 8, smallTraining(2))
	if _, err := trainer.Epoch(context.Background()); err != nil {
		t.Fatal(err)
	}
	trainer.model.radius[3] = float32(math.NaN())
	before := digestOf(trainer.tensors())
	_, err := trainer.Epoch(context.Background())
	var diverged *DivergedError
	if !errors.As(err, &diverged) || diverged.Epoch != 2 || diverged.Step != 1 {
		t.Fatalf("error %v, want a DivergedError at epoch 2, step 1", err)
	}
	if digestOf(trainer.tensors()) != before {
		t.Error("the diverged step changed parameters")
	}
	path := filepath.Join(t.TempDir(), "state.safetensors")
	if err := trainer.Save(path); err == nil {
		t.Error("a state that holds NaN was saved")
	}
	trainer.model.radius[3] = 1
	if _, err := trainer.Epoch(context.Background()); !errors.As(err, &diverged) {
		t.Errorf("training continued after it had diverged: %v", err)
	}
	if err := trainer.Save(path); err == nil || !strings.Contains(err.Error(), "lower the learning rate") {
		t.Errorf("the state of a training that had diverged: %v", err)
	}
}

func TestInterruptedEpochStats(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	_, losses := run(t, newTestTrainer(t, testCase{SpherE2D, Clean}, g, 8, smallTraining(1)))
	trainer := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 8, smallTraining(1))
	if s, err := trainer.Epoch(&stopAfter{context.Background(), 0}); err == nil || s.Steps != 0 || s.Loss != 0 ||
		s.Epoch != 1 {
		t.Errorf("stopped before the first step: %+v, %v", s, err)
	}
	if s, err := trainer.Epoch(&stopAfter{context.Background(), 3}); err == nil || s.Steps != 3 ||
		math.Abs(s.Loss-losses[0]) > 0.5*losses[0] {
		t.Errorf("stopped after 3 of 4 steps: %+v, %v; the epoch's loss is %g", s, err, losses[0])
	}
	if s, err := trainer.Epoch(context.Background()); err != nil || s.Steps != 4 || s.Loss != losses[0] {
		t.Errorf("the rest of the epoch: %+v, %v; want loss %g", s, err, losses[0])
	}
}

// TestDegenerateValues checks what the formulas leave open: a distance of 0 in variant paper, and a raw radius of 0.
func TestDegenerateValues(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	paper := newTestTrainer(t, testCase{SpherE2D, Paper}, g, 8, smallTraining(1))
	m := paper.model
	clear(m.center) // every distance is 0, and with negative radii the hinge is open
	for e := range m.entities {
		m.radius[e] = -0.5
	}
	run(t, paper)
	if name := m.notFinite(); name != "" {
		t.Errorf("paper: distances of 0 made values of %s infinite or NaN", name)
	}
	clean := newTestTrainer(t, testCase{SpherE2D, Clean}, g, 8, smallTraining(1))
	clean.model.radius[7] = 0
	run(t, clean)
	if r := clean.model.radius[7]; r != 0 {
		t.Errorf("a raw radius of 0, where abs has no derivative, moved to %g", r)
	}
}
