package tracker

import (
	"slices"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// LogRelations records results per relation, as LogMetrics records metrics. A result that the run already has is
// skipped if it is equal, and an Error with CodeConflict if it is not.
func (r *Run) LogRelations(results []RelationResult) error {
	if err := CheckRelations(results); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []RelationResult
	for _, result := range results {
		old, ok := r.relations[result.Key()]
		if ok && old != result {
			return RelationConflict(result.Key())
		}
		if !ok {
			fresh = append(fresh, result)
		}
	}
	for chunk := range slices.Chunk(fresh, MaxRows) {
		if err := r.record(entry{Kind: "relations", Relations: chunk}); err != nil {
			return err
		}
		for _, result := range chunk {
			r.relations[result.Key()] = result
		}
	}
	if len(fresh) == 0 {
		return r.checkOpen()
	}
	return nil
}

// LogResults records the results of an evaluation at a step, and metrics at the same step, as one record: a crash keeps
// both or neither. It returns like LogMetrics. What the run already has, in either form, is skipped if it is equal, and
// an Error with CodeConflict if it is not. Step and At of the results are ignored.
func (r *Run) LogResults(step int64, results []EvaluationResult, metrics map[string]float64) error {
	list := slices.Clone(results)
	for i := range list {
		list[i].Step, list[i].At = step, 0
	}
	if err := CheckResults(list); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.checkMetrics(metrics); err != nil {
		return err
	}
	values, err := r.freshMetrics(step, metrics)
	if err != nil {
		return err
	}
	var fresh []EvaluationResult
	for _, result := range list {
		for key, v := range result.Numbers() { // a run of an earlier version has resumed
			if _, err := r.isStored(key, step, v); err != nil {
				return err
			}
		}
		old, ok := r.results[result.Key()]
		if ok && !old.Equal(result) {
			return ResultConflict(result.Key())
		}
		if !ok {
			fresh = append(fresh, result)
		}
	}
	if len(fresh) == 0 && len(values) == 0 {
		return r.checkOpen()
	}
	exact := make(map[string]jsonvalue.Exact, len(values))
	for key, v := range values {
		exact[key] = jsonvalue.Exact(v)
	}
	if err := r.record(entry{Kind: "results", Step: step, Values: exact, Results: fresh}); err != nil {
		return err
	}
	for _, result := range fresh {
		r.results[result.Key()] = result
	}
	return nil
}
