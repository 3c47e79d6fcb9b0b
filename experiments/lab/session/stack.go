package session

import (
	"context"

	"github.com/spherelab/spherelab/experiments"
)

// Stack combines finished runs on one graph into a run of its own, by logistic regression over scores, ranks and counts
// of training facts. The weights are fitted on the validation facts.
//
//	both := lab.Stack(lab.Run("a"), lab.Run("b"))
//
// An interrupt of the cell stops the run, and lab.Resume continues it.
func (s *Session) Stack(runs ...*Run) *Run { return s.stack(runs, false) }

// StackTrees is Stack with boosted trees on top of the weights.
func (s *Session) StackTrees(runs ...*Run) *Run { return s.stack(runs, true) }

func (s *Session) stack(runs []*Run, ofTrees bool) *Run {
	var ids []string
	for i, r := range runs {
		switch {
		case r == nil:
			panic(fail(UnknownRun, "run %d of the stack is nil: lab.Stack(lab.Run(\"a\"), lab.Run(\"b\"))", i+1))
		case r.embedded != nil:
			panic(fail(UnknownRun, "run %s is an embedded result, which has no model: lab.Train(run.Graph(), run.Model()) "+
				"trains it again", r.label()))
		}
		ids = append(ids, r.ID())
	}
	if len(ids) < 2 {
		panic(fail(UnknownRun, "a stack needs at least two runs: lab.Stack(lab.Run(\"a\"), lab.Run(\"b\"))"))
	}
	return s.drive(nil, func(ctx context.Context, r *experiments.Runner) (*experiments.Result, error) {
		return r.Stack(ctx, ids, experiments.StackOptions{Threads: s.o.Threads, Trees: ofTrees})
	})
}
