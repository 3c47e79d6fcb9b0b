package answer

// LeastSample returns the smallest eval.sample of runs that answer a part of the queries, 0 if none does. Runs are
// compared on it, and a stack has it: it asks each model, so its cost is that of the slowest one.
func LeastSample(runs ...*Run) int {
	least := 0
	for _, run := range runs {
		if n := run.Config.Eval.Sample; n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
