package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// resumable has the config keys that may change when a run is resumed. None of them changes a number.
var resumable = []string{"threads", "tracker.uri"}

// Resume continues an interrupted, killed or failed run from its last saved state. The result has the same bits as
// without the interruption. The config is the run's own: layers may set threads and the tracker, and everything else in
// them must agree with the run.
func (r *Runner) Resume(ctx context.Context, ref string, l config.Layers) (*Result, error) {
	return r.resume(ctx, ref, l, false)
}

// Finish ends an interrupted, killed or failed run after the last epoch that it has logged, as early stopping does. If
// the run keeps the model of its best validation, that model is evaluated and nothing is trained. Otherwise the model
// of the last logged epoch is evaluated, and epochs after the saved state are trained again. The epoch is logged, so
// that Reproduce ends there too. The config is as in Resume.
func (r *Runner) Finish(ctx context.Context, ref string, l config.Layers) (*Result, error) {
	return r.resume(ctx, ref, l, true)
}

// resume continues a run, or finishes it.
func (r *Runner) resume(ctx context.Context, ref string, l config.Layers, end bool) (*Result, error) {
	deadline := r.deadline()
	info, err := answer.FindResumable(ctx, r.Tracker, ref)
	if err != nil {
		return nil, err
	}
	title := answer.RunTitle(info.ID, info.Name)
	if info.Status == string(tracker.Finished) {
		return nil, fmt.Errorf("%s is finished; there is nothing to resume", title)
	}
	if info.InBucket() {
		if err := r.Tracker.Fetch(ctx, info); err != nil {
			return nil, err
		}
	}
	if len(answer.ReadLogged(info).Stack) > 0 {
		if end {
			return nil, fmt.Errorf("%s is a stack, which has no epochs to end before; resume it", title)
		}
		return r.resumeStack(ctx, info, l)
	}
	if sphere.IsUntrained(answer.ReadLogged(info).Model) {
		if end {
			if answer.ReadLogged(info).IsTuned() {
				return nil, fmt.Errorf("%s tunes public weights, which cannot be ended before its last epoch; resume it", title)
			}
			return nil, fmt.Errorf("%s has no epochs to end before; resume it", title)
		}
		return r.resumeCounted(ctx, info, l)
	}
	dir, err := info.ArtifactDir()
	if err != nil {
		return nil, err
	}
	cfg, err := runConfig(dir, l)
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, answer.StateFile))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("it has no saved state (%s); train it again", filepath.Join(dir, answer.StateFile))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w", title, err)
	}
	g, err := answer.OpenGraph(info, r.DataDirs)
	if err != nil {
		return nil, err
	}
	if err := sameNumerics(answer.ReadLogged(info).Numerics); err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w", title, err)
	}
	// The lease comes first, so that no other program writes the state while it is read.
	s, err := r.reopen(ctx, info, cfg, g)
	if err != nil {
		return nil, err
	}
	err = s.restore(ctx, r.Tracker, info, r.Environment.GitHead)
	if err == nil && end {
		if err = s.endNow(ctx, r.Tracker); err != nil {
			s.trainer.Close()
		}
	}
	if err != nil {
		before := tracker.Status(info.Status)
		if before == tracker.Running {
			before = tracker.Failed // its program died
		}
		return nil, errors.Join(fmt.Errorf("%s cannot be resumed: %w", title, err), s.finish(ctx, before))
	}
	s.deadline = deadline
	defer s.trainer.Close()
	return r.drive(ctx, s, progress.RunResumed)
}

// CanResume is answer.CanResume, but also asks the bucket whether it has the state.
func (r *Runner) CanResume(ctx context.Context, info tracker.RunInfo) (bool, error) {
	if !info.InBucket() || !answer.CanResume(info) {
		return answer.CanResume(info), nil
	}
	list, err := r.Tracker.Objects(ctx, info)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(o tracker.Object) bool {
		return o.Name == answer.StateFile || o.Name == answer.StackStateFile || o.Name == answer.CountedStateFile
	}), nil
}

// open opens a run for writing, as the job that this runner has claimed, if any.
func (r *Runner) open(ctx context.Context, id string) (*tracker.Run, error) {
	if r.Claim.Job != 0 {
		return r.Tracker.ResumeClaimed(ctx, id, r.Claim)
	}
	return r.Tracker.ResumeRun(ctx, id)
}

// sameNumerics refuses a run of a program with another numerics version.
func sameNumerics(version int) error {
	if version == sphere.NumericsVersion {
		return nil
	}
	return fmt.Errorf("it was made with numerics version %d and this program has version %d; use the program of that "+
		"version", version, sphere.NumericsVersion)
}

// gitHeads returns the commits of the programs that have worked on a run, the first one first. It returns "" if there
// is only one.
func gitHeads(heads []string, head string) string {
	if len(heads) == 0 {
		heads = []string{"unknown"}
	}
	if head != "" && !slices.Contains(heads, head) {
		heads = append(slices.Clip(heads), head)
	}
	if len(heads) == 1 {
		return ""
	}
	return strings.Join(heads, " ")
}

// restore loads the saved state and marks the run as resumed by the program of commit head.
func (s *session) restore(ctx context.Context, t *tracker.Tracker, info tracker.RunInfo, head string) (err error) {
	s.trainer, err = sphere.ResumeTrainer(s.path(answer.StateFile), s.graph, s.cfg.Training())
	if err != nil {
		return err
	}
	s.saved, s.end = s.trainer.Done(), answer.ReadLogged(info).Ended
	if err = s.tidy(); err == nil {
		err = s.replayValidations(ctx, t, s.trainer.Done())
	}
	if err == nil {
		err = s.run.SetTags(resumedTags(info, head))
	}
	if err != nil {
		s.trainer.Close()
	}
	return err
}

// resumedTags returns the tags of a run that is resumed by the program of commit head.
func resumedTags(info tracker.RunInfo, head string) map[string]string {
	logged := answer.ReadLogged(info)
	tags := map[string]string{answer.TagResumed: strconv.Itoa(logged.Resumed + 1)}
	if heads := gitHeads(logged.GitHeads, head); heads != "" {
		tags[answer.TagGitHeads] = heads
	}
	return tags
}

// replayValidations restores the last validation and the state of early stopping, from the validations that are logged
// up to an epoch.
func (s *session) replayValidations(ctx context.Context, t *tracker.Tracker, epoch int) error {
	if s.valid == nil {
		return nil
	}
	metric := s.stop.metric
	if metric == "" {
		metric = "valid/head_f1" // every validation logs it
	}
	points, err := t.History(ctx, s.run.ID(), metric)
	if err != nil {
		return err
	}
	slices.SortStableFunc(points, func(a, b tracker.Point) int { return cmp.Compare(a.Step, b.Step) })
	for _, p := range points {
		if p.Step > int64(epoch) {
			break // those of epochs that are trained again
		}
		s.validated = int(p.Step)
		if s.stop.isEnabled() {
			s.stop.Observe(int(p.Step), p.Value)
		}
	}
	return nil
}

// runConfig returns the config that a run was started with. Layers may change the keys in resumable.
func runConfig(dir string, l config.Layers) (*config.Config, error) {
	own, err := config.Load(config.Layers{Config: filepath.Join(dir, answer.ConfigFile)})
	if err != nil {
		return nil, err
	}
	cfg, err := changed(own.Config(), l)
	if err != nil {
		return nil, err
	}
	checked, err := cfg.Check()
	if err != nil {
		return nil, err
	}
	return checked.Config(), nil
}

// changed returns a run's own config with the changes of layers that are allowed.
func changed(own *config.Config, l config.Layers) (*config.Config, error) {
	if l.Config != "" {
		return nil, fmt.Errorf("a resumed run keeps its config; leave out %s", l.Config)
	}
	cfg := own.Clone()
	if err := cfg.Apply(l); err != nil {
		return nil, err
	}
	before, after := own.Flatten(), cfg.Flatten()
	for _, key := range config.Keys() {
		if before[key] != after[key] && !slices.Contains(resumable, key) {
			return nil, &config.Error{Origin: cfg.Origin(key), Key: key,
				Message: fmt.Sprintf("the run was started with %s = %s; start a new run for %s", key, before[key],
					after[key])}
		}
	}
	return cfg, nil
}

// reopen returns a session that resumes a run.
func (r *Runner) reopen(ctx context.Context, info tracker.RunInfo, cfg *config.Config, g *kg.Graph) (*session, error) {
	s, err := newSession(r, cfg, g)
	if err != nil {
		return nil, err
	}
	run, err := r.open(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	s.run, s.isShared = run, s.isShared || run.InBucket()
	return s, nil
}
