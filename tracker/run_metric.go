package tracker

import (
	"maps"
	"slices"

	"github.com/spherelab/spherelab/tracker/internal/form"
)

// checkMetrics checks the names of metrics, each once: a training logs the same ones again and again. r.mu is held.
func (r *Run) checkMetrics(values map[string]float64) error {
	for key := range values {
		if r.checked[key] {
			continue
		}
		if err := CheckKey("metric", key); err != nil {
			return err
		}
		r.checked[key] = true
	}
	return nil
}

// freshMetrics returns the values that are not already stored. r.mu is held.
func (r *Run) freshMetrics(step int64, values map[string]float64) (map[string]float64, error) {
	fresh := make(map[string]float64, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		skip, err := r.isStored(key, step, values[key])
		if err != nil {
			return nil, err
		}
		if !skip {
			fresh[key] = values[key]
		}
	}
	return fresh, nil
}

// isStored reports whether the point is already stored. r.mu is held.
func (r *Run) isStored(key string, step int64, v float64) (bool, error) {
	old, ok := r.previous[key][step]
	if !ok {
		return false, nil
	}
	value, isNaN := form.ToMLflow(v)
	if (old == metricValue{value, isNaN}) || isSystem(key) {
		return true, nil
	}
	return false, Errorf(CodeConflict, nil, "metric %q of run %s is %v at step %d and was logged again as %v: "+
		"the resumed run does not repeat the first one",
		key, r.id, form.FromMLflow(old.value, old.isNaN), step, v)
}

func isSystem(key string) bool { return len(key) > 7 && key[:7] == "system/" }
