package interp

import "github.com/spherelab/spherelab/internal/spelling"

// didYouMean offers the known name that is nearest to a mistyped one, "" if none is near.
func didYouMean(name string, known []string) string {
	if len(name) < 3 {
		return ""
	}
	best, distance := "", 2+min(1, len(name)/6)
	for _, k := range known {
		if d := spelling.Distance(name, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
