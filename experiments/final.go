package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// calibrate fits the probabilities of answers and logs how reliable they are on half of the validation queries, when
// they are fitted on the other half.
func (s *session) calibrate(ctx context.Context, model *sphere.Model) (*eval.Calibrated, error) {
	began, cpu := time.Now(), cpuSeconds()
	settings := eval.CalibrateSettings{Threads: s.cfg.Threads, Sample: s.cfg.Eval.Sample,
		Progress: func(done, total int) {
			s.event(Event{Event: Evaluating, Done: done, Total: total, Message: calibrating})
		}}
	by, err := eval.Calibrate(ctx, s.cfg.judged(model, s.graph), s.graph, settings)
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
	return by, s.run.LogMetrics(epoch, map[string]float64{
		"system/calibration_seconds":     time.Since(began).Seconds(),
		"system/calibration_cpu_seconds": cpuSeconds() - cpu,
	})
}

// logFinal runs the final evaluation and logs it at an epoch. The times, of the clock and of the processor, are when it
// began.
func (s *session) logFinal(
	ctx context.Context, final *eval.Evaluator, model eval.Model, epoch int64, began time.Time, cpu float64,
) (*eval.Report, error) {
	report, err := final.Run(ctx, s.cfg.judged(model, s.graph))
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("evaluation report: %w", err)
	}
	if err := s.write(reportFile, raw); err != nil {
		return nil, err
	}
	if err := s.run.SetTags(map[string]string{TagCriterion: report.Primary}); err != nil {
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

// keepThresholds writes fitted thresholds beside the model.
func (s *session) keepThresholds(thresholds []sphere.Thresholds) error {
	raw, err := json.Marshal(thresholds)
	if err != nil {
		return fmt.Errorf("fitted thresholds: %w", err)
	}
	return s.write(thresholdsFile, raw)
}

// keepCalibration writes probabilities beside the model.
func (s *session) keepCalibration(by *eval.Calibrated) error {
	raw, err := json.Marshal(by)
	if err != nil {
		return fmt.Errorf("fitted probabilities: %w", err)
	}
	return s.write(calibrationFile, raw)
}
