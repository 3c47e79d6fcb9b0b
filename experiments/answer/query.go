package answer

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// Cut decides which entities are answers. The zero value is the run's default cut.
type Cut struct {
	Name  string  // of the cut, see ParseCut; "": DefaultCut
	Slack float32 // moves the threshold, see retrieve.Options.Slack; not with cuts of a fixed size

	Among      retrieve.Among // which entities may be new answers
	DropItself bool           // see retrieve.Options.DropItself; also where the run's config has eval.drop_itself
}

// Retriever prepares answering queries with the run's model by a cut. Options that make a cut are set here. Fitted
// thresholds are read from the run's artifacts, or fitted now, which p shows; nil shows nothing.
func (r *Run) Retriever(
	ctx context.Context, cut Cut, o retrieve.Options, p progress.Listener,
) (*retrieve.Retriever, error) {
	var err error
	if o.Among, err = cut.Among.Of(r.Graph); err != nil {
		return nil, err
	}
	o.AmongName = cut.Among
	named := cut.Name != ""
	if !named {
		head, tail := r.DefaultCut(kg.HeadSide), r.DefaultCut(kg.TailSide)
		if head != tail || head == eval.LookupName {
			return r.bySide(ctx, head, tail, cut, o, p)
		}
		cut.Name = head
	}
	parsed, err := ParseCut(cut.Name)
	if err != nil {
		return nil, err
	}
	o.Cut, o.Slack, o.Criterion = cut.Name, cut.Slack, sphere.CriterionMargin
	o.DropItself = cut.DropItself
	switch c := parsed.(type) {
	case eval.Criterion:
		if err := r.Config.Fits(c); err != nil {
			return nil, fmt.Errorf("cut %s does not fit the model: %w", cut.Name, err)
		}
		o.Criterion = sphere.Criterion(c)
	case eval.Fitted:
		t, err := r.thresholds(ctx, cut.Name, o.Threads, p)
		if err != nil {
			return nil, err
		}
		o.Threshold = func(q kg.Query, _ float32) float32 { return t.Limit(q) }
	case eval.Limited:
		if err := r.limit(ctx, c, &o, p); err != nil {
			return nil, err
		}
	case eval.Top:
		o.Size = func(kg.Query) int { return int(c) }
	case eval.TopMean:
		o.Size = c.Size(r.Graph)
	}
	if cut.Slack != 0 && (parsed.Kind() == eval.KindPromised || parsed.Kind() == eval.KindCovering) {
		return nil, fmt.Errorf("cut %s promises what its threshold gives, so slack cannot move it", cut.Name)
	}
	if cut.Slack != 0 && o.Size != nil {
		return nil, fmt.Errorf("cut %s has a fixed size, so slack cannot move its border", cut.Name)
	}
	return r.retriever(parsed, named && cut.Name == defaultExpected, o, p)
}

// retriever has the options of the run besides those that the cut makes; hasNew is Steps.HasNew.
func (r *Run) retriever(
	cut eval.Cut, hasNew bool, o retrieve.Options, p progress.Listener,
) (*retrieve.Retriever, error) {
	o.DropItself = o.DropItself || r.Config.Eval.DropItself
	o.Steps = r.steps(cut, hasNew, o.Threads, p)
	o.Facts = func(ctx context.Context) (*retrieve.Facts, error) { return r.facts(ctx, cut, o.Threads, p) }
	o.Evidence = func(ctx context.Context, of kg.Triple) (*evidence.Evidence, error) {
		return r.evidence(ctx, of, cut, o.Threads, p)
	}
	return retrieve.New(answering(r.Model, cut), r.Graph, o)
}

// answering returns what answers by a cut. Sets of a coverage come from the half of a stack's weights that was fitted
// without the query.
func answering(m Model, cut eval.Cut) retrieve.Model {
	if stacked, ok := m.(*stack.Stack); ok && cut.Kind() == eval.KindCovering {
		return stacked.Crossed()
	}
	return m
}

// TypesNote says in one line of answers among types that these are not the ones that the run was made with; "" where
// they are. They are read from the place of the graph, and no number of the run depends on them.
func (r *Run) TypesNote(cut Cut) string {
	before, now := r.Info.Tags[TagTypes], r.Graph.TypesDigest()
	switch {
	case cut.Among != retrieve.AmongType || now == before:
		return ""
	case before == "":
		return "the run was made without the types of the graph's entities, or by an earlier version"
	}
	return "the types of the graph's entities have changed since the run was made"
}

// FixedSize reports whether sets of a cut have a size instead of a threshold.
func FixedSize(c eval.Cut) bool { return c.Kind() == eval.KindTop || c.Kind() == eval.KindTopMean }

// Title returns model, variant and run: "SpherE-2D (clean), run 4c7e17b7".
func (r *Run) Title() string {
	of := Logged{Config: r.Config, Model: r.Config.Model}
	if of.Model == sphere.Scores {
		of.From = r.Info.Tags[TagFrom]
	}
	return fmt.Sprintf("%s (%s), run %s", of.Title(), r.Config.Variant, tracker.ShortID(r.Info.ID))
}
