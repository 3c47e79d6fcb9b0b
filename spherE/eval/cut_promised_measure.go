package eval

// Promise has the precision and recall of new answers for each threshold on their probability, all new answers of a
// split taken together.
type Promise struct {
	Calibration Calibration       `json:"calibration"` // of new answers, fitted on every other validation query
	Fitted      ReliabilityBySide `json:"fitted"`      // on the same queries
	Measured    ReliabilityBySide `json:"measured"`    // on the other ones
	Coverage    Coverage          `json:"coverage"`    // on the other ones
}

// Kept is the precision and the recall of new answers of a cut, all queries with such answers taken together.
func (r *Records) Kept(cut string) (k Kept, ok bool) {
	for _, c := range r.Cuts {
		if c.Name != cut {
			continue
		}
		var size, hits, all int64
		for i := range c.Size {
			if r.Truth[i] > r.Known[i] {
				size, hits = size+int64(c.Size[i]-c.Known[i]), hits+int64(c.Hits[i]-c.Known[i])
				all += int64(r.Truth[i] - r.Known[i])
			}
		}
		if size > 0 {
			k.Precision = float64(hits) / float64(size)
		}
		if all > 0 {
			k.Recall = float64(hits) / float64(all)
		}
		return k, true
	}
	return k, false
}

// measure counts chosen evidence by its probabilities.
func (c *calibrating) measure(by *Calibration, chosen func(*evidence) bool) ReliabilityBySide {
	r := newReliabilityBySide()
	for side, logits := range [][]Logit{by.Head, by.Tail} {
		sums := []*Reliability{&r.Head, &r.Tail}[side]
		for i := range c.evidence[side] {
			e := &c.evidence[side][i]
			if !chosen(e) || e.rights(newAnswer) == 0 {
				continue
			}
			s := logits[e.relation].with(e)
			e.each(newAnswer, func(v float32, n, right float64) { sums.add(s, v, n, right) })
		}
	}
	return r
}
