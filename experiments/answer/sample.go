package answer

// LeastSample returns the smallest eval.sample of runs that answer a part of the queries, 0 if none does. Runs that are
// compared answer the smallest sample, and so does a stack, which asks all its models.
func LeastSample(runs ...*Run) int {
	least := 0
	for _, run := range runs {
		if n := run.Config.Eval.Sample; n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
