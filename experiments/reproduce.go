package experiments

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// tagReproduces is the tag with the id of the run whose training or stacking a run repeats.
const tagReproduces = "reproduces"

// Reproduce trains a finished run again from what the run has logged: its config, its seed, and the graph with its
// digest. The result is a new run; results.VerifyRun compares the two. A run is refused before anything is trained if
// its params no longer match their hash, if its graph is missing, or if another program or numerics version made it. An
// interrupted reproduction is resumed. o may set the number of threads, 0 for the run's own. A stack is fitted again
// from the runs of the tracker that have its models; a refit has the weights of the stack that was measured.
func (r *Runner) Reproduce(ctx context.Context, info tracker.RunInfo, o ReproduceOptions) (*Result, error) {
	title := answer.RunTitle(info.ID, info.Name)
	refused := func(err error) error { return fmt.Errorf("%s cannot be reproduced: %w", title, err) }
	cfg, err := reproducible(info)
	if err != nil {
		return nil, refused(err)
	}
	if started, err := r.startedReproduction(ctx, info); err != nil || started != "" {
		if err != nil {
			return nil, err
		}
		return r.Resume(ctx, started, config.Layers{Flags: o.flags()})
	}
	g, err := r.reproducedGraph(info)
	if err != nil {
		return nil, refused(err)
	}
	if g.Source != "" && len(answer.ReadLogged(info).Stack) == 0 {
		cfg.Data = g.Source
	}
	if o.Threads > 0 {
		cfg.Threads = o.Threads
	}
	cfg.Tracker.Experiment = info.Experiment
	cfg.Tags = map[string]string{tagReproduces: info.ID}
	maps.Copy(cfg.Tags, refitTags(info, answer.ReadLogged(info).RefitOf))
	if len(answer.ReadLogged(info).Stack) > 0 {
		runs, err := r.stackedAgain(ctx, info, g)
		if err != nil {
			return nil, refused(err)
		}
		of, err := r.measuredAgain(ctx, info)
		if err != nil {
			return nil, refused(err)
		}
		return r.startStack(ctx, cfg, runs, of)
	}
	checked, err := cfg.Check()
	if err != nil {
		return nil, refused(err)
	}
	return r.trainOn(ctx, checked, g, answer.ReadLogged(info).Ended)
}

// ReproduceOptions are how a run is trained again. None of them changes a number.
type ReproduceOptions struct {
	Threads int // worker threads; 0 for the run's own
}

func (o ReproduceOptions) flags() []config.FlagValue {
	if o.Threads == 0 {
		return nil
	}
	return []config.FlagValue{{Flag: "threads", Key: "threads", Value: fmt.Sprint(o.Threads)}}
}

// CanReproduce reports whether a finished run has logged what is needed to train it again. It does not look for the
// graph.
func CanReproduce(info tracker.RunInfo) bool {
	_, err := reproducible(info)
	return err == nil
}

// reproducible returns the config that a run has logged, or an error if the run cannot be trained again.
func reproducible(info tracker.RunInfo) (*config.Config, error) {
	run := answer.ReadLogged(info)
	switch {
	case run.Config == nil:
		return nil, fmt.Errorf("it has no config: another program logged it")
	case run.From != "":
		return nil, fmt.Errorf("its model is imported, %s: another program trained it", run.From)
	case info.Status != string(tracker.Finished):
		err := fmt.Errorf("it is %s; only finished runs have all their numbers", info.Status)
		return nil, hint.With(err, answer.ResumeHint(info.ID, answer.CanResume(info))...)
	case run.Numerics != sphere.NumericsVersion:
		return nil, fmt.Errorf("it was made with numerics version %d and this program has version %d, whose bits differ; "+
			"use the program of that version", run.Numerics, sphere.NumericsVersion)
	}
	cfg := run.Config.Clone()
	if len(run.Stack) > 0 {
		cfg.Train.Epochs = 1 // the fit
		return cfg, sameStack(info)
	}
	if err := sameHash(cfg.IdentityHash(), run.ConfigHash); err != nil {
		return nil, err
	}
	_, err := cfg.Check()
	return cfg, err
}

func sameHash(of, logged string) error {
	if of == logged {
		return nil
	}
	return fmt.Errorf("its params are not those it was trained with: their config_hash is %s, but the logged one is %s",
		tracker.ShortID(of), tracker.ShortID(logged))
}

// startedReproduction returns the id of an interrupted reproduction of the run, "" if there is none.
func (r *Runner) startedReproduction(ctx context.Context, info tracker.RunInfo) (string, error) {
	runs, err := r.Tracker.Runs(ctx, tracker.Filter{Tags: map[string]string{tagReproduces: info.ID},
		Params: map[string]string{config.ParamHash: info.Params[config.ParamHash]}})
	if err != nil {
		return "", err
	}
	for _, run := range runs { // newest first
		if can, err := r.CanResume(ctx, run); err != nil || can {
			return run.ID, err
		}
	}
	return "", nil
}

// reproducedGraph returns the graph that a run was trained on, from where the run has it, otherwise any graph of the
// data folders with its digest.
func (r *Runner) reproducedGraph(info tracker.RunInfo) (*kg.Graph, error) {
	g, err := answer.OpenGraph(info, r.DataDirs)
	if err != nil {
		run := answer.ReadLogged(info)
		if run.Config == nil {
			return nil, err
		}
		if found := findDigest(r.DataDirs, run.GraphDigest, run.Config.Division()); found != nil {
			return found, nil
		}
		return nil, err
	}
	if kg.IsFile(g.Source) && !filekind.IsFile(g.Source) { // the run keeps a copy of the file
		g.Source = answer.KeptGraph(info, g.Source)
	}
	return g, nil
}

// findDigest loads the graph with a digest from the folders of graphs in dirs, read and divided by d; nil if there is
// none.
func findDigest(dirs []string, digest string, d kg.Division) *kg.Graph {
	for _, dir := range dirs {
		entries, err := fs.ReadDir(os.DirFS(dir), ".")
		if err != nil {
			continue // a data folder may be missing
		}
		for _, e := range entries {
			folder := filepath.Join(dir, e.Name())
			if !kg.IsGraph(folder) {
				continue
			}
			if g, err := kg.LoadDivided(folder, d); err == nil && g.Digest() == digest {
				return g
			}
		}
	}
	return nil
}
