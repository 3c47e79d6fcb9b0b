package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// trainedOn trains a model for a few steps on the bundled graph and opens it.
func trainedOn(t *testing.T, model, variant string) *answer.Run {
	t.Helper()
	ctx, tr := context.Background(), trackertest.Open(t)
	configs, err := config.LoadForGraph(config.Layers{Set: []string{"train.epochs=1", "train.steps=20", "eval.final=false",
		"eval.every=0", "variant=" + variant, "dimension=8"}}, config.BundledName, model)
	expect.NoError(t, err)
	result, err := (&Runner{Tracker: tr}).Train(ctx, configs[0])
	expect.NoError(t, err)
	run, err := answer.Open(ctx, tr, result.RunID, nil)
	expect.NoError(t, err)
	return run
}

// TestRadiiAreThoseOfTheModel compares the report with plain loops over all triples and entities.
func TestRadiiAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{sphere.Clean, sphere.Paper} {
		run := trainedOn(t, sphere.SpherE2D, variant)
		r, err := run.Radii(4)
		expect.NoError(t, err)
		g := run.Graph
		var counts, radii []float64
		negative := 0
		for e := range int32(g.Entities.Len()) {
			n := 0
			for _, triple := range slices.Concat(g.Train, g.Valid, g.Test) {
				if triple.Head == e || triple.Tail == e {
					n++
				}
			}
			counts, radii = append(counts, float64(n)), append(radii, float64(run.Model.Radius(e)))
			if run.Model.Radius(e) < 0 {
				negative++
			}
		}
		if want := eval.Spearman(counts, radii); r.Spearman != want || r.Negative != negative ||
			r.Entities != len(radii) {
			t.Errorf("%s: %d entities, %d negative, correlation %v; want %d, %d, %v", variant, r.Entities, r.Negative,
				r.Spearman, len(radii), negative, want)
		}
		if negative > 0 != (variant == sphere.Paper) {
			t.Errorf("%s has %d negative radii", variant, negative)
		}
		entities := 0
		for i, group := range r.ByOccurrence {
			var of []float64
			for e, n := range counts {
				if int(n) == group.Occurrences {
					of = append(of, radii[e])
				}
			}
			sum := 0.
			for _, x := range of {
				sum += x
			}
			if len(of) != group.Entities || group.Least != slices.Min(of) || group.Most != slices.Max(of) ||
				math.Abs(group.Mean-sum/float64(len(of))) > 1e-12 {
				t.Errorf("%s: %+v, want %d entities from %v to %v", variant, group, len(of), slices.Min(of), slices.Max(of))
			}
			if i > 0 && group.Occurrences <= r.ByOccurrence[i-1].Occurrences {
				t.Errorf("%s: occurrences %d come after %d", variant, group.Occurrences, r.ByOccurrence[i-1].Occurrences)
			}
			entities += group.Entities
		}
		if entities != r.Entities {
			t.Errorf("%s: the groups have %d of %d entities", variant, entities, r.Entities)
		}
		sorted := slices.Sorted(slices.Values(radii))
		for i := range 4 {
			if r.Smallest[i].Radius != sorted[i] || r.Largest[i].Radius != sorted[len(sorted)-1-i] {
				t.Errorf("%s: number %d is %v and %v, want %v and %v", variant, i+1, r.Smallest[i].Radius,
					r.Largest[i].Radius, sorted[i], sorted[len(sorted)-1-i])
			}
			id, ok := g.Entities.ID(r.Largest[i].Name)
			if !ok || float64(run.Model.Radius(id)) != r.Largest[i].Radius ||
				int(counts[id]) != r.Largest[i].Occurrences {
				t.Errorf("%s: %+v is not an entity", variant, r.Largest[i])
			}
		}
		raw, err := json.Marshal(r)
		expect.NoError(t, err)
		var back answer.Radii
		if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(&back, r) {
			t.Errorf("%s: JSON does not lead back: %v", variant, err)
		}
		text := r.Chart().String()
		for _, want := range []string{"radius against occurrence, " + run.Info.Name, "triples of the entity",
			"rank correlation"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the chart lacks %q:\n%s", variant, want, text)
			}
		}
	}
}

func TestPointsHaveNoRadii(t *testing.T) {
	t.Parallel()
	_, err := trainedOn(t, sphere.RotatE, sphere.Clean).Radii(3)
	if none := (*answer.NoRadiiError)(nil); !errors.As(err, &none) || !strings.Contains(err.Error(), "points without radii") {
		t.Errorf("error %v", err)
	}
}
