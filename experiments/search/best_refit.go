package search

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/experiments"
)

const (
	theirStack  = "their stack"
	stoppedBest = "stopped; the same command continues from here"
)

// where begins what is said of the i-th piece of work.
func (b *Best) where(i int) string {
	total := len(b.Members) + 1
	if b.Refits {
		total *= 2
	}
	return fmt.Sprintf("%d of %d: ", i+1, total)
}

func (o Options) say() func(string) {
	if o.Say == nil {
		return func(string) {}
	}
	return o.Say
}

// Again trains what Run has made again on all facts, and returns the stack of that, which answers. made are the results
// of Run. What is finished is taken as it is, and what was interrupted resumed. Every model must be made, since the
// weights of the stack are those of all of them.
func (b *Best) Again(ctx context.Context, r *experiments.Runner, made []*experiments.Result, o Options) (
	*experiments.Result, error) {
	say := o.say()
	var parts []string
	var last *experiments.Result
	for i, m := range made {
		name, of := m.RunName, []string(nil)
		if i == len(made)-1 {
			name, of = theirStack, parts
		}
		g, err := b.graph(r)
		if err == nil {
			last, err = r.Refit(ctx, m.RunID, of, g.Whole(), experiments.RefitOptions{Flags: o.Flags,
				Say: func(what string) { say(b.where(len(b.Members)+1+i) + name + " on all facts: " + what) }})
		}
		if err != nil {
			if ctx.Err() != nil || isInterrupted(err) {
				say(stoppedBest)
			}
			return nil, err
		}
		parts = append(parts, last.RunID)
	}
	return last, nil
}
