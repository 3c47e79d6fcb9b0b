package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Sweep is a list of runs to train one after the other.
type Sweep struct {
	File string
	Jobs []Job
}

// Job is one run of a sweep.
type Job struct {
	Title  string // config and seed, for people
	Config *Config
}

// sweepFile is the form of a sweep's file.
type sweepFile struct {
	Runs []struct {
		Config string   `yaml:"config"`
		Seeds  []uint64 `yaml:"seeds"`
		Set    []string `yaml:"set"` // key=value, as for --set
	} `yaml:"runs"`
}

// DefaultSweep is the sweep of the paper's rows, inside the program.
const DefaultSweep = "experiments/configs/sweep.yaml"

// LoadSweep reads a sweep's file, on disk or inside the program, and every config that it names, with the layers over
// each. A config is named as for train; one in a file is searched beside the sweep's file, too. All configs are checked
// before any is trained.
func LoadSweep(file string, l Layers) (*Sweep, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && path.Clean(filepath.ToSlash(file)) == DefaultSweep {
		raw, err = embedded.ReadFile("configs/sweep.yaml")
	}
	if err != nil {
		return nil, &ConfigError{Message: fmt.Sprintf("cannot read sweep %s: %v", file, reason(err))}
	}
	var content sweepFile
	if err := yaml.UnmarshalWithOptions(raw, &content, yaml.Strict()); err != nil {
		return nil, sweepSyntax(file, err)
	}
	s := &Sweep{File: file}
	from := map[string]string{} // by identity
	for i, item := range content.Runs {
		if item.Config == "" {
			return nil, &ConfigError{Origin: Origin{File: file}, Key: "runs", Message: fmt.Sprintf("item %d of runs has no config", i+1)}
		}
		seeds := []string{""}
		if len(item.Seeds) > 0 {
			seeds = nil
			for _, seed := range item.Seeds {
				seeds = append(seeds, strconv.FormatUint(seed, 10))
			}
		}
		for _, seed := range seeds {
			layers := l
			layers.Config = besides(file, item.Config)
			layers.Set = slices.Concat(item.Set, l.Set)
			if seed != "" {
				layers.Set = append(layers.Set, "seed="+seed)
			}
			c, err := LoadConfig(layers)
			if err != nil {
				return nil, fmt.Errorf("%s, item %d of runs: %w", file, i+1, err)
			}
			title := fmt.Sprintf("%s, seed %d", item.Config, c.Seed)
			if other, twice := from[c.IdentityHash()]; twice {
				return nil, &ConfigError{Origin: Origin{File: file}, Key: "runs", Message: fmt.Sprintf("%s and %s are the same run", other, title)}
			}
			from[c.IdentityHash()] = title
			s.Jobs = append(s.Jobs, Job{Title: title, Config: c})
		}
	}
	if len(s.Jobs) == 0 {
		return nil, &ConfigError{Origin: Origin{File: file}, Key: "runs", Message: "runs is empty; list configs under it"}
	}
	return s, nil
}

// besides finds a config's file beside the sweep's file, where it is not found from the working folder.
func besides(sweep, config string) string {
	if _, err := os.Stat(config); err == nil || filepath.IsAbs(config) {
		return config
	}
	if near := filepath.Join(filepath.Dir(sweep), filepath.FromSlash(config)); isFile(near) {
		return near
	}
	return config
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// reason is an error without the path that the message names already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func sweepSyntax(file string, err error) error {
	origin, message := Origin{File: file}, err.Error()
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		message = syntax.GetMessage()
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			origin.Line = t.Position.Line
		}
	}
	return &ConfigError{Origin: origin, Message: "not a sweep: " + message}
}

// JobState says how far a job is.
type JobState string

// The states of a job.
const (
	JobDone    JobState = "done"     // a finished run is in the tracker
	JobStarted JobState = "started"  // an unfinished run with a saved state is in the tracker
	JobMissing JobState = "missing"  // there is no run that could be used
	JobBlocked JobState = "no graph" // the graph is in no data folder
)

// JobStatus is what the tracker knows of a job.
type JobStatus struct {
	Job
	State JobState
	Run   tracker.RunInfo // of a job that is done or started
	Err   error           // why it is blocked
}

// Status looks every job up in the tracker: a run is a job's if the identity of its config (with the seed), its graph
// and its numerics version are the same. Of several runs a finished one counts, then the newest.
func (s *Sweep) Status(ctx context.Context, r *Runner) ([]JobStatus, error) {
	list := make([]JobStatus, len(s.Jobs))
	graphs := map[string]*kg.Graph{}
	for i, job := range s.Jobs {
		g, known := graphs[job.Config.Data]
		if !known {
			var err error
			if g, err = OpenGraph(job.Config.Data, r.DataDirs); err != nil {
				list[i] = JobStatus{Job: job, State: JobBlocked, Err: err}
				continue
			}
			graphs[job.Config.Data] = g
		}
		var err error
		if list[i], err = jobStatus(ctx, r, job, g); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func jobStatus(ctx context.Context, r *Runner, job Job, g *kg.Graph) (JobStatus, error) {
	status := JobStatus{Job: job, State: JobMissing}
	settled := *job.Config
	if err := settled.validateOn(g); err != nil {
		return status, err
	}
	runs, err := r.Tracker.Runs(ctx, tracker.Filter{Params: map[string]string{"config_hash": settled.IdentityHash(),
		"graph_digest": g.Digest(), "numerics_version": strconv.Itoa(sphere.NumericsVersion)}})
	if err != nil {
		return status, err
	}
	for _, run := range runs { // newest first
		if run.Status == string(tracker.Finished) {
			status.State, status.Run = JobDone, run
			return status, nil
		}
		if status.State == JobMissing && hasState(run) {
			status.State, status.Run = JobStarted, run
		}
	}
	return status, nil
}

// hasState reports whether an unfinished run can go on.
func hasState(run tracker.RunInfo) bool {
	dir, err := run.ArtifactDir()
	return err == nil && isFile(filepath.Join(dir, stateFile))
}

// SweepOptions say what else a sweep does.
type SweepOptions struct {
	Export string       // folder that every finished run of the sweep is exported to; "": none
	Say    func(string) // receives one line per step; may be nil
	Flags  []FlagValue  // for runs that go on: threads and the tracker
}

// Run trains what is missing, in order: finished runs are skipped, started ones go on from their saved state. A run that
// fails is told and does not keep the others from being trained; the error at the end counts them. It returns at once
// when ctx ends, with the state of the run in progress saved.
func (s *Sweep) Run(ctx context.Context, r *Runner, o SweepOptions) error {
	say := o.Say
	if say == nil {
		say = func(string) {}
	}
	var failed []string
	var first error
	for i, job := range s.Jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		where := fmt.Sprintf("sweep: %d of %d: %s", i+1, len(s.Jobs), job.Title)
		id, err := s.runJob(ctx, r, job, where, o, say)
		if err == nil && o.Export != "" {
			var file string
			if file, err = exportRun(ctx, r.Tracker, id, o.Export); err == nil && file != "" {
				say(where + ": exported to " + file)
			}
		}
		if err == nil {
			continue
		}
		var stopped *InterruptedError
		if errors.As(err, &stopped) || ctx.Err() != nil {
			say(where + ": stopped; the same sweep goes on from here")
			return err
		}
		say(where + ": failed: " + err.Error())
		failed = append(failed, job.Title)
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return fmt.Errorf("%d of %d runs of the sweep failed (%s); the first: %w", len(failed), len(s.Jobs), strings.Join(failed, "; "), first)
	}
	return nil
}

// runJob brings one job to its end and returns the run's id.
func (s *Sweep) runJob(ctx context.Context, r *Runner, job Job, where string, o SweepOptions, say func(string)) (string, error) {
	g, err := OpenGraph(job.Config.Data, r.DataDirs)
	if err != nil {
		return "", err
	}
	status, err := jobStatus(ctx, r, job, g)
	if err != nil {
		return "", err
	}
	var result *Result
	switch status.State {
	case JobDone:
		note := ""
		if status.Run.Tags[tracker.TagImported] != "" {
			note = ", imported"
		}
		say(fmt.Sprintf("%s: done already (run %s%s)", where, shortID(status.Run.ID), note))
		return status.Run.ID, nil
	case JobStarted:
		say(fmt.Sprintf("%s: going on with run %s", where, shortID(status.Run.ID)))
		result, err = r.Resume(ctx, status.Run.ID, Layers{Flags: o.Flags})
	default:
		say(where + ": training")
		result, err = r.Train(ctx, job.Config)
	}
	if err != nil {
		return "", err
	}
	return result.RunID, nil
}

// exportRun writes a finished run into the folder unless the same bytes are there; it returns what it wrote.
func exportRun(ctx context.Context, t *tracker.Tracker, id, folder string) (string, error) {
	info, err := t.FindRun(ctx, id)
	if err != nil {
		return "", err
	}
	a, err := ArchiveRun(ctx, t, info)
	if err != nil {
		return "", err
	}
	raw, err := a.Bytes()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, a.FileName())
	if there, err := os.ReadFile(file); err == nil && string(there) == string(raw) {
		return "", nil
	}
	if err := writeFile(file, raw); err != nil {
		return "", fmt.Errorf("cannot write the exported run: %w", err)
	}
	return file, nil
}

// SweepGrid lists the jobs of a sweep.
func SweepGrid(list []JobStatus) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id", Heading: "run"}, {Key: "config"}, {Key: "seed", Right: true}, {Key: "state"}, {Key: "name"}}}
	count := map[JobState]int{}
	for _, job := range list {
		count[job.State]++
		config, _, _ := strings.Cut(job.Title, ", seed ")
		id, state := job.Run.ID, string(job.State)
		if job.Run.Tags[tracker.TagImported] != "" {
			state += " (imported)"
		}
		g.Rows = append(g.Rows, []string{id, config, strconv.FormatUint(job.Config.Seed, 10), state, job.Run.Name})
	}
	g.Notes = []string{fmt.Sprintf("%d of %d done, %d started, %d missing", count[JobDone], len(list), count[JobStarted], count[JobMissing]+count[JobBlocked])}
	for _, job := range list {
		if job.Err != nil && !slices.Contains(g.Notes, job.Err.Error()) {
			g.Notes = append(g.Notes, job.Err.Error())
		}
	}
	return g
}
