package cell_test

import "testing"

// TestOwnPackages uses packages that have no export data: their types come from reflection.
func TestOwnPackages(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	const head = "github.com/spherelab/spherelab/"
	for _, c := range [][2]string{
		{"import \"" + head + "chart\"\nchart.Colors + 1", "[8]"},
		{"c := chart.Chart{}\n_, isData := any(c).(interface{ SVG() ([]byte, error) })\nisData", "[true]"},
		{"import \"" + head + "spherE\"\nsphere.Clean", "[clean]"},
		{"len(sphere.Models()) > 3", "[true]"},
		{"import \"" + head + "spherE/kg\"\nvar g *kg.Graph\ng == nil", "[true]"},
		{"type Named struct{ chart.Options }\nfunc (n Named) Title() int { return 3 }\nNamed{}.Title()", "[3]"},
		{"f := func(o chart.Options) bool { return o == chart.Options{} }\nf(chart.Options{})", "[true]"},
	} {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
		}
	}
}
