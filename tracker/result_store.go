package tracker

// ResultKey identifies a result within a run: the result's names and its step.
type ResultKey struct {
	resultName
	step int64
}

// Key returns the key of the result. A run has at most one result of each key.
func (r EvaluationResult) Key() ResultKey { return ResultKey{r.name(), r.Step} }

// CheckResults returns an error if a name of a result is invalid or two of the results have the same key.
func CheckResults(results []EvaluationResult) error {
	seen := make(map[ResultKey]bool, len(results))
	names := map[resultName]bool{}
	for _, r := range results {
		if !names[r.name()] {
			if err := r.name().check(); err != nil {
				return err
			}
			names[r.name()] = true
		}
		if seen[r.Key()] {
			return Errorf(CodeInvalid, nil, "result %q has two values at step %d", r.name().Key(), r.Step)
		}
		seen[r.Key()] = true
	}
	return nil
}

// ResultConflict returns the error for a result that is logged again with other numbers than before.
func ResultConflict(k ResultKey) error {
	return Errorf(CodeConflict, nil, "result %q of this run at step %d was logged again with another value: "+
		"the resumed run does not repeat the first one", k.resultName.Key(), k.step)
}
