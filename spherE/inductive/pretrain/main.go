// Command pretrain trains an inductive network from the start on parts of public graphs, and writes its weights:
//
//	go run ./spherE/inductive/pretrain -data FOLDER -state pretrain.json -out own.safetensors
//
// FOLDER has the graphs by name, as `spherelab data get` puts them there. The weights are a pure function of the graphs
// and the steps. The next call continues from the state that a stop leaves. Only training facts are read. Neither UMLS
// nor the bundled graph is among the graphs, so what is measured there is measured on unseen graphs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
)

// sources are the graphs, with how many parts of how many facts are taken of each.
var sources = []struct {
	name         string
	parts, facts int
}{
	{"fb15k-237", 64, 2000},
	{"wn18rr", 32, 2000},
	{"kinships", 16, 2000},
	{"nations", 8, 1000},
}

// settings are those of the training.
var settings = inductive.Tuning{Batch: 32, Together: 8, Negatives: 64, Temperature: 1, LearningRate: .002, Slow: 10000,
	Decay: .001, Seed: 42}

const (
	width  = 32
	layers = 6
)

func main() {
	var data, state, out string
	var steps, every int
	flag.StringVar(&data, "data", "data", "folder of the graphs")
	flag.StringVar(&state, "state", "pretrain.json", "file that a stop leaves")
	flag.StringVar(&out, "out", "own.safetensors", "file of the weights")
	flag.IntVar(&steps, "steps", 20_750, "steps of training; the default made own.safetensors of package inductive")
	flag.IntVar(&every, "every", 500, "steps between two states")
	flag.IntVar(&settings.Threads, "threads", 0, "worker threads, 0 for all cores; never changes a bit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, data, state, out, steps, every); err != nil {
		fmt.Fprintln(os.Stderr, "pretrain:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, state, out string, steps, every int) error {
	graphs, err := load(data)
	if err != nil {
		return err
	}
	first, err := inductive.Initial(width, layers, settings.Seed)
	if err != nil {
		return err
	}
	tuner, err := first.NewTuner(graphs, inductive.Inverse, settings)
	if err != nil {
		return err
	}
	if raw, err := os.ReadFile(state); err == nil {
		if err := tuner.Restore(raw); err != nil {
			return fmt.Errorf("%s: %w; remove it to start over", state, err)
		}
	}
	save := func() error {
		raw, err := tuner.State()
		if err == nil {
			err = atomicfile.Write(state, raw, 0o644)
		}
		return err
	}
	began, loss, n := time.Now(), 0., 0
	for tuner.Done() < steps {
		one, err := tuner.Step(ctx)
		if ctx.Err() != nil {
			return save()
		}
		if err != nil {
			return err
		}
		loss, n = loss+one, n+1
		if tuner.Done()%every == 0 || tuner.Done() == steps {
			fmt.Printf("step %d  loss %.4f  %.0f ms a step\n", tuner.Done(), loss/float64(n),
				time.Since(began).Seconds()*1000/float64(n))
			began, loss, n = time.Now(), 0, 0
			if err := save(); err != nil {
				return err
			}
		}
	}
	network, err := tuner.Network()
	if err != nil {
		return err
	}
	return network.Write(out)
}

// load reads the training facts of the graphs and returns their parts.
func load(data string) (graphs []*kg.Graph, err error) {
	for _, s := range sources {
		g, err := kg.Load(filepath.Join(data, s.name))
		if err != nil {
			return nil, err
		}
		for part := range s.parts {
			one, err := g.Part(s.facts, settings.Seed, part)
			if err != nil {
				return nil, err
			}
			graphs = append(graphs, one)
		}
	}
	return graphs, nil
}
