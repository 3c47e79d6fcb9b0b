package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// calibrate fits the probabilities of answers and logs how reliable they are on half of the validation queries, when
// they are fitted on the other half.
func (s *session) calibrate(ctx context.Context, model *sphere.Model) (*eval.Calibrated, error) {
	began, cpu := time.Now(), cpuSeconds()
	settings := eval.CalibrateSettings{Threads: s.cfg.Threads, Sample: s.cfg.Eval.Sample,
		Progress: func(done, total int) {
			s.event(progress.Event{Event: progress.Evaluating, Done: done, Total: total, Message: progress.Calibrating})
		}}
	by, err := eval.Calibrate(ctx, s.cfg.Judged(model, s.graph), s.graph, settings)
	if err != nil {
		return nil, err
	}
	if err := s.keepCalibration(by); err != nil {
		return nil, err
	}
	epoch := int64(s.done())
	if err := logEvaluation(s.run, epoch, by.LoggedMetrics()); err != nil {
		return nil, err
	}
	if err := s.chooseCuts(ctx, s.cfg.Judged(model, s.graph), by, s.done()); err != nil {
		return nil, err
	}
	return by, s.run.LogMetrics(epoch, map[string]float64{
		"system/calibration_seconds":     time.Since(began).Seconds(),
		"system/calibration_cpu_seconds": cpuSeconds() - cpu,
	})
}

// logFinal runs the final evaluation and logs it at an epoch. The two times, wall clock and processor, are those of its
// start.
func (s *session) logFinal(
	ctx context.Context, final *eval.Evaluator, model eval.Model, epoch int64, began time.Time, cpu float64,
) (*eval.Report, error) {
	report, err := final.Run(ctx, s.cfg.Judged(model, s.graph))
	if err != nil {
		return nil, err
	}
	tags := map[string]string{answer.TagCriterion: report.Primary}
	if worth, err := s.worth(ctx, report); err != nil {
		return nil, err
	} else if worth != "" {
		tags[answer.TagWorth] = worth
	}
	report.Records = nil // the counts of every query would make a large file
	raw, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("evaluation report: %w", err)
	}
	if err := s.write(reportFile, raw); err != nil {
		return nil, err
	}
	if err := s.run.SetTags(tags); err != nil {
		return nil, err
	}
	if err := logEvaluation(s.run, epoch, report.LoggedMetrics()); err != nil {
		return nil, err
	}
	if err := s.run.LogRelations(relationResults(report)); err != nil {
		return nil, err
	}
	return report, s.run.LogMetrics(epoch, map[string]float64{
		"system/evaluation_seconds":     time.Since(began).Seconds(),
		"system/evaluation_cpu_seconds": cpuSeconds() - cpu,
	})
}

// withFittedCuts fits thresholds, keeps them next to the model, and adds their cuts to an evaluation.
func (s *session) withFittedCuts(ctx context.Context, judged eval.Model, final *eval.Evaluator, epoch int) (
	*eval.Evaluator, error) {
	thresholds, cuts, err := answer.FitCuts(ctx, judged, s.graph, s.fitSettings(epoch))
	if err != nil {
		return nil, err
	}
	if err := s.keepThresholds(thresholds); err != nil {
		return nil, err
	}
	return final.With(cuts...)
}

// worth says on each side what the answers add to a lookup of what is known; "" without intervals.
func (s *session) worth(ctx context.Context, report *eval.Report) (string, error) {
	if s.cfg.Eval.Bootstrap == 0 {
		return "", nil
	}
	all, err := answer.Worth(ctx, report, answer.MeasuredCut(s.cfg, report), s.cuts, eval.CompareSettings{
		Seed: s.cfg.Seed, Resamples: s.cfg.Eval.Bootstrap, Threads: s.cfg.Threads})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, w := range all {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n"), nil
}

// chooseCuts chooses by validation the cut of each side's answers where none is named, and records it. A config that
// names a criterion has chosen.
func (s *session) chooseCuts(ctx context.Context, judged eval.Model, by *eval.Calibrated, epoch int) (err error) {
	if s.cfg.Criterion() != "" {
		return nil
	}
	s.cuts, err = eval.ChooseCuts(ctx, judged, s.graph, by, eval.CalibrateSettings{Threads: s.cfg.Threads,
		Sample: s.cfg.Eval.Sample, Progress: s.whereSlow(epoch, progress.Choosing)})
	if err != nil {
		return err
	}
	raw, err := json.Marshal(s.cuts)
	if err != nil {
		return fmt.Errorf("default cuts: %w", err)
	}
	for _, note := range s.cuts.Notes() {
		s.note("  %s", note)
	}
	return s.run.SetTags(map[string]string{answer.TagCuts: string(raw)})
}

// keepThresholds writes fitted thresholds next to the model.
func (s *session) keepThresholds(thresholds []sphere.Thresholds) error {
	raw, err := json.Marshal(thresholds)
	if err != nil {
		return fmt.Errorf("fitted thresholds: %w", err)
	}
	return s.write(answer.ThresholdsFile, raw)
}

// keepCalibration writes probabilities next to the model.
func (s *session) keepCalibration(by *eval.Calibrated) error {
	raw, err := json.Marshal(by)
	if err != nil {
		return fmt.Errorf("fitted probabilities: %w", err)
	}
	return s.write(answer.CalibrationFile, raw)
}
