package session

import (
	"cmp"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Circles draws what a model of dimension 1 has learned: every entity is a circle in the plane, the relation turns the
// head's circle around the origin, and the answers are the circles that it then touches. The cut is the criterion of
// the run's config or variant, unless run.Cut names one. A circle has the learned radius if the cut is the criterion
// intersect. Otherwise it is wider by half of the cut's threshold, which for other criteria is gamma, so that circles
// touch if and only if the cut holds. The caption says which it is.
//
//	run := lab.Train(g, lab.Model("sphere-2d").Dim(1).Set("gamma", 0.05).Set("eval.criterion", "intersect"))
//	run.Circles("Max Born", "advised")
//
// It draws all known and held-out answers, the best of the inferred ones, facts that are missed, and the nearest of the
// rest. Others are counted in the caption. The picture fits the head, the rotated head and the answers. Missed facts
// that are far away are named at its edge. The entities that touch are the answers of the cut:
// run.Cut("sphere").Circles(head, relation) draws run.Cut("sphere").Ask(head, relation, "?").
func (r *Run) Circles(head, relation string) Chart {
	ctx := r.context()
	run := r.loadTrained(ctx)
	if s := run.Model.Settings(); !run.DrawsCircles() {
		panic(fail(NotDrawn, "Circles draws sphere-2d models of dimension 1; run %s is %s of dimension %d. "+
			"lab.Model(\"sphere-2d\").Dim(1) describes one that can be drawn",
			r.label(), sphere.Title(s.Model), s.Dimension))
	}
	q, err := retrieve.ParseQuery(run.Graph, head, relation, retrieve.Unknown)
	check(nameError(run.Graph, err))
	cut := r.cut
	cut.Name = cmp.Or(cut.Name, string(run.Criterion()))
	c, err := run.Circles(ctx, q, cut)
	check(err)
	return Chart{c}
}
