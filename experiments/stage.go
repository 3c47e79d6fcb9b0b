package experiments

import (
	"context"
	"path"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// outcome collects what the stages of a run produce.
type outcome struct {
	result Result
	model  *sphere.Model    // the trained one
	by     *eval.Calibrated // nil without eval.calibrate

	counted answer.Untrained // the counted one
	scores  *answer.Scores   // those of a file
	dirs    []string         // folders that may have the weights of an inductive model

	stored *answer.StoredStack
	parts  []stack.Model
	stack  *stack.Stack
}

type stage = func(*session, context.Context, *outcome) error

// training has the stages of a run with epochs. A run that is killed before its end is recorded can be resumed, and is
// then complete.
var training = []stage{
	(*session).keepInput,
	(*session).publishInput,
	(*session).keepFirstState,
	(*session).trainToTheEnd,
	(*session).chooseModel,
	(*session).keepModel,
	(*session).fitProbabilities,
	(*session).measure,
	(*session).keepMeasured,
	(*session).publishAll,
	(*session).recordEnd,
	(*session).warnOfNumbers,
	(*session).reportEnd,
}

// counting has the stages of a counted model.
var counting = []stage{
	(*session).fit,
	(*session).tagModel,
	(*session).evaluateCounted,
	(*session).keepMeasured,
	(*session).publishAll,
	(*session).recordEnd,
	(*session).reportEnd,
}

// stacking has the stages of a stack, after its models are copied.
var stacking = []stage{
	(*session).publishParts,
	(*session).combine,
	(*session).tagModel,
	(*session).evaluateStack,
	(*session).keepMeasured,
	(*session).publishAll,
	(*session).recordEnd,
	(*session).reportEnd,
}

// restacking has the stages of a stack that has the weights of a measured one, after its models are copied.
var restacking = []stage{
	(*session).publishParts,
	(*session).combine,
	(*session).keepStack,
	(*session).tagModel,
	(*session).keepMeasured,
	(*session).publishAll,
	(*session).recordEnd,
	(*session).reportEnd,
}

// walk runs the stages in order and returns the result.
func (s *session) walk(ctx context.Context, o outcome, stages ...stage) (*Result, error) {
	for _, stage := range stages {
		if err := stage(s, ctx, &o); err != nil {
			return nil, err
		}
	}
	return &o.result, nil
}

// keepInput writes the expanded config and, once, the file that the graph was read from.
func (s *session) keepInput(context.Context, *outcome) error {
	if err := s.write(answer.ConfigFile, s.cfg.YAML()); err != nil || s.saved >= 0 {
		return err
	}
	if source := sphere.Source(s.cfg.Model); source != "" {
		if err := s.write(answer.GeometryFile, []byte(source)); err != nil {
			return err
		}
	}
	for name, text := range s.modules {
		if err := s.write(path.Join(answer.ModulesFolder, name), text); err != nil {
			return err
		}
	}
	return s.keepGraph()
}

// publishInput sends what another machine needs to know about the run. To a bucket it also sends the file of the graph,
// without which the run cannot be resumed elsewhere.
func (s *session) publishInput(ctx context.Context, _ *outcome) error {
	if s.run.InBucket() {
		return s.publish(ctx)
	}
	files := []string{answer.ConfigFile}
	if sphere.Source(s.cfg.Model) != "" {
		files = append(files, answer.GeometryFile)
	}
	return s.publish(ctx, files...)
}

// keepFirstState saves a state before the first epoch, so that the run can be resumed from then on.
func (s *session) keepFirstState(ctx context.Context, _ *outcome) error {
	if s.saved >= 0 || s.cfg.Train.SaveEvery <= 0 {
		return nil
	}
	return s.saveOnTheWay(ctx)
}

// trainToTheEnd trains the remaining epochs.
func (s *session) trainToTheEnd(ctx context.Context, _ *outcome) error {
	if err := s.train(ctx); err != nil {
		return err
	}
	return s.logEnd()
}

// chooseModel chooses the final model of the run.
func (s *session) chooseModel(_ context.Context, o *outcome) (err error) {
	if o.model, err = s.finalModel(); err != nil {
		return err
	}
	o.result = Result{RunID: s.run.ID(), RunName: s.run.Name(), Epochs: s.done(), Digest: o.model.Digest(),
		Graph: s.graph}
	return nil
}

// keepModel writes the model and the names of its rows, and records in the tracker which model it is.
func (s *session) keepModel(_ context.Context, o *outcome) error {
	if err := s.keepNames(); err != nil {
		return err
	}
	metadata := map[string]string{"run_id": o.result.RunID, "graph": s.graph.Name, "graph_digest": s.graph.Digest(),
		"about/names": "row i of a tensor is id i in " + answer.EntitiesFile + " or " + answer.RelationsFile}
	if err := o.model.Save(s.path(answer.ModelFile), metadata); err != nil {
		return err
	}
	if err := s.run.SetTags(map[string]string{answer.TagDigest: o.result.Digest}); err != nil {
		return err
	}
	return s.describeModel(o.result.Digest)
}

// fitProbabilities fits the probabilities of answers, with eval.calibrate.
func (s *session) fitProbabilities(ctx context.Context, o *outcome) (err error) {
	if s.cfg.Eval.Calibrate {
		o.by, err = s.calibrate(ctx, o.model)
	}
	return err
}

// measure evaluates the model on the test split, with eval.final.
func (s *session) measure(ctx context.Context, o *outcome) (err error) {
	if s.final != nil {
		o.result.Report, err = s.evaluate(ctx, o.model, o.by)
	}
	return err
}

// keepMeasured keeps, for a refit, the thresholds and probabilities of the run that was measured, if that still exists.
// Without them the refit answers by other thresholds, so it says so, but what is trained does not fail.
func (s *session) keepMeasured(ctx context.Context, _ *outcome) error {
	id := s.cfg.Tags[answer.TagRefitOf]
	if id == "" {
		return nil
	}
	measured, err := s.tracker.FindRun(ctx, id)
	if tracker.ErrorCode(err) == tracker.CodeNotFound {
		return nil
	}
	if err == nil {
		err = answer.CopyFitted(ctx, s.tracker, measured, s.run.ArtifactDir())
	}
	if err != nil && ctx.Err() == nil {
		s.note("  the thresholds of the measured run %s are not kept: %v", tracker.ShortID(id), err)
		return nil
	}
	return err
}

// publishAll removes unfinished files, and sends the others.
func (s *session) publishAll(ctx context.Context, _ *outcome) error {
	if err := s.tidy(); err != nil {
		return err
	}
	return s.publish(ctx)
}

// recordEnd ends the run in the tracker and removes the states to resume from. It keeps them if another machine may
// need them to resume the run.
func (s *session) recordEnd(ctx context.Context, _ *outcome) error {
	err := s.finish(ctx, tracker.Finished)
	stored := err == nil
	if err := s.warnIfSpooled(err); err != nil {
		return err
	}
	if stored || !s.isShared {
		s.remove(ctx, s.states...)
	}
	return nil
}

// warnOfNumbers warns of numbers that mean little.
func (s *session) warnOfNumbers(_ context.Context, o *outcome) error {
	if s.loss != nil {
		if text := s.cfg.ChanceWarning(*s.loss, s.graph.Entities.Len()); text != "" {
			s.note("warning: %s", text)
		}
	}
	if text := answer.FewTestsWarning(len(s.graph.Test)); text != "" && o.result.Report != nil {
		s.note("warning: %s", text)
	}
	return nil
}

// reportEnd reports the end.
func (s *session) reportEnd(_ context.Context, o *outcome) error {
	finished := progress.Event{Event: progress.RunFinished, Status: "FINISHED", Epoch: o.result.Epochs,
		Digest: o.result.Digest, Seconds: time.Since(s.began).Seconds()}
	if o.result.Report != nil {
		finished.Metrics = o.result.Report.LoggedMetrics()
	}
	s.event(finished)
	return nil
}
