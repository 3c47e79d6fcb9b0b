package tracker

// ResultKey is what a run has one result of.
type ResultKey struct {
	resultName
	step int64
}

func (r EvaluationResult) Key() ResultKey { return ResultKey{r.name(), r.Step} }

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

func ResultConflict(k ResultKey) error {
	return Errorf(CodeConflict, nil, "result %q of this run at step %d was logged again with another value: "+
		"the resumed run does not repeat the first one", k.resultName.Key(), k.step)
}
