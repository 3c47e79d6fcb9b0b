package sphere

import "testing"

// TestRegistry checks what tables and configs rely on: names and titles differ, and a model of spheres has a model of
// points with the same variants.
func TestRegistry(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range registry {
		for _, name := range []string{k.name, k.title} {
			if seen[name] || name == "" {
				t.Errorf("%q names two models, or none", name)
			}
			seen[name] = true
		}
		if Title(k.name) != k.title {
			t.Errorf("the title of %s is %q, want %q", k.name, Title(k.name), k.title)
		}
		points := PointsOf(k.name)
		if points == "" {
			continue
		}
		other, ok := kindOf(points)
		if !ok || other.points != "" {
			t.Errorf("%s: %q is not a model of points", k.name, points)
		}
		if len(other.variants) != len(k.variants) {
			t.Errorf("%s has variants %v, %s has %v", k.name, k.variants, points, other.variants)
		}
	}
	for model, want := range map[string]string{
		"sphere-2d+complex":                 "SpherE-2D + ComplEx",
		"sphere-2d+complex+trees":           "SpherE-2D + ComplEx + trees",
		"sphere-2d+complex+no-counts":       "SpherE-2D + ComplEx, no counts",
		"sphere-2d+complex+no-counts+trees": "SpherE-2D + ComplEx + trees, no counts",
		"sphere-2d+trees+no-counts":         "sphere-2d+trees+no-counts",
	} {
		if got := Title(model); got != want {
			t.Errorf("the title of %s is %q, want %q", model, got, want)
		}
	}
	if Title("conve") != "conve" {
		t.Error("a model that is not in the registry is not its own title")
	}
}

// TestParameters counts the floats of the tensors of every model.
func TestParameters(t *testing.T) {
	t.Parallel()
	for _, c := range everyModel() {
		g := smallGraph(t, 7, 90, 5, 600)
		m := newTestTrainer(t, c, g, 21, smallTraining(1)).Model()
		floats, centers := 0, 0
		for _, tensor := range m.tensors() {
			floats += tensor.size()
			if tensor.name == centerName {
				centers = tensor.size()
			}
		}
		if got := m.Settings().Parameters(m.Entities(), m.Relations()); got != floats {
			t.Errorf("%s: %d parameters, want %d", c, got, floats)
		}
		if got := m.Settings().Coordinates(); got*m.Settings().Dimension*m.Entities() != centers {
			t.Errorf("%s: %d coordinates per block, and %d of all centers", c, got, centers)
		}
	}
}
