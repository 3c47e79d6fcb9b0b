package session

import (
	"errors"

	"github.com/spherelab/spherelab/experiments/explore"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Explore draws a part of the model's space, as the page Explore of the pages in the browser does: an entity and the
// spheres that are nearest by distance less radii. For a question as in Ask it draws where the relation moves the
// sphere, and the answers of the cut.
//
//	run.Explore("Max Born")
//	run.Explore("Max Born", "advised", "?")
//
// Centres are projected on the two directions in which they vary most; the caption says how much of the variance these
// have. A model of dimension 1 is drawn as it is.
func (r *Run) Explore(question ...string) Chart {
	ctx := r.context()
	run := r.loadTrained(ctx)
	if n := len(question); n != 1 && n != 3 {
		panic(fail(BadQuestion, "run.Explore takes an entity or a question: run.Explore(%q), run.Explore(%q, %q, \"?\"); "+
			"got %d names", "Max Born", "Max Born", "advised", n))
	}
	space, err := explore.New(ctx, run)
	if _, ok := errors.AsType[*explore.NoSpaceError](err); ok {
		panic(fail(NotDrawn, "%v; those of SpherE, RotatE and TransE do", err))
	}
	check(err)
	if len(question) == 1 {
		entity, err := run.Graph.FindEntity(question[0])
		check(nameError(run.Graph, err))
		return Chart{space.Around(entity)}
	}
	q, err := retrieve.ParseQuery(run.Graph, question[0], question[1], question[2])
	check(nameError(run.Graph, err))
	touched, err := space.Touch(ctx, q, r.cut, -1, run.Model.Entities(), nil)
	check(err)
	return Chart{space.Moved(touched, touched.Usual)}
}
