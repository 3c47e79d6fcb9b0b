package eval

// rankAnswers writes twice the filtered realistic rank of each of q's own answers to dst; nan is the number of
// NaN values. The rank is the mean of the optimistic rank (1 + entities with a smaller value) and
// the pessimistic one (also + entities with an equal value), where the query's other known true answers do not
// count. All NaN values are tied with each other behind everything else.
func rankAnswers(q question, values []float32, nan int32, dst []int32) {
	numbers := int32(len(values)) - nan
	for k, a := range q.own {
		v := values[a]
		var less, equal int32 // equal counts the answer itself
		if v != v {
			less, equal = numbers, nan
			for _, b := range q.truth {
				if values[b] == values[b] {
					less--
				} else {
					equal--
				}
			}
		} else {
			if k > 0 && v == values[q.own[k-1]] {
				dst[k] = dst[k-1]
				continue
			}
			less, equal = countBelow(values, v)
			for _, b := range q.truth {
				if values[b] < v {
					less--
				} else if values[b] == v {
					equal--
				}
			}
		}
		// The filter took the answer itself out of equal as well, so optimistic = 1+less and
		// pessimistic = 1+less+equal.
		dst[k] = 2 + 2*less + equal
	}
}
