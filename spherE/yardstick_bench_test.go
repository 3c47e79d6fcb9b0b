package sphere

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// buildYardstick compiles the C program that the benchmarks compare with. Without a C compiler the test is skipped;
// with CI=true it fails.
func buildYardstick(tb testing.TB) string {
	tb.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		const message = "the yardstick needs a C compiler called cc: make deps"
		if os.Getenv("CI") == "true" {
			tb.Fatal(message)
		}
		tb.Skip(message)
	}
	program := filepath.Join(tb.TempDir(), "yardstick")
	build := exec.Command(compiler, "-Ofast", "-march=native", "-o", program, filepath.Join("_c", "yardstick.c"),
		"-lpthread", "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	return program
}

// yardstickHeader is the struct header of yardstick.c.
type yardstickHeader struct {
	Entities, Relations, Dimension, Batch, Negatives, GivenSteps, HasParameters, Triples int32

	Gamma, Epsilon, HeadFactor, TailFactor, Temperature, Rate, Beta1, Beta2, AdamEpsilon float64
}

// writeYardstick writes the input of the C program: the header, per relation the probability of corrupting the tail,
// and the training triples. With given steps it adds the parameters and the draws of those steps.
func writeYardstick(tb testing.TB, g *kg.Graph, s Settings, t Training, model *Model, given int) string {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "input"))
	expect.NoError(tb, err)
	defer file.Close()
	w := bufio.NewWriter(file)
	write := func(v any) {
		expect.NoError(tb, binary.Write(w, binary.LittleEndian, v))
	}
	h := yardstickHeader{
		Entities: int32(g.Entities.Len()), Relations: int32(g.Relations.Len()), Dimension: int32(s.Dimension),
		Batch: int32(t.Batch), Negatives: int32(t.Negatives), GivenSteps: int32(given), Triples: int32(len(g.Train)),
		Gamma: s.Gamma, Epsilon: s.Epsilon,
		HeadFactor: 1, TailFactor: 1 - s.Tau, // released trains every negative as a tail query
		Temperature: t.Temperature, Rate: t.LearningRate, Beta1: t.Beta1, Beta2: t.Beta2, AdamEpsilon: t.AdamEpsilon,
	}
	if model != nil {
		h.HasParameters = 1
	}
	write(h)
	index := g.Index(kg.Train)
	for r := range int32(h.Relations) {
		p := 0.5
		if t.Sampling == string(kg.Bernoulli) {
			p = index.HeadsPerTail(r) / (index.HeadsPerTail(r) + index.TailsPerHead(r))
		}
		write(uint64(p * (1 << 32)))
	}
	write(g.Train)
	if model != nil {
		for e := range int32(model.entities) {
			for p := range 2 {
				write(model.row(e)[p*model.blocks:][:s.Dimension])
			}
		}
		write(model.radius[:model.entities])
		for r := range int32(model.relations) {
			write(model.rawRow(r)[:s.Dimension])
		}
	}
	sampler, err := kg.NewSampler(g, kg.Sampling(t.Sampling), t.Seed, t.Batch)
	expect.NoError(tb, err)
	negatives := make([]kg.Negative, t.Negatives)
	for step := range given {
		for i := range t.Batch {
			var positive [1]kg.Triple
			sampler.Draw(uint64(step), uint32(i), positive[:], negatives)
			write(positive[0])
			for _, n := range negatives {
				write([2]int32{n.Entity, int32(n.Side)})
			}
		}
	}
	expect.NoError(tb, w.Flush())
	return file.Name()
}

// TestYardstickDoesTheSameWork runs the same steps with the C program and with the trainer, from the same parameters
// and draws. The losses of later steps depend on gradients and optimiser too.
func TestYardstickDoesTheSameWork(t *testing.T) {
	t.Parallel()
	program := buildYardstick(t)
	g, err := kg.Bundled()
	expect.NoError(t, err)
	const steps = 12
	s := publishedSettings(SpherE2D, Released, 25)
	training := publishedTraining(steps, 1, 90, 9, 5)
	training.LearningRate = 0.01
	model, err := New(s, g, 5)
	expect.NoError(t, err)
	input := writeYardstick(t, g, s, training, model, steps)
	trainer, err := NewTrainer(model, g, training)
	expect.NoError(t, err)
	defer trainer.Close()
	var want []float64
	for range steps {
		stats, err := trainer.Epoch(context.Background())
		expect.NoError(t, err)
		want = append(want, stats.Loss)
	}
	if change := want[0] - want[steps-1]; change < 0.05 {
		t.Fatalf("losses %v: too little change to hold the gradients", want)
	}
	for _, threads := range []string{"1", "2", "3"} {
		out, err := exec.Command(program, input, threads, "1").Output()
		expect.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != steps {
			t.Fatalf("%d lines, want %d:\n%s", len(lines), steps, out)
		}
		for i, line := range lines {
			var step int
			var loss float64
			if _, err := fmt.Sscanf(line, "loss %d %g", &step, &loss); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			if math.Abs(loss-want[i]) > 1e-4*want[i] {
				t.Errorf("%s threads, step %d: loss %.7f, the trainer's is %.7f", threads, step, loss, want[i])
			}
		}
	}
}

// stepShape is a training step whose cost is measured.
type stepShape struct {
	graph                       string
	dimension, batch, negatives int
	sampling                    kg.Sampling
}

// The released configurations.
var (
	shapeFB15k = stepShape{"fb15k-237", 200, 2721, 25, kg.Bernoulli}
	shapeWN18  = stepShape{"wn18rr", 1024, 2000, 64, kg.Uniform}
)

func (s stepShape) String() string { return fmt.Sprintf("%s-D%d", s.graph, s.dimension) }

func (s stepShape) settings(model string) Settings {
	return publishedSettings(model, Released, s.dimension)
}

func (s stepShape) training(threads int, path string) Training {
	t := publishedTraining(1, 1, s.batch, s.negatives, 42)
	t.Sampling, t.Threads, t.SIMD = string(s.sampling), threads, path
	return t
}

// BenchmarkYardstick measures the training step of the C program, including its draws, like BenchmarkStep. ns/op is the
// median of the steps.
func BenchmarkYardstick(b *testing.B) {
	program := buildYardstick(b)
	for _, shape := range []stepShape{shapeFB15k, shapeWN18} {
		g := realGraph(b, shape.graph)
		input := writeYardstick(b, g, shape.settings(SpherE2D), shape.training(1, ""), nil, 0)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%s/c/threads=%d", shape, SpherE2D, threads), func(b *testing.B) {
				steps := 4_000_000 / (shape.batch * shape.negatives * shape.dimension / 100)
				var ns float64
				for range b.N {
					ns += yardstickStep(b, program, input, threads, max(steps, 9))
				}
				ns /= float64(b.N)
				b.ReportMetric(ns, "ns/op")
				b.ReportMetric(float64(shape.batch)/ns*1e9, "positives/s")
			})
		}
	}
}

// yardstickStep runs steps of the C program from an input without draws and returns their median time in nanoseconds.
func yardstickStep(b *testing.B, program, input string, threads, steps int) (ns float64) {
	b.Helper()
	var message bytes.Buffer
	command := exec.Command(program, input, fmt.Sprint(threads), fmt.Sprint(steps))
	command.Stderr = &message
	out, err := command.Output()
	if err != nil {
		b.Fatalf("%v: %v: %s", command.Args, err, message.Bytes())
	}
	if _, err := fmt.Sscanf(string(out), "step_ns %g", &ns); err != nil {
		b.Fatalf("%v: %q: %v", command.Args, out, err)
	}
	return ns
}
