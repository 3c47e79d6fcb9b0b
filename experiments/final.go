package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// logFinal runs the final evaluation and logs it at an epoch. The times, of the clock and of the processor, are when it
// began.
func (s *session) logFinal(
	ctx context.Context, final *eval.Evaluator, model eval.Model, epoch int64, began time.Time, cpu float64,
) (*eval.Report, error) {
	report, err := final.Run(ctx, model)
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
	if err := s.run.LogMetrics(epoch, report.LoggedMetrics()); err != nil {
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
