package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/configs"
	"github.com/spherelab/spherelab/internal/filekind"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Sweep is a list of runs to train one after the other.
type Sweep struct {
	File   string
	Jobs   []Job
	Search *Search // instead of jobs

	content []byte // of the file
}

// Job is one run of a sweep.
type Job struct {
	Name string // of the config
	config.Checked
	Until int // epoch after which the run is saved and the job done; 0: the end of the training
}

// Title names the job for people: config and seed.
func (j Job) Title() string { return fmt.Sprintf("%s, seed %d", j.Name, j.Config().Seed) }

// sweepFile is the form of a sweep's file.
type sweepFile struct {
	Runs []struct {
		Config string              `yaml:"config"`
		Seeds  []uint64            `yaml:"seeds"`
		Set    []string            `yaml:"set"`  // key=value items
		Each   map[string][]string `yaml:"each"` // values of keys; every combination is a run
	} `yaml:"runs"`
	Search *searchFile `yaml:"search"`
}

// allModels is the value of the key model under each that stands for all of sphere.Models but the inductive ones, whose
// weights may not be here.
const allModels = "all"

// combinations lists every combination of values as key=value items, the last key's values first.
func combinations(each map[string][]string) ([][]string, error) {
	list := [][]string{nil}
	for _, key := range slices.Sorted(maps.Keys(each)) {
		values := each[key]
		if key == "model" && slices.Equal(values, []string{allModels}) {
			values = slices.DeleteFunc(sphere.Models(), sphere.IsInductive)
		}
		if len(values) == 0 {
			return nil, fmt.Errorf("each has no value for %s", key)
		}
		var next [][]string
		for _, items := range list {
			for _, value := range values {
				next = append(next, append(slices.Clip(items), key+"="+value))
			}
		}
		list = next
	}
	return list, nil
}

// DefaultSweep is the embedded sweep of the paper's rows; PatternSweep is that of the inference patterns,
// DimensionSweep that of the dimensions. ExampleSearch is a search with every option.
const (
	ExampleSearch  = "experiments/configs/search.yaml"
	DefaultSweep   = "experiments/configs/sweep.yaml"
	PatternSweep   = "experiments/configs/patterns.yaml"
	DimensionSweep = "experiments/configs/dimension.yaml"
)

var embeddedSweeps = []string{DefaultSweep, PatternSweep, DimensionSweep, ExampleSearch}

// Load reads a sweep's file, on disk or embedded, and every config that it names, with the layers over each. A
// config is a file, searched also next to the sweep's file, or an embedded config. All configs are checked before one
// is trained.
func Load(file string, l config.Layers) (*Sweep, error) {
	raw, err := os.ReadFile(file)
	name := path.Clean(filepath.ToSlash(file))
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(embeddedSweeps, name) {
		raw, err = configs.Files.ReadFile(path.Base(name))
	}
	if err != nil {
		return nil, &config.Error{Message: fmt.Sprintf("cannot read sweep %s: %v", file, reason(err))}
	}
	var content sweepFile
	if err := yaml.UnmarshalWithOptions(raw, &content, yaml.Strict()); err != nil {
		return nil, config.SyntaxError(file, "not a sweep", err)
	}
	s := &Sweep{File: file, content: raw}
	if content.Search != nil {
		if len(content.Runs) > 0 {
			return nil, &config.Error{Origin: config.Origin{File: file}, Key: "runs",
				Message: "runs and search exclude each other; give them files of their own"}
		}
		if s.Search, err = newSearch(file, content.Search, l); err != nil {
			return nil, err
		}
		s.Search.content = raw
		return s, nil
	}
	from := map[string]string{} // by identity
	for i, item := range content.Runs {
		if item.Config == "" {
			return nil, &config.Error{Origin: config.Origin{File: file}, Key: "runs",
				Message: fmt.Sprintf("item %d of runs has no config", i+1)}
		}
		seeds := []string{""}
		if len(item.Seeds) > 0 {
			seeds = nil
			for _, seed := range item.Seeds {
				seeds = append(seeds, strconv.FormatUint(seed, 10))
			}
		}
		choices, err := combinations(item.Each)
		if err != nil {
			return nil, &config.Error{Origin: config.Origin{File: file}, Key: "runs",
				Message: fmt.Sprintf("item %d of runs: %v", i+1, err)}
		}
		for _, choice := range choices {
			for _, seed := range seeds {
				layers := l
				layers.Config = besides(file, item.Config)
				layers.Set = slices.Concat(item.Set, choice, l.Set)
				if seed != "" {
					layers.Set = append(layers.Set, "seed="+seed)
				}
				checked, err := config.Load(layers)
				if err != nil {
					return nil, fmt.Errorf("%s, item %d of runs: %w", file, i+1, err)
				}
				c := checked.Config()
				if c.Tags == nil {
					c.Tags = map[string]string{}
				}
				if c.Tags[answer.TagSweep] == "" {
					c.Tags[answer.TagSweep] = path.Base(name)
				}
				if checked, err = c.Check(); err != nil {
					return nil, fmt.Errorf("%s, item %d of runs: %w", file, i+1, err)
				}
				job := Job{Name: strings.Join(append([]string{item.Config}, choice...), ", "), Checked: checked}
				if other, twice := from[c.IdentityHash()]; twice {
					return nil, &config.Error{Origin: config.Origin{File: file}, Key: "runs",
						Message: fmt.Sprintf("%s and %s are the same run", other, job.Title())}
				}
				from[c.IdentityHash()] = job.Title()
				s.Jobs = append(s.Jobs, job)
			}
		}
	}
	if len(s.Jobs) == 0 {
		return nil, &config.Error{Origin: config.Origin{File: file}, Key: "runs",
			Message: "runs is empty; list configs under it"}
	}
	return s, nil
}

// besides finds a config's file next to the sweep's file, where it is not found from the working folder.
func besides(sweep, config string) string {
	if _, err := os.Stat(config); err == nil || filepath.IsAbs(config) {
		return config
	}
	if near := filepath.Join(filepath.Dir(sweep), filepath.FromSlash(config)); filekind.IsFile(near) {
		return near
	}
	return config
}

// reason is an error without its path, which the message names already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// State is the progress of a job.
type State string

// The states of a job.
const (
	Done    State = "done"     // a finished run is in the tracker
	Started State = "started"  // an unfinished run with a saved state is in the tracker
	Missing State = "missing"  // neither of these
	Blocked State = "no graph" // the graph is in no data folder

	// A training whose numbers diverged is in the tracker. It would diverge again.
	Diverged State = "diverged"
)

// Status is what the tracker knows about a job.
type Status struct {
	Job
	State State
	Run   tracker.RunInfo // of a job that is done or started
	Short tracker.RunInfo // the newest finished run whose training was ended before its config does
	Key   string          // of the job in a queue
	Err   error           // why it is blocked
}

// Status looks every job up in the tracker. A run belongs to a job if the identity of its config (with the seed), its
// graph and its numerics version are the same. A finished run is preferred, then the newest.
func (s *Sweep) Status(ctx context.Context, r *experiments.Runner) ([]Status, error) {
	list := make([]Status, len(s.Jobs))
	type graphKey struct {
		data  string
		split config.Split
	}
	graphs := map[graphKey]*kg.Graph{}
	for i, job := range s.Jobs {
		key := graphKey{job.Config().Data, job.Config().Split}
		g, known := graphs[key]
		if !known {
			var err error
			if g, err = job.Config().Graph(r.DataDirs); err != nil {
				list[i] = Status{Job: job, State: Blocked, Err: err}
				continue
			}
			graphs[key] = g
		}
		var err error
		if list[i], err = jobStatus(ctx, r, job, g); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func jobStatus(ctx context.Context, r *experiments.Runner, job Job, g *kg.Graph) (Status, error) {
	status := Status{Job: job, State: Missing}
	settled, err := r.Settle(ctx, job.Checked, g)
	if err != nil {
		return status, err
	}
	status.Key = jobKey(settled.Config(), g)
	own, err := settled.Config().TrainedOn(g) // what is part of the identity
	if err != nil {
		return status, err
	}
	runs, err := r.Tracker.Runs(ctx, tracker.Filter{Params: map[string]string{config.ParamHash: own.IdentityHash(),
		answer.ParamGraphDigest: g.Digest(), answer.ParamNumerics: strconv.Itoa(sphere.NumericsVersion)}})
	if err != nil {
		return status, err
	}
	for _, run := range runs { // newest first
		if answer.ReadLogged(run).Ended > 0 { // it has not what its config says
			if status.Short.ID == "" && run.Status == string(tracker.Finished) {
				status.Short = run
			}
			continue
		}
		if run.Status == string(tracker.Finished) {
			status.State, status.Run = Done, run
			return status, nil
		}
		switch {
		case status.State != Missing:
		case run.Tags[answer.TagDiverged] != "":
			status.State, status.Run = Diverged, run
		default:
			can, err := r.CanResume(ctx, run)
			if err != nil {
				return status, err
			}
			if can {
				status.State, status.Run = Started, run
			}
		}
	}
	return status, nil
}
