package session

import (
	"fmt"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/eval"
)

// Reliability draws, by probability, the share of the run's new answers that is right: on the test facts, or on half of
// the validation facts if there are none. A run without probabilities gets them now.
func (r *Run) Reliability() Chart { return Chart{r.reliability(nil).Chart()} }

// Promises compares promised precisions with measured ones: precision and recall of new answers on the validation facts
// that the probability was fitted on, on the other half of them, and on the test facts.
//
//	run.Promises(0.5, 0.8, 0.9)
func (r *Run) Promises(precisions ...float64) *Rows {
	var cuts []eval.Limited
	for _, share := range precisions {
		c, ok := eval.PromisedPrecision(share)
		if !ok {
			panic(fail(BadCut, "run.Promises(%g): the share must be above 0 and below 1", share))
		}
		cuts = append(cuts, c)
	}
	by := r.reliability(cuts)
	rows := &Rows{title: "promised and measured precision of new answers, " + by.RunName,
		columns: []string{"promise", "probability", "facts", "precision", "recall"}}
	for _, p := range by.Promises {
		if !p.Reached {
			rows.notes = append(rows.notes, fmt.Sprintf("%s: no threshold reaches it on the validation facts, so sets "+
				"are empty", p.Cut))
			continue
		}
		add := func(facts string, k *eval.Kept) {
			if k != nil {
				rows.values = append(rows.values, []interface{}{p.Cut, p.Probability, facts, k.Precision, k.Recall})
			}
		}
		add("validation, fitted", &p.Fitted)
		add("validation, other half", &p.Measured)
		add("test", p.Test)
	}
	return rows
}

// Coverages compares the shares of right new answers that sets are to hold with the measured ones of the test facts, by
// side, with the mean size of the sets and the relation of 50 test facts or more that has the least.
//
//	run.Coverages(0.8, 0.9)
func (r *Run) Coverages(shares ...float64) *Rows {
	var cuts []eval.Limited
	for _, share := range shares {
		c, ok := eval.CoverageOf(share)
		if !ok {
			panic(fail(BadCut, "run.Coverages(%g): the share must be above 0 and below 1", share))
		}
		cuts = append(cuts, c)
	}
	by := r.reliability(cuts)
	rows := &Rows{title: "promised and measured coverage of test facts, " + by.RunName,
		columns: []string{"coverage", "queries", "covered", "size", "worst", "relation"}}
	for _, c := range by.Coverages {
		for _, side := range c.Sides {
			if t := side.Test; t != nil {
				rows.values = append(rows.values, []interface{}{c.Cut, side.Side, t.Covered, t.Size, t.Worst, t.Of})
			}
		}
	}
	return rows
}

func (r *Run) reliability(promises []eval.Limited) *answer.Reliability {
	ctx := r.context()
	by, err := r.loadTrained(ctx).Reliability(ctx, promises, r.session.o.Threads, nil)
	check(err)
	return by
}
