package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Answerer is the run that answers questions about a graph.
type Answerer struct {
	Run   answer.Candidate // the best that was measured
	Refit tracker.RunInfo  // its model, trained again on all facts; without an id where there is none

	Runs int   // finished runs with a model on the graph, this one among them
	Made bool  // the run was made now, for these questions
	Lack error // why a model's weights could not be used for a new run, with a hint; nil if they could
}

// Answers returns the run that answers: the refit of the best one if there is one.
func (a *Answerer) Answers() tracker.RunInfo {
	if a.Refit.ID != "" {
		return a.Refit
	}
	return a.Run.RunInfo
}

// answerer returns the first of candidates, or its refit. A stack answers for its members: their MRR is that of their
// best epoch on validation facts, which chose it, and that of a stack is by weights fitted without these facts.
func (r *Runner) answerer(ctx context.Context, runs []answer.Candidate) (*Answerer, error) {
	best := runs[0]
	for _, run := range runs {
		if slices.Contains(answer.ReadLogged(run.RunInfo).StackRuns, best.ID) {
			best = run
			break
		}
	}
	refit, _, err := answer.FindRefit(ctx, r.Tracker, best.ID)
	return &Answerer{Run: best, Refit: refit, Runs: len(runs)}, err
}

// Answerer finds the run that answers questions about a graph when no run is named, or makes one; see FindAnswerer and
// MakeAnswerer. data is a value of the config key data. A file that has changed is another graph. ask may be nil. If it
// returns an error, because the graph lacks what the questions name, no run is made.
func (r *Runner) Answerer(ctx context.Context, l config.Layers, data string, ask func(*kg.Graph) error) (*Answerer,
	error) {
	configs, err := config.LoadForGraph(l, data, sphere.Neighbours)
	if err != nil {
		return nil, err
	}
	g, err := configs[0].Config().Graph(r.DataDirs)
	if err == nil && ask != nil {
		err = ask(g)
	}
	if err != nil {
		return nil, err
	}
	found, err := r.FindAnswerer(ctx, g)
	if found != nil || err != nil {
		return found, err
	}
	return r.MakeAnswerer(ctx, l, data, g)
}

// FindAnswerer returns the finished run on a graph with the best MRR on its validation facts, or a stack of it, and the
// refit. It returns nil if there is none, or if there are only models without training and without public weights
// although those of ULTRA are here.
func (r *Runner) FindAnswerer(ctx context.Context, g *kg.Graph) (*Answerer, error) {
	runs, err := answer.Candidates(ctx, r.Tracker, g)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	isFallback := !slices.ContainsFunc(runs, func(run answer.Candidate) bool {
		model := answer.ReadLogged(run.RunInfo).Model
		return !sphere.IsCounted(model) && model != sphere.OwnInductive
	})
	if isFallback && CheckWeights(sphere.Ultra50G, r.DataDirs) == nil {
		return nil, nil
	}
	return r.answerer(ctx, runs)
}

// MakeAnswerer makes the run that answers questions about a graph, from a model that needs no training: ULTRA if its
// weights are here and intact, otherwise the best of neighbours, rules and inductive by MRR on the validation facts. If
// another run on the graph is better, that one answers. layers override the config.
func (r *Runner) MakeAnswerer(ctx context.Context, l config.Layers, data string, g *kg.Graph) (*Answerer, error) {
	models := []string{sphere.Ultra50G}
	lack := CheckWeights(sphere.Ultra50G, r.DataDirs)
	if lack != nil {
		models = []string{sphere.Neighbours, sphere.Rules, sphere.OwnInductive}
	}
	if len(g.Valid) == 0 { // without validation facts they cannot be compared
		models = models[:1]
	}
	var made []string
	for _, model := range models {
		configs, err := config.LoadForGraph(l, data, model)
		if err != nil {
			return nil, err
		}
		result, err := r.TrainOn(ctx, configs[0], g)
		if err != nil {
			return nil, err
		}
		made = append(made, result.RunID)
	}
	if _, err := r.Tracker.ReplaySpools(ctx); err != nil { // of a run that ended while the database was away
		return nil, err
	}
	runs, err := answer.Candidates(ctx, r.Tracker, g)
	if err == nil && len(runs) == 0 {
		err = errors.New("the run that was made for this question is not in the tracker")
	}
	if err != nil {
		return nil, err
	}
	found, err := r.answerer(ctx, runs)
	if err != nil {
		return nil, err
	}
	found.Made, found.Lack = slices.Contains(made, runs[0].ID), lack
	return found, nil
}

// CheckWeights returns an error, with a hint, if a model needs public weights and they are damaged or in none of the
// folders.
func CheckWeights(model string, dirs []string) error {
	if !sphere.IsInductive(model) || model == sphere.OwnInductive {
		return nil
	}
	_, err := dataset.FindCheckpoint(model, dirs...)
	if damaged, ok := errors.AsType[*dataset.DigestError](err); ok {
		return hint.With(fmt.Errorf("%w; remove the file", damaged), hint.Hint{Action: hint.FetchGraph, Subject: model})
	}
	return err
}
