package answer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Radii describes how the radii of a run's entities depend on how often the entities occur. It can be written as JSON
// and read back.
type Radii struct {
	RunID       string  `json:"run_id"`
	RunName     string  `json:"run_name"`
	Graph       string  `json:"graph"`
	GraphDigest string  `json:"graph_digest"`
	Checkpoint  string  `json:"checkpoint_digest"`
	Model       string  `json:"model"`
	Variant     string  `json:"variant"`
	Seed        uint64  `json:"seed"`
	Gamma       float64 `json:"gamma"`

	Entities int `json:"entities"`
	// Negative counts the entities whose radius is below 0. Only variant paper, and variant released in more than three
	// dimensions, have such radii.
	Negative int `json:"negative"`
	// Spearman is the rank correlation of occurrences and radii over all entities. SpearmanTrain is the same for
	// occurrences in training, over the entities that occur there. Each is 0 where it is not defined.
	Spearman      float64 `json:"spearman"`
	SpearmanTrain float64 `json:"spearman_train"`
	Median        float64 `json:"median"`

	ByOccurrence []RadiiOfOccurrence `json:"by_occurrence"` // ascending
	Largest      []EntityRadius      `json:"largest"`       // the largest one first
	Smallest     []EntityRadius      `json:"smallest"`      // the smallest one first
}

// RadiiOfOccurrence summarizes the radii of the entities that occur equally often.
type RadiiOfOccurrence struct {
	Occurrences int     `json:"occurrences"` // triples of all splits with the entity
	Entities    int     `json:"entities"`
	Mean        float64 `json:"mean"`
	Least       float64 `json:"least"`
	Most        float64 `json:"most"`
}

// EntityRadius is the radius of an entity.
type EntityRadius struct {
	Name        string  `json:"name"`
	Label       string  `json:"label,omitempty"` // readable name; "" if the graph has none
	Occurrences int     `json:"occurrences"`
	Radius      float64 `json:"radius"`
}

// NoRadiiError is the error for a run whose entities are points.
type NoRadiiError struct{ RunID, RunName string }

func (e *NoRadiiError) Error() string {
	return "the entities of " + RunTitle(e.RunID, e.RunName) + " are points without radii"
}

// occurrences returns, for each entity, the number of triples of the splits that contain it. A triple with the entity
// on both sides counts once.
func occurrences(g *kg.Graph, splits ...kg.Split) []int {
	n := make([]int, g.Entities.Len())
	for _, s := range splits {
		for _, t := range g.Split(s) {
			n[t.Head]++
			if t.Tail != t.Head {
				n[t.Tail]++
			}
		}
	}
	return n
}

// Radii measures the radii of the run's entities. Largest and Smallest list up to top entities each. As in the paper,
// an entity's occurrences are the triples of all splits that contain it.
func (r *Run) Radii(top int) (*Radii, error) {
	if !r.Model.HasRadii() {
		return nil, &NoRadiiError{RunID: r.Info.ID, RunName: r.Info.Name}
	}
	g := r.Graph
	out := &Radii{RunID: r.Info.ID, RunName: r.Info.Name, Graph: g.Name, GraphDigest: g.Digest(),
		Checkpoint: r.Model.Digest(), Model: r.Config.Model, Variant: r.Config.Variant, Seed: r.Config.Seed,
		Gamma: r.Config.Gamma, Entities: g.Entities.Len()}
	all := occurrences(g, kg.Train, kg.Valid, kg.Test)
	train := occurrences(g, kg.Train)
	var x, y, trainX, trainY []float64
	list := make([]EntityRadius, g.Entities.Len())
	groups := map[int]*RadiiOfOccurrence{}
	for e := range list {
		radius := float64(r.Model.Radius(int32(e)))
		list[e] = EntityRadius{Name: g.Entities.Name(int32(e)), Occurrences: all[e], Radius: radius}
		if label := g.Label(int32(e)); label != list[e].Name {
			list[e].Label = label
		}
		if radius < 0 {
			out.Negative++
		}
		x, y = append(x, float64(all[e])), append(y, radius)
		if train[e] > 0 {
			trainX, trainY = append(trainX, float64(train[e])), append(trainY, radius)
		}
		group := groups[all[e]]
		if group == nil {
			group = &RadiiOfOccurrence{Occurrences: all[e], Least: radius, Most: radius}
			groups[all[e]] = group
		}
		group.Entities++
		group.Mean += radius // a sum, divided below
		group.Least, group.Most = min(group.Least, radius), max(group.Most, radius)
	}
	for _, group := range groups {
		group.Mean /= float64(group.Entities)
		out.ByOccurrence = append(out.ByOccurrence, *group)
	}
	slices.SortFunc(out.ByOccurrence, func(a, b RadiiOfOccurrence) int {
		return cmp.Compare(a.Occurrences, b.Occurrences)
	})
	out.Spearman, out.SpearmanTrain = zeroIfNaN(eval.Spearman(x, y)), zeroIfNaN(eval.Spearman(trainX, trainY))
	slices.SortStableFunc(list, func(a, b EntityRadius) int { return cmp.Compare(a.Radius, b.Radius) })
	n := len(list)
	out.Median = (list[(n-1)/2].Radius + list[n/2].Radius) / 2
	top = min(top, n)
	out.Smallest = slices.Clone(list[:top])
	for i := range top {
		out.Largest = append(out.Largest, list[n-1-i])
	}
	return out, nil
}

// Top returns a copy of r that lists only the n largest and the n smallest radii, or all if there are fewer.
func (r *Radii) Top(n int) *Radii {
	short := *r
	short.Largest, short.Smallest = r.Largest[:min(n, len(r.Largest))], r.Smallest[:min(n, len(r.Smallest))]
	return &short
}

// zeroIfNaN returns x, or 0 for NaN, which JSON does not have.
func zeroIfNaN(x float64) float64 {
	if x != x {
		return 0
	}
	return x
}

// Chart draws the paper's figure: the mean radius of entities against their number of occurrences. Entities that do not
// occur are left out.
func (r *Radii) Chart() chart.Chart {
	var s chart.Series
	for _, group := range r.ByOccurrence {
		if group.Occurrences > 0 {
			s.X, s.Y = append(s.X, float64(group.Occurrences)), append(s.Y, group.Mean)
			s.Names = append(s.Names, quantity.CountOf(group.Entities, "entity", "entities"))
		}
	}
	caption := fmt.Sprintf("%d entities; a dot is the mean of those with equally many triples; rank correlation over "+
		"entities %.2f", r.Entities, r.Spearman)
	return chart.Scatter(chart.Options{Title: "radius against occurrence, " + r.RunName, Caption: caption,
		XLabel: "triples of the entity", YLabel: "mean radius", LogX: true}, s)
}
